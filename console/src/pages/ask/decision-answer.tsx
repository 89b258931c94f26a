import type { Candidate, Decision } from '@authz-service/sdk/decision';
import { useQuery } from '@tanstack/react-query';
import { clientAt } from '../../api/client.js';
import { text } from '../../text/english.js';
import layout from '../../ui/layout.module.css';
import { ProblemNote } from '../../ui/problem-note.js';
import { RecordLink } from '../../ui/record-link.js';
import { TimedText } from '../../ui/timed-text.js';
import styles from './ask-page.module.css';
import { CandidateCard, ClauseLine } from './candidate-card.js';
import { DecisionPaths } from './decision-paths.js';
import { type DenialReason, denialReasons } from './denial-reasons.js';
import { type QuestionFields, questionOf } from './question.js';
import { WhyNot } from './why-not.js';

/** The decision, the path that led to it, and every policy that came into question. */
export function DecisionAnswer({ asked, times }: { asked: QuestionFields; times: number }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['decision', asked, times],
    queryFn: ({ signal }) =>
      clientAt(asked.at).decide({ ...questionOf(asked), options: { explain: true } }, { signal, timeoutMs: 10_000 }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error) return <ProblemNote error={error} retry={() => refetch()} />;
  if (data === undefined) return <p role="status">{text.common.loading}</p>;
  const candidates = data.explanation?.candidates ?? [];
  const deciding = decidingOf(data, candidates);
  const others = candidates.filter((candidate) => candidate !== deciding);
  return (
    <>
      <section className={data.allowed ? styles.allowed : styles.denied} aria-label={text.ask.decision}>
        <p className={styles.verdict}>{data.allowed ? text.ask.allowed : text.ask.denied}</p>
        <p>
          <TimedText text={data.reason ?? ''} />
        </p>
        {!data.allowed && <DenialReasons reasons={denialReasons(candidates, deciding)} />}
        {data.revision !== undefined && <p className={styles.foot}>{text.common.atRevision(data.revision)}</p>}
      </section>
      {data.explanation?.max_age && <MaxAge {...data.explanation.max_age} />}
      {!data.allowed && asked.at === '' && <WhyNot asked={asked} revision={data.revision} />}
      {data.explanation?.uncounted_roles?.map((role) => (
        <p key={role} className={styles.note}>
          <RecordLink address={role} /> {text.ask.uncounted}
        </p>
      ))}
      {data.explanation?.uncounted_properties?.map((attribute) => (
        <p key={attribute} className={styles.note}>
          <code>{attribute}</code> {text.ask.uncountedProperty}
        </p>
      ))}
      {candidates.length > 0 && (
        <DecisionPaths
          candidates={candidates}
          deciding={deciding}
          resource={`resource/${asked.resource}`}
          present={asked.at === ''}
        />
      )}
      {deciding !== undefined && (
        <section aria-labelledby="deciding">
          <h2 id="deciding">{text.ask.deciding}</h2>
          <CandidateCard candidate={deciding} resource={asked.resource} deciding />
        </section>
      )}
      <section aria-labelledby="candidates">
        <h2 id="candidates">{deciding === undefined ? text.ask.candidates : text.ask.otherCandidates}</h2>
        {others.length === 0 && <p className={layout.hint}>{text.ask.noCandidates(candidates.length)}</p>}
        {others.map((candidate) => (
          <CandidateCard
            key={`${candidate.policy} ${candidate.through.join(' ')}`}
            candidate={candidate}
            resource={asked.resource}
          />
        ))}
      </section>
    </>
  );
}

/** More are in the list of policies below. */
const REASONS_MAX = 3;

function DenialReasons({ reasons }: { reasons: readonly DenialReason[] }) {
  if (reasons.length === 0) return null;
  return (
    <ul className={styles.reasons} aria-label={text.ask.reasons}>
      {reasons.slice(0, REASONS_MAX).map(({ policy, clauses, why }) => (
        <li key={`${policy} ${why}`}>
          <RecordLink address={policy} />: <TimedText text={why} />
          {clauses.length > 0 && (
            <ul>
              {clauses.map((clause) => (
                <ClauseLine key={clause.clause} clause={clause} />
              ))}
            </ul>
          )}
        </li>
      ))}
      {reasons.length > REASONS_MAX && <li>{text.records.andMore(reasons.length - REASONS_MAX)}</li>}
    </ul>
  );
}

/** How old the records were that decided, and might have been. */
function MaxAge({ of, seconds, age_seconds }: NonNullable<NonNullable<Decision['explanation']>['max_age']>) {
  return (
    <p className={styles.note}>
      {text.ask.age(age_seconds)} <RecordLink address={of}>{of}</RecordLink> {text.ask.maxAge(seconds)}
    </p>
  );
}

/** The candidate whose policy decided: of several ways to it, the first that applies. */
function decidingOf({ policyId }: Decision, candidates: readonly Candidate[]): Candidate | undefined {
  if (policyId === undefined) return undefined;
  return candidates.find(({ policy_id, outcome }) => policy_id === policyId && outcome === 'applies');
}
