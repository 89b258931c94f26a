import type { ReviewRow } from '@authz-service/sdk/console-client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { review } from '../../text/review.js';
import { Button } from '../../ui/button.js';
import { Paging } from '../../ui/paging.js';
import { PersonLink } from '../../ui/person-link.js';
import { ProblemNote } from '../../ui/problem-note.js';
import { When } from '../../ui/when.js';
import { type AskedReview, askedPage, keyOfPage } from './asked-review.js';
import styles from './review-page.module.css';
import { nameText, ofText, sinceOf } from './row-text.js';

const PAGE_ROWS = 20;

interface Props {
  row: ReviewRow;
  of: string;
  asked: AskedReview;
  /** Only those with these words are listed. */
  words: string;
  /** Stands beside each. */
  beside: (member: ReviewRow) => ReactNode;
}

/** The subjects of a row, once somebody wants to see them. */
export function Members(props: Props) {
  const [open, setOpen] = useState(false);
  const of = ofText(props.of);
  return (
    <>
      <Button
        small
        kind="quiet"
        aria-expanded={open}
        aria-label={open ? review.closeMembers(of) : review.openMembers(of)}
        onPress={() => setOpen(!open)}
      >
        {open ? review.close : review.open}
      </Button>
      {open && <MemberPage key={props.words} {...props} />}
    </>
  );
}

function MemberPage({ row, of, asked, words, beside }: Props) {
  const [number, setNumber] = useState(1);
  const page = {
    ...{ row: row.id, limit: PAGE_ROWS, offset: (number - 1) * PAGE_ROWS },
    ...(words !== '' && { words }),
  };
  const { data, error, refetch } = useQuery({
    queryKey: keyOfPage(asked, page),
    queryFn: ({ signal }) => askedPage(asked, page, signal),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error) return <ProblemNote error={error} retry={() => refetch()} />;
  if (data === undefined) return <p role="status">{review.finding}</p>;
  return (
    <>
      <ul aria-label={review.membersOf(ofText(of))}>
        {data.rows.map((member) => (
          <li key={member.id} className={styles.member}>
            <span>
              {member.subject.kind === 'recorded' && <PersonLink subject={member.subject.path} />}{' '}
              <span className={styles.name}>
                {nameText(member)} <Since row={member} />
              </span>
            </span>
            {beside(member)}
          </li>
        ))}
      </ul>
      <Paging
        number={number}
        more={data.listed.subjects > number * PAGE_ROWS}
        onPrevious={() => setNumber(number - 1)}
        onNext={() => setNumber(number + 1)}
      />
    </>
  );
}

function Since({ row }: { row: ReviewRow }) {
  const since = sinceOf(row);
  if (since === undefined) return null;
  return (
    <>
      {review.sinceThen} <When at={since} />
    </>
  );
}
