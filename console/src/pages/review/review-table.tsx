import type { ReviewRow } from '@authz-service/sdk/console-client';
import type { ReactNode } from 'react';
import { review } from '../../text/review.js';
import { Breakable } from '../../ui/breakable.js';
import { Condition } from '../../ui/condition.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { PersonLink } from '../../ui/person-link.js';
import { RecordLink } from '../../ui/record-link.js';
import { actionsText, resourceLines } from '../../ui/resource-lines.js';
import { When } from '../../ui/when.js';
import styles from './review-page.module.css';
import { isEveryone, nameText, titleOf, whoText } from './row-text.js';
import { Ways } from './ways.js';

interface Props {
  rows: readonly ReviewRow[];
  /** More columns, behind the others. */
  more: readonly Column<ReviewRow>[];
  /** Returns what stands below a row with members. */
  membersOf: (row: ReviewRow) => ReactNode;
  /** They are those of the page before. */
  stale: boolean;
}

/** One page of the rows of a review. */
export function ReviewTable({ rows, more, membersOf, stale }: Props) {
  return (
    <DataTable<ReviewRow>
      label={review.table}
      rows={rows}
      stale={stale}
      keyOf={({ id }) => id}
      columns={[
        { title: review.who, cell: (row) => who(row, membersOf) },
        { title: review.action, cell: ({ actions, actions_except }) => actionsText(actions, actions_except) },
        { title: review.onWhat, cell: onWhat },
        { title: review.way, cell: ({ ways }) => <Ways ways={ways} /> },
        ...(rows.some(isLimited) ? [{ title: review.limits, cell: limitsOf }] : []),
        ...more,
      ]}
    />
  );
}

function who(row: ReviewRow, membersOf: Props['membersOf']): ReactNode {
  const { subject } = row;
  if (subject.kind === 'members')
    return (
      <>
        {isEveryone(subject.of) ? (
          <span className={styles.anybody}>{titleOf(subject.of)}</span>
        ) : (
          <RecordLink address={subject.of}>{subject.of}</RecordLink>
        )}
        <p className={styles.name}>{(isEveryone(subject.of) ? review.countOfEveryone : review.count)(subject.count)}</p>
        {membersOf(row)}
      </>
    );
  if (subject.kind !== 'recorded')
    return (
      <span className={styles.anybody}>
        <Breakable text={whoText(row)} />
      </span>
    );
  return (
    <>
      <PersonLink subject={subject.path} />
      {nameText(row) !== '' && <p className={styles.name}>{nameText(row)}</p>}
    </>
  );
}

function onWhat({ resources }: ReviewRow): ReactNode {
  return (
    <ul className={styles.texts}>
      {resources.flatMap(resourceLines).map((line) => (
        <li key={line}>
          <Breakable text={line} />
        </li>
      ))}
    </ul>
  );
}

function isLimited({ condition, unclear, from, until }: ReviewRow): boolean {
  return condition !== null || unclear === true || from !== null || until !== null;
}

function limitsOf(row: ReviewRow): ReactNode {
  if (!isLimited(row)) return null;
  const { condition, unclear, from, until } = row;
  return (
    <div className={styles.texts}>
      {condition !== null && <Condition text={condition} />}
      {unclear && <p className={styles.minor}>{review.unclear}</p>}
      {from !== null && (
        <p>
          {review.from} <When at={from} />
        </p>
      )}
      {until !== null && (
        <p>
          {review.until} <When at={until} />
        </p>
      )}
    </div>
  );
}
