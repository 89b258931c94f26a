import type { AllowingProposal } from '@authz-service/sdk/console-client';
import type { Change } from '@authz-service/sdk/wire';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.js';
import { CONSOLE_STACK, saveDraft, useDraft } from '../../api/draft.js';
import { changedOtherwise, titleOfChange, withChange } from '../../api/drafted-changes.js';
import { useMay } from '../../api/session.js';
import { text } from '../../text/english.js';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { CodeBlock } from '../../ui/code-block.js';
import layout from '../../ui/layout.module.css';
import { ProblemNote } from '../../ui/problem-note.js';
import { RecordLink } from '../../ui/record-link.js';
import { TimedText } from '../../ui/timed-text.js';
import { type QuestionFields, questionOf } from './question.js';
import styles from './why-not.module.css';

/** The smallest changes that would allow it, for the draft; and the command that writes one beside the records in Git. */
export function WhyNot({ asked, revision }: { asked: QuestionFields; revision: string | undefined }) {
  const { subject, action, resource } = asked;
  const mayRead = useMay('records:read', 'records:write');
  const [subjectText = '', resourceText = ''] = [subject, resource].map((path) => path.replaceAll(':', '%3A'));
  return (
    <section aria-labelledby="why-not" className={styles.section}>
      <h2 id="why-not">{text.ask.whyNot}</h2>
      {mayRead && revision !== undefined && <Proposals asked={asked} revision={revision} />}
      <p className={layout.hint}>{text.ask.whyNotHint}</p>
      <CodeBlock
        label={text.ask.whyNotCommand}
        code={`servicectl why-not ${[subjectText, action, resourceText].map(quoted).join(' ')}`}
      />
    </section>
  );
}

/** Found only when somebody wants them: with many records it takes the service seconds. */
function Proposals({ asked, revision }: { asked: QuestionFields; revision: string }) {
  const [wanted, setWanted] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: ['why-not', asked, revision],
    queryFn: ({ signal }) => client.whyNot(revision, questionOf(asked), { signal, timeoutMs: TIMEOUT_MS }),
    enabled: wanted,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (!wanted)
    return (
      <div>
        <Button onPress={() => setWanted(true)}>{text.ask.findProposals}</Button>
      </div>
    );
  if (error) return <ProblemNote error={error} retry={() => refetch()} />;
  if (data === undefined) return <p role="status">{text.ask.findingProposals}</p>;
  if (data.allowed) return <p>{text.ask.allowedNow(data.reason)}</p>;
  return (
    <>
      <p>{data.proposals.length === 0 ? text.ask.noProposals : text.ask.proposals}</p>
      <ol className={styles.proposals} aria-label={text.ask.whyNot}>
        {data.proposals.map((proposal) => (
          <Proposal key={JSON.stringify(proposal.changes)} proposal={proposal} revision={revision} />
        ))}
      </ol>
      {data.not_weighed > 0 && <p className={layout.hint}>{text.ask.notWeighed(data.not_weighed)}</p>}
    </>
  );
}

/** The service itself gives up after a minute, and others may be served before. */
const TIMEOUT_MS = 120_000;

function Proposal({ proposal, revision }: { proposal: AllowingProposal; revision: string }) {
  const { summary, changes, breaks, stack = CONSOLE_STACK, parts } = proposal;
  return (
    <li className={styles.proposal}>
      <p className={styles.summary}>
        <TimedText text={summary} />
      </p>
      <p className={layout.hint}>{text.ask.besides(proposal)}</p>
      {breaks.map(({ rule, mode, detail }) => (
        <p key={rule}>
          <Badge tone={mode === 'enforce' ? 'bad' : 'warn'}>{text.ask.breaks[mode]}</Badge>{' '}
          <RecordLink address={rule} /> <TimedText text={detail} />
        </p>
      ))}
      <ul className={styles.changes}>
        {changes.map((change) => (
          <li key={JSON.stringify(change)}>
            <Badge>{text.change.op[change.op]}</Badge> <code>{titleOfChange(change)}</code>
          </li>
        ))}
      </ul>
      {parts === undefined ? (
        <AddToDraft label={text.ask.addToDraft} what={summary} {...{ stack, changes, revision }} />
      ) : (
        <>
          <p>{text.ask.severalStacks(parts.map((part) => part.stack))}</p>
          {parts.map((part) => (
            <AddToDraft
              key={part.stack}
              label={text.ask.addPart(part.stack)}
              what={summary}
              {...{ ...part, revision }}
            />
          ))}
        </>
      )}
    </li>
  );
}

interface Addition {
  label: string;
  what: string;
  stack: string;
  changes: readonly Change[];
  revision: string;
}

/** Takes changes of one stack into the draft, unless that is for another stack. */
function AddToDraft({ label, what, stack, changes, revision }: Addition) {
  const draft = useDraft();
  const drafted = new Set(draft.changes.map((change) => JSON.stringify(change)));
  if (changes.every((change) => drafted.has(JSON.stringify(change)))) return <p role="status">{text.ask.inDraft}</p>;
  if (draft.changes.length > 0 && draft.stack !== stack)
    return <p className={layout.hint}>{text.ask.otherDraft(draft.stack, stack)}</p>;
  const [other] = changedOtherwise(draft, changes);
  if (other !== undefined) return <p className={layout.hint}>{text.ask.otherChange(other)}</p>;
  const begun = { ...draft, stack };
  return (
    <div>
      <Button
        aria-label={`${label}: ${what}`}
        onPress={() => saveDraft(changes.reduce((all, change) => withChange(all, change, revision), begun))}
      >
        {label}
      </Button>
    </div>
  );
}

/** A word as a shell takes it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
