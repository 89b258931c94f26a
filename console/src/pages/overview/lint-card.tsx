import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.js';
import { text } from '../../text/english.js';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Card } from '../../ui/card.js';
import { ProblemNote } from '../../ui/problem-note.js';
import { RecordLink } from '../../ui/record-link.js';
import { TimedText } from '../../ui/timed-text.js';
import styles from './overview-page.module.css';

const LISTED = 5;

const { overview: words } = text;

/** Records that do nothing, or likely not what was meant. */
export function LintCard({ revision }: { revision: string }) {
  // Found only when somebody wants them: with many records it takes the service seconds.
  const [wanted, setWanted] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: ['lint', revision],
    queryFn: ({ signal }) => client.lint(revision, { signal, timeoutMs: 120_000 }),
    staleTime: 60_000,
    enabled: wanted,
  });
  return (
    <Card title={words.lint}>
      {error && <ProblemNote error={error} retry={() => refetch()} />}
      {!wanted && (
        <div>
          <Button onPress={() => setWanted(true)}>{words.lintFind}</Button>
        </div>
      )}
      {wanted && data === undefined && !error && <p role="status">{text.common.loading}</p>}
      {data?.total === 0 && <p className={styles.fine}>{words.lintNone}</p>}
      <ul className={styles.rules}>
        {data?.findings.slice(0, LISTED).map(({ rule, certainty, address, detail }) => (
          <li key={`${rule} ${address} ${detail}`}>
            <Badge tone={certainty === 'proven' ? 'warn' : 'plain'}>{rule}</Badge>{' '}
            <RecordLink address={address}>{address}</RecordLink>
            <p>
              <TimedText text={detail} />
            </p>
          </li>
        ))}
      </ul>
      {data !== undefined && data.total > LISTED && (
        <p className={styles.fine}>{words.lintMore(data.total - LISTED)}</p>
      )}
    </Card>
  );
}
