import { useInfiniteQuery } from '@tanstack/react-query';
import type { FoundRecord } from '../../api/answers.js';
import { client } from '../../api/client.js';
import { KIND_TEXTS, text } from '../../text/english.js';
import { Button } from '../../ui/button.js';
import { ProblemNote } from '../../ui/problem-note.js';
import { kindOf, pathOf, RecordLink } from '../../ui/record-link.js';
import { titleOf } from './record-columns.js';
import styles from './record-page.module.css';

/** Links both ways: what a record refers to, and which records mention it, by their kinds. */
export function Mentions({ address }: { address: string }) {
  const links = useInfiniteQuery({
    queryKey: ['links', address],
    queryFn: ({ pageParam, signal }) => client.links({ address, limit: 50, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
  if (links.error) return <ProblemNote error={links.error} retry={() => links.refetch()} />;
  const references = links.data?.pages[0]?.references ?? [];
  const mentions = links.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <>
      {references.length > 0 && (
        <section className={styles.card} aria-labelledby="refers">
          <h2 id="refers">{text.records.refersTo}</h2>
          <ul className={styles.links}>
            {references.map((reference) => (
              <li key={reference.pointer + reference.address}>
                <span className={styles.kind}>{titleOf(reference.pointer.split('/')[1] ?? '')}</span>
                <RecordLink address={reference.address} />
              </li>
            ))}
          </ul>
        </section>
      )}
      <section className={styles.card} aria-labelledby="mentioned">
        <h2 id="mentioned">{text.records.mentionedBy}</h2>
        {links.data === undefined && <p role="status">{text.common.loading}</p>}
        {links.data !== undefined && mentions.length === 0 && (
          <p className={styles.none}>{text.records.mentionedByNone}</p>
        )}
        {[...Map.groupBy(mentions, ({ kind }) => kind)].map(([kind, records]) => (
          <div key={kind}>
            <h3>{KIND_TEXTS[kind].many}</h3>
            <ul className={styles.links}>
              {records.map((record) => (
                <li key={record.address}>
                  <Mention record={record} of={address} />
                </li>
              ))}
            </ul>
          </div>
        ))}
        {links.hasNextPage && (
          <Button small isDisabled={links.isFetchingNextPage} onPress={() => links.fetchNextPage()}>
            {text.records.moreMentions}
          </Button>
        )}
      </section>
    </>
  );
}

/** A link between two records is shown by its other end. */
function Mention({ record, of }: { record: FoundRecord; of: string }) {
  const { address } = record;
  const [left, right] = pathOf(address).split('//');
  if (right === undefined) return <RecordLink address={address} />;
  const given = { role_assignment: 'role', policy_assignment: 'policy', group_membership: 'group' }[
    String(record.kind)
  ];
  const one = `${given}/${left}`;
  const other = one === of ? right : one;
  const shown = other === right && !right.startsWith('everyone') ? right : one;
  return (
    <>
      {kindOf(shown) !== undefined && shown !== of ? <RecordLink address={shown}>{shown}</RecordLink> : right}{' '}
      <RecordLink address={address}>{text.records.theLink}</RecordLink>
    </>
  );
}
