import type { SignOff } from '@authz-service/sdk/console-client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../../api/client.js';
import { text as common } from '../../text/english.js';
import { signOff as text } from '../../text/sign-off.js';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Card } from '../../ui/card.js';
import { FindingsTable, type ShownDelta } from '../../ui/findings-table.js';
import layout from '../../ui/layout.module.css';
import { ProblemNote } from '../../ui/problem-note.js';
import { actionsText, resourceLines } from '../../ui/resource-lines.js';
import { When } from '../../ui/when.js';
import { whoText } from './row-text.js';
import { saveCsv } from './save-csv.js';
import styles from './sign-off.module.css';
import { SIGN_OFFS_KEY } from './sign-off-form.js';

/** Who signed off what when: of one scope, or of all. */
export function SignOffList({ scope }: { scope: string | undefined }) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery({
    queryKey: [SIGN_OFFS_KEY, scope],
    queryFn: ({ pageParam, signal }) =>
      client.signOffs({ limit: 50, ...(scope && { scope }), ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
  const all = data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Card
      title={scope === undefined ? text.all : text.ofScope}
      aside={
        all.length > 0 && (
          <Button small onPress={() => saveCsv(text.fileName, tableOf(all))}>
            {text.export(all.length)}
          </Button>
        )
      }
    >
      {error && <ProblemNote error={error} retry={() => refetch()} />}
      {data !== undefined && all.length === 0 && <p className={layout.hint}>{text.none}</p>}
      <ul className={styles.list}>
        {all.map((one) => (
          <li key={one.id}>
            <OneSignOff signed={one} />
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <div>
          <Button isDisabled={isFetching} onPress={() => fetchNextPage()}>
            {common.records.moreMentions}
          </Button>
        </div>
      )}
    </Card>
  );
}

function OneSignOff({ signed }: { signed: SignOff }) {
  const [asked, setAsked] = useState(false);
  const { scope, actions, revision, as_of, at, person, decision, note, row_count, to_change } = signed;
  const number = numberOf(revision);
  const search = {
    scope,
    ...(actions && { actions: actions.join(',') }),
    at: number,
    as_of,
  };
  return (
    <article aria-label={text.by(person.name, scope)}>
      <p>
        <Badge tone={decision === 'keep' ? 'good' : 'warn'}>{text.decided[decision]}</Badge> <When at={at} />{' '}
        <strong title={person.id}>{person.name}</strong>{' '}
        <span className={styles.minor}>({text.kinds[person.kind]})</span>
      </p>
      <p>
        {scope}
        {actions && `: ${actions.join(', ')}`}, {text.rows(row_count)},{' '}
        <Link to="/review" search={search}>
          {text.asThen(number)}
        </Link>
        , <When at={as_of} />
      </p>
      {note !== '' && <p className={styles.note}>{note}</p>}
      {to_change.length > 0 && (
        <details>
          <summary>{text.toChange(to_change.length)}</summary>
          <ul className={styles.rows}>
            {to_change.map((row) => (
              <li key={row.id}>{lineOf(row)}</li>
            ))}
          </ul>
        </details>
      )}
      {asked ? (
        <Since id={signed.id} />
      ) : (
        <Button small aria-label={text.sinceOf(scope, number)} onPress={() => setAsked(true)}>
          {text.since}
        </Button>
      )}
    </article>
  );
}

/** The changes in who has access in the scope since a sign-off. */
function Since({ id }: { id: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['since-sign-off', id],
    queryFn: ({ signal }) => client.changesSinceSignOff(id, { signal }),
    refetchOnWindowFocus: false,
  });
  if (error) return <ProblemNote error={error} retry={() => refetch()} />;
  if (data === undefined) return <p role="status">{text.comparing}</p>;
  if (data.finding_count === 0 && data.complete)
    return <p role="status">{text.unchanged(numberOf(data.after.revision))}</p>;
  const findings = data.findings as unknown as ShownDelta['findings'];
  return <FindingsTable delta={{ findings, ...(!data.complete && { complete: false }) }} all={data.finding_count} />;
}

function lineOf(row: SignOff['to_change'][number]): string {
  const what = row.resources.flatMap(resourceLines).join('; ');
  return `${whoText(row)}: ${actionsText(row.actions, row.actions_except)}: ${what}`;
}

/** `42` of `42.9f86d081884c7d65`. */
function numberOf(revision: string): string {
  return revision.split('.')[0] ?? revision;
}

function tableOf(all: readonly SignOff[]): string[][] {
  return [
    [...text.columns],
    ...all.map(({ at, person, scope, actions, revision, as_of, decision, note, row_count, rows_digest, to_change }) => [
      at,
      person.name,
      person.id,
      text.kinds[person.kind],
      scope,
      actions?.join(', ') ?? '',
      revision,
      as_of,
      text.decided[decision],
      note,
      String(row_count),
      to_change.map(lineOf).join('; '),
      rows_digest,
    ]),
  ];
}
