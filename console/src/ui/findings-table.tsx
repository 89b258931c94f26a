import { type ReactNode, useId } from 'react';
import { useSubjectName } from '../api/subject-name.js';
import { findings as text } from '../text/findings.js';
import { Badge } from './badge.js';
import { Breakable } from './breakable.js';
import { Condition } from './condition.js';
import { DataTable } from './data-table.js';
import styles from './findings-table.module.css';
import layout from './layout.module.css';
import { PersonLink } from './person-link.js';
import { RecordLink } from './record-link.js';
import { actionsText, type NamedResources, resourceLines } from './resource-lines.js';
import { When } from './when.js';

/** The part of an access delta that is shown; `docs/impact.md` has all of it. */
export interface ShownDelta {
  counts: Record<'gained' | 'lost' | 'mixed' | 'unknown', number>;
  exact: boolean;
  complete?: false;
  findings: readonly ShownFinding[];
}

interface ShownFinding {
  id: string;
  change: keyof typeof text.effects;
  subjects: {
    principals: { principal: string; subjects: number; of: number }[];
    unrecorded: string[];
    named_role?: string;
    named_types?: string[];
    named_types_except?: string[];
  };
  actions: string[];
  actions_except?: string[];
  resources: NamedResources[];
  condition: string | null;
  condition_before?: string;
  from: string | null;
  until: string | null;
  causes: { address: string; change: string }[][];
}

export const TONES = {
  gained: 'good',
  widened: 'good',
  lost: 'bad',
  narrowed: 'bad',
  changed: 'warn',
  unknown: 'warn',
} as const;

interface Props {
  /** Without counts where it is about one scope. */
  delta: Pick<ShownDelta, 'findings'> & Partial<ShownDelta>;
  /** How many findings there are, where fewer are at hand. */
  all?: number;
}

/** Who gains and who loses access, why and under what condition: the worst first. */
export function FindingsTable({ delta: { counts, exact = true, complete, findings }, all = findings.length }: Props) {
  const id = useId();
  const summary = counts === undefined ? '' : text.counts(counts, exact);
  return (
    <section className={styles.findings} aria-labelledby={id}>
      <h2 id={id}>{text.access}</h2>
      {summary !== '' && findings.length > 0 && <p title={text.countsHint}>{summary}</p>}
      {complete === false && <p className={layout.hint}>{text.incomplete}</p>}
      {findings.length === 0 && <p className={layout.hint}>{text.none}</p>}
      {findings.length > 0 && (
        <DataTable<ShownFinding>
          label={text.access}
          rows={findings}
          keyOf={(finding) => finding.id}
          columns={[
            { title: text.who, cell: who },
            { title: text.effect, cell: ({ change }) => <Badge tone={TONES[change]}>{text.effects[change]}</Badge> },
            { title: text.action, cell: ({ actions, actions_except }) => actionsText(actions, actions_except) },
            { title: text.onWhat, cell: onWhat },
            ...(findings.some(isLimited) ? [{ title: text.condition, cell: limitsOf }] : []),
            { title: text.because, cell: because, lesser: true },
          ]}
        />
      )}
      {all > findings.length && <p className={layout.hint}>{text.more(findings.length, all)}</p>}
    </section>
  );
}

function isLimited({ condition, condition_before, from, until }: ShownFinding): boolean {
  return condition !== null || condition_before !== undefined || from !== null || until !== null;
}

function who({ subjects: { principals, unrecorded, named_role, ...of } }: ShownFinding): ReactNode {
  const persons = principals.filter(({ principal }) => principal.startsWith(SUBJECT));
  const others = principals.filter(({ principal }) => !principal.startsWith(SUBJECT));
  const lines = [
    ...others.map(({ principal, subjects, of }) => text.members(principal, subjects, of)),
    ...unrecorded.map(text.unrecorded),
    ...(named_role && principals.length > 0 ? [text.namedForThem(named_role)] : []),
    ...(named_role && principals.length === 0
      ? [text.namedRole(named_role, of.named_types, of.named_types_except)]
      : []),
  ];
  return (
    <>
      {persons.map(({ principal }) => (
        <Person key={principal} path={principal.slice(SUBJECT.length)} />
      ))}
      {lines.length > 0 && <Lines lines={lines} />}
    </>
  );
}

const SUBJECT = 'subject/';

/** A subject by its name, with its path below. */
function Person({ path }: { path: string }) {
  const name = useSubjectName(path);
  return (
    <div className={styles.names}>
      <PersonLink subject={path}>{name}</PersonLink>
      {name !== undefined && (
        <p className={styles.minor}>
          <Breakable text={path} />
        </p>
      )}
    </div>
  );
}

function onWhat({ resources }: ShownFinding): ReactNode {
  return <Lines lines={resources.flatMap(resourceLines)} />;
}

/** How a condition that stays is told from one that goes. */
export function stays({ change }: Pick<ShownFinding, 'change'>): boolean {
  return change === 'lost' || change === 'narrowed';
}

function limitsOf({ change, condition, condition_before, from, until }: ShownFinding): ReactNode {
  return (
    <>
      {condition === null && condition_before !== undefined && change !== 'lost' && <p>{text.inAnyCase}</p>}
      {condition !== null && (
        <div className={styles.condition}>
          {stays({ change }) && <strong>{text.stillOnly} </strong>}
          <Condition text={condition} />
        </div>
      )}
      {condition_before !== undefined && (
        <p className={styles.minor}>
          {text.conditionWas} <Condition text={condition_before} />
        </p>
      )}
      {from !== null && (
        <p>
          {text.from} <When at={from} />
        </p>
      )}
      {until !== null && (
        <p>
          {text.until} <When at={until} />
        </p>
      )}
    </>
  );
}

/** Matches records that are there only so that something else may mention them. */
const DEFINITIONS = /^(application|resource_type|group|role|subject|resource)\//;
const CAUSES_SHOWN = 5;

/** The first of the alternative sets of changes that bring the finding, without the definitions that the rest needs. */
export function tellingCauses({ causes: [first = []] }: Pick<ShownFinding, 'causes'>): ShownFinding['causes'][number] {
  const links = first.filter(({ address, change }) => change !== 'added' || !DEFINITIONS.test(address));
  return links.length > 0 ? links : first;
}

function because(finding: ShownFinding): ReactNode {
  const told = tellingCauses(finding);
  return (
    <ul className={styles.causes}>
      {told.slice(0, CAUSES_SHOWN).map(({ address, change }) => (
        <li key={address}>
          {change === 'removed' ? address : <RecordLink address={address}>{address}</RecordLink>}{' '}
          <span className={styles.minor}>{text.causes[change] ?? change}</span>
        </li>
      ))}
      {told.length > CAUSES_SHOWN && <li className={styles.minor}>{text.andMore(told.length - CAUSES_SHOWN)}</li>}
    </ul>
  );
}

function Lines({ lines }: { lines: readonly string[] }) {
  return (
    <ul className={styles.names}>
      {lines.map((line) => (
        <li key={line}>
          <Breakable text={line} />
        </li>
      ))}
    </ul>
  );
}
