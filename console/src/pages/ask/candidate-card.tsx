import type { Candidate, Clause } from '@authz-service/sdk/decision';
import { KIND_TEXTS, text } from '../../text/english.js';
import { Badge } from '../../ui/badge.js';
import { Condition } from '../../ui/condition.js';
import { kindOf, pathOf, RecordLink } from '../../ui/record-link.js';
import { TimedText } from '../../ui/timed-text.js';
import styles from './candidate-card.module.css';

interface Props {
  candidate: Candidate;
  /** The path of the resource that was asked about. */
  resource: string;
  deciding?: boolean;
}

/** One policy that came into question: the way to it as a picture, what came of it, and its clauses. */
export function CandidateCard({ candidate, resource, deciding = false }: Props) {
  const { policy, effect, priority, through, place, outcome, why, clauses = [], clauses_left_out } = candidate;
  return (
    <article className={deciding ? `${styles.card} ${styles.deciding}` : styles.card}>
      <ol className={styles.path} aria-label={text.ask.path}>
        {through.map((address, index) => (
          <Node key={address} address={address} note={index === through.length - 1 ? placeNote(place) : undefined} />
        ))}
        <Node address={policy} mark={deciding ? (effect === 'ALLOW' ? 'good' : 'bad') : undefined} />
        <li className={styles.node}>
          <span className={styles.kind}>{KIND_TEXTS.resource.one}</span>
          <span>{resource}</span>
        </li>
      </ol>
      <p className={styles.facts}>
        <Badge tone={effect === 'ALLOW' ? 'good' : 'bad'}>{effect}</Badge>
        <span>{text.ask.priority(priority)}</span>
        <Badge tone={outcome === 'applies' ? 'plain' : 'warn'}>{text.ask.outcome[outcome]}</Badge>
        <span className={styles.why}>
          <TimedText text={why} />
        </span>
      </p>
      {clauses.length > 0 && (
        <ul className={styles.clauses} aria-label={text.ask.clauses}>
          {clauses.map((clause) => (
            <ClauseLine key={clause.clause} clause={clause} />
          ))}
          {clauses_left_out !== undefined && <li>{text.records.andMore(clauses_left_out)}</li>}
        </ul>
      )}
    </article>
  );
}

function placeNote(place: string | undefined): string | undefined {
  return place === undefined ? undefined : text.ask.heldOn(pathOf(place));
}

function Node({
  address,
  mark,
  note,
}: {
  address: string;
  mark?: 'good' | 'bad' | undefined;
  note?: string | undefined;
}) {
  const kind = KIND_TEXTS[kindOf(address)]?.one;
  return (
    <li className={[styles.node, mark && styles[mark]].filter(Boolean).join(' ')}>
      <span className={styles.kind}>{kind ?? address}</span>
      {kind === undefined ? <span>{pathOf(address)}</span> : <RecordLink address={address} />}
      {note !== undefined && <span className={styles.kind}>{note}</span>}
    </li>
  );
}

const TONES = { true: 'good', false: 'bad', absent: 'warn', failed: 'bad' } as const;

/** A clause, its outcome, and the values that it reads. */
export function ClauseLine({ clause: { clause, outcome, why, values = {} } }: { clause: Clause }) {
  return (
    <li className={styles.clause}>
      <Badge tone={TONES[outcome]}>{text.ask.clause[outcome]}</Badge>
      <div>
        <Condition text={clause} />
        {/* What is absent alone is the clause itself. */}
        {why !== undefined && why !== clause && (
          <p className={styles.why}>
            <TimedText text={why} />
          </p>
        )}
        {Object.entries(values).map(([name, value]) => (
          <p key={name}>
            <code className={styles.value}>
              {name} = {value}
            </code>
          </p>
        ))}
      </div>
    </li>
  );
}
