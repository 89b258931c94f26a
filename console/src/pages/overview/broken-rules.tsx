import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { client } from '../../api/client.js';
import { text } from '../../text/english.js';
import { Badge } from '../../ui/badge.js';
import { Card } from '../../ui/card.js';
import { ProblemNote } from '../../ui/problem-note.js';
import { RecordLink } from '../../ui/record-link.js';
import { TimedText } from '../../ui/timed-text.js';
import styles from './overview-page.module.css';

/** The access rules that are broken as the records are now. */
export function BrokenRules() {
  const { data, error, refetch } = useQuery({
    queryKey: ['access-rule-violations'],
    queryFn: ({ signal }) => client.accessRuleViolations({ signal }),
    staleTime: 60_000,
  });
  return (
    <Card
      title={text.overview.rules}
      aside={
        <Link to="/records" search={{ kind: 'access_rule' }}>
          {text.overview.allRules}
        </Link>
      }
    >
      {error && <ProblemNote error={error} retry={() => refetch()} />}
      {data === undefined && !error && <p role="status">{text.common.loading}</p>}
      {data?.violations.length === 0 && <p className={styles.fine}>{text.overview.noneBroken}</p>}
      <ul className={styles.rules}>
        {data?.violations.map(({ rule, mode, detail, witness }) => (
          <li key={`${rule} ${detail} ${JSON.stringify(witness)}`}>
            <Badge tone={mode === 'enforce' ? 'bad' : 'warn'}>{mode}</Badge> <RecordLink address={rule} />
            <p>
              <TimedText text={detail} />
            </p>
          </li>
        ))}
      </ul>
      {data?.more === true && <p className={styles.fine}>{text.overview.more}</p>}
    </Card>
  );
}
