import { type FilterLine, filterLine } from '@authz-service/core/questions/filter/filter-text';
import type { Filter } from '@authz-service/sdk/filter';
import { ServiceError } from '@authz-service/sdk/service-error';
import { useQuery } from '@tanstack/react-query';
import { clientAt } from '../../api/client.js';
import { text } from '../../text/english.js';
import { ProblemNote } from '../../ui/problem-note.js';
import styles from './ask-page.module.css';
import { type QuestionFields, questionOf } from './question.js';
import { typeNamed } from './type-named.js';

/** The rows of an application's table that the subject may do it with, also those that nobody recorded. */
export function RowsAnswer({ asked, times }: { asked: QuestionFields; times: number }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['rows', asked, times],
    queryFn: ({ signal }) => rowsOf(asked, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error) return <ProblemNote error={error} retry={() => refetch()} />;
  if (data === undefined) return <p role="status">{text.common.loading}</p>;
  return (
    <section className={styles.answer} aria-label={text.ask.rows.title}>
      <h2>{text.ask.rows.title}</h2>
      <p className={styles.kind}>{text.ask.rows.under}</p>
      {data.map(({ action, filter, refused }) => (
        <div key={action} className={styles.reasons}>
          <h3>{action}</h3>
          {refused !== undefined && <p className={styles.note}>{refused}</p>}
          {filter !== undefined && <Rows filter={filter} />}
        </div>
      ))}
    </section>
  );
}

function Rows({ filter: { kind, condition, partial } }: { filter: Filter }) {
  return (
    <>
      {partial && <p className={styles.note}>{text.ask.rows.partial}</p>}
      <p>{text.ask.rows[kind]}</p>
      {condition !== undefined && <Lines lines={[filterLine(condition)]} />}
    </>
  );
}

function Lines({ lines }: { lines: readonly FilterLine[] }) {
  return (
    <ul className={styles.lines}>
      {lines.map((line) => (
        <li key={JSON.stringify(line)}>
          {line.below.length === 0 ? <code>{line.text}</code> : line.text}
          {line.below.length > 0 && <Lines lines={line.below} />}
        </li>
      ))}
    </ul>
  );
}

interface RowsOfAction {
  action: string;
  filter?: Filter;
  /** Why no filter can be had. */
  refused?: string;
}

async function rowsOf(asked: QuestionFields, signal: AbortSignal): Promise<RowsOfAction[]> {
  const client = clientAt(asked.at);
  const { path, actions } = await typeNamed(asked, signal);
  return Promise.all(
    (asked.action === '' ? actions : [asked.action]).map(async (action): Promise<RowsOfAction> => {
      const { subject, resource, ...rest } = questionOf({ ...asked, action, resource: path });
      try {
        const question = { ...rest, subject, resource, options: { partial: 'ask' as const } };
        return { action, filter: await client.filterRows(question, { signal }) };
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        if (error.code !== 'not_filterable' && error.code !== 'filter_too_large') throw error;
        return { action, refused: error.detail };
      }
    }),
  );
}
