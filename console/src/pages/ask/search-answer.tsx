import type { FoundEntity } from '@authz-service/sdk/question';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { clientAt } from '../../api/client.js';
import { text } from '../../text/english.js';
import { Button } from '../../ui/button.js';
import { DataTable } from '../../ui/data-table.js';
import { Empty } from '../../ui/empty.js';
import { ProblemNote } from '../../ui/problem-note.js';
import { pathOf, RecordLink } from '../../ui/record-link.js';
import styles from './ask-page.module.css';
import { type FoundOfAction, knownRows, segment } from './known-rows.js';
import { type QuestionFields, questionOf } from './question.js';
import { typeNamed } from './type-named.js';

const PAGE = 100;

/** Who may do it, or on what; a hundred at a time. */
export function SearchAnswer({ asked, times }: { asked: QuestionFields; times: number }) {
  const [wanted, setWanted] = useState(PAGE);
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['found', asked, times, wanted],
    queryFn: ({ signal }) => search(asked, wanted, signal),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: (previous) => (wanted > PAGE ? previous : undefined),
  });
  if (error) return <ProblemNote error={error} retry={() => refetch()} />;
  if (data === undefined) return <p role="status">{text.common.loading}</p>;
  const { found, more, leftOut, absent, type, subjectTypes } = data;
  const who = asked.mode === 'who';
  return (
    <section className={styles.answer} aria-label={text.ask.mode[asked.mode]}>
      {asked.subject === '' && (
        <p className={styles.kind}>{text.ask.typesAsked(subjectTypes.names, subjectTypes.complete)}</p>
      )}
      {leftOut > 0 && <p className={styles.note}>{text.ask.leftOut(leftOut, absent)}</p>}
      {found.length === 0 && <Empty title={who ? text.ask.nobody : text.ask.nothing} />}
      {found.length > 0 && (
        <>
          <p>{text.ask.found(found.length, more)}</p>
          <DataTable
            label={text.ask.mode[asked.mode]}
            rows={found}
            keyOf={({ type, id }) => `${type}/${id}`}
            stale={isFetching}
            columns={[
              {
                title: who ? text.ask.subject : text.ask.resource,
                cell: (entity) => <Entity entity={entity} type={type} />,
              },
              ...(asked.action === '' ? [{ title: text.ask.actions, cell: actionsOf(asked, type) }] : []),
            ]}
          />
        </>
      )}
      {more && (
        <Button isDisabled={isFetching} onPress={() => setWanted(wanted + PAGE * 4)}>
          {text.records.moreMentions}
        </Button>
      )}
    </section>
  );
}

/** A subject, or a resource of the type that was asked about. */
function Entity({ entity, type }: { entity: FoundEntity; type: string | undefined }) {
  const path = `${type ?? segment(entity.type)}/${segment(entity.id)}`;
  return <RecordLink address={type === undefined ? `subject/${path}` : `resource/${path}`}>{path}</RecordLink>;
}

/** Each leads to the question why. */
function actionsOf(asked: QuestionFields, type = asked.resource) {
  return ({ id, actions }: Found) => (
    <span className={styles.actions}>
      {actions.map((action) => (
        <Link key={action} to="/ask" search={{ ...asked, mode: 'decide', action, resource: `${type}/${segment(id)}` }}>
          {action}
        </Link>
      ))}
    </span>
  );
}

interface Found extends FoundEntity {
  /** Which of the actions that were asked about. */
  actions: string[];
}

/** Asks about the action, or, where none is named, about each action of the type of resources. */
async function search(asked: QuestionFields, wanted: number, signal: AbortSignal) {
  const client = clientAt(asked.at);
  const found: FoundOfAction[] = [];
  const entities = new Map<string, FoundEntity>();
  let leftOut = 0;
  const absent = new Set<string>();
  const options = {
    signal,
    limit: PAGE,
    onLeftOut: (page: { count: number; absent: string[] }) => {
      leftOut += page.count;
      for (const name of page.absent) absent.add(name);
    },
  };
  const type = asked.mode === 'what' ? await typeNamed(asked, signal) : undefined;
  const actions = asked.action === '' ? (type?.actions ?? []) : [asked.action];
  const subjectTypes =
    asked.mode === 'who' && asked.subject === ''
      ? await typesOfSubjects(asked, signal)
      : { names: [asked.subject], complete: true };
  for (const [action, subject] of actions.flatMap((action) =>
    subjectTypes.names.map((name) => [action, name] as const),
  )) {
    const question = questionOf({ ...asked, action, subject, ...(type && { resource: type.path }) });
    const all =
      asked.mode === 'who' ? client.searchSubjects(question, options) : client.searchResources(question, options);
    const ids: string[] = [];
    let cut = false;
    for await (const entity of all) {
      cut = ids.length === wanted;
      if (cut) break;
      // Subjects of two types may have one id.
      const key = asked.mode === 'who' ? `${entity.type}/${segment(entity.id)}` : entity.id;
      ids.push(key);
      entities.set(key, entity);
    }
    found.push({ action, ids, cut });
  }
  const rows = knownRows(found).flatMap(({ id, actions }): Found[] => {
    const entity = entities.get(id);
    return entity === undefined ? [] : [{ ...entity, actions }];
  });
  return {
    found: rows,
    more: found.some(({ cut }) => cut),
    leftOut,
    absent: [...absent],
    type: type?.path,
    subjectTypes,
  };
}

/** The types of subjects that are declared, and those of the first recorded subjects. */
async function typesOfSubjects({ at }: QuestionFields, signal: AbortSignal) {
  const [declared, subjects] = await Promise.all([
    clientAt(at).records('subject_type').page({}, { limit: PAGE, signal }),
    clientAt(at).records('subject').page({}, { limit: PAGE, signal }),
  ]);
  const names = new Set([
    ...declared.items.map(({ address }) => pathOf(address)),
    ...subjects.items.map(({ type }) => type),
  ]);
  return { names: [...names].sort(), complete: !declared.next_cursor && !subjects.next_cursor };
}
