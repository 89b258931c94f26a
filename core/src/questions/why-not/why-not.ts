import type { ExplainedCandidate } from '../../access/api/decision.js';
import { compileEngine } from '../../access/engine/compile-engine.js';
import type { CompiledEngine } from '../../access/engine/compiled-engine.js';
import type { Inspection } from '../../access/evaluate/inspection.js';
import { includedIn } from '../../access/graph/included-roles.js';
import { isSuspended } from '../../access/graph/suspension.js';
import { ProblemError } from '../../problem.js';
import { address, path } from '../../records/address.js';
import { type DeclaredRecord, declare } from '../../records/registry.js';
import type { DecisionRequest } from '../../request.js';
import { guardProposals } from './guard-proposals.js';
import { LinkIndex } from './link-proposals.js';
import { type AskedOtherwise, askedOtherwise, remainingConditions } from './other-requests.js';
import { BREADTHS, keyOf, type Proposal, type ProposedChange, type Records } from './proposal.js';
import { engineRecord, ProposedStates, type Weight } from './proposed-state.js';

/** A proposal that the engine confirms, and what else it would do. */
export type VerifiedProposal = Proposal & Weight;

export interface WhyNot {
  allowed: boolean;
  /** Why the request is denied, or allowed. */
  reason: string;
  /** The candidates, and what came of their clauses; none where the answer is open. */
  candidates: ExplainedCandidate[];
  /** Requests that would be allowed with the records as they are. */
  ask: AskedOtherwise;
  /**
   * Proposals: what grants least besides comes first; then what takes away a protection; and what an access rule would
   * refuse last.
   */
  proposals: VerifiedProposal[];
  /** How many others allow the request, too, whose access delta was not computed. */
  not_weighed: number;
}

export interface WhyNotOptions {
  /** Milliseconds since the epoch. */
  now: number;
  /** How many proposals to weigh; by default as many as fit into a bounded work. */
  weigh?: number | undefined;
}

/**
 * The work of all access deltas together, in records looked at: each looks at all of the tenant, at what each role includes,
 * and besides at as much as these many records would be. It takes one to three seconds; a few are weighed however large the
 * tenant.
 */
const WORK_MAX = 1_500_000;
const WORK_EACH = 2_500;
const WEIGHED_MIN = 4;
/** Two changes are tried together only where one does not do, and no more pairs than these. */
const PAIRS_MAX = 4000;
/** The most changes that are tried with other requests. */
const ASKED_MAX = 100;

/** The smallest changes that would allow a request: each is confirmed by the engine on the changed tenant. */
export function whyNot(
  declared: Iterable<DeclaredRecord & { id?: string }>,
  request: DecisionRequest,
  { now, weigh }: WhyNotOptions,
): WhyNot {
  const records = new Map([...declared].map((record) => [record.address, record]));
  const engine = compileEngine([...records.values()].map(engineRecord));
  const { decision, reason } = answerOf(engine, request, now);
  const candidates = explained(engine, request, now);
  if (decision) return { allowed: true, reason, candidates, ask: { requests: [] }, proposals: [], not_weighed: 0 };
  const remaining = remainingConditions(engine, records);
  const askOtherwise = () => askedOtherwise(remaining, request, now, (other) => answerOf(engine, other, now).decision);
  const ask = askOtherwise();

  const suspended = suspendedSubject(engine, records, request, now);
  const base = suspended === undefined ? missingSubject(records, request) : [reinstated(suspended)];
  const after = <T>(changes: readonly ProposedChange[], answer: () => T): T => {
    const made = [...base, ...changes].map(({ before, after }) => ({
      before: before && engineRecord(before),
      after: after && engineRecord(after),
    }));
    engine.apply(made);
    try {
      return answer();
    } finally {
      engine.apply(made.map(({ before, after }) => ({ before: after, after: before })));
    }
  };
  const allows = (changes: readonly ProposedChange[]) => after(changes, () => answerOf(engine, request, now).decision);
  const proposals = new Map<string, Proposal>();
  const propose = () => {
    for (const proposal of proposalsFor(engine, records, request, now, suspended !== undefined))
      proposals.set(keyOf(proposal), proposal);
  };
  // While a subject is suspended, no other change is enough, and perhaps none is needed.
  if (suspended !== undefined && allows([])) proposals.set('', { summary: '', changes: [], breadth: 'link' });
  else after([], propose);
  const all = [...proposals.values()];
  let confirmed = all.filter(({ changes }) => allows(changes));
  // Before a protection goes, what needs a change and another request, where neither does alone.
  if (ask.requests.length === 0 && confirmed.every(protection)) {
    const links = all.filter((one) => !protection(one)).slice(0, ASKED_MAX);
    const asked = links.flatMap((proposal): Proposal[] => {
      const [first] = after(proposal.changes, askOtherwise).requests;
      return first === undefined
        ? []
        : [{ ...proposal, summary: `${proposal.summary}, and ${first.summary}`, then_ask: first }];
    });
    confirmed = [...asked, ...confirmed];
  }
  if (confirmed.length === 0) confirmed = pairsOf(all).filter(({ changes }) => allows(changes));
  confirmed.sort(
    (left, right) =>
      protection(left) - protection(right) || BREADTHS.indexOf(left.breadth) - BREADTHS.indexOf(right.breadth),
  );
  const most = weigh ?? Math.max(WEIGHED_MIN, Math.floor(WORK_MAX / (workOf(records, engine) + WORK_EACH)));
  const states = new ProposedStates(engine, records, request, now);
  const weighed = confirmed.slice(0, most).flatMap((proposal): VerifiedProposal[] => {
    const whole = withBase(base, suspended, proposal);
    const weight = states.weigh(whole);
    return weight === undefined ? [] : [{ ...whole, ...weight }];
  });
  weighed.sort(
    (left, right) =>
      Number(isRefused(left)) - Number(isRefused(right)) ||
      protection(left) - protection(right) ||
      left.grants - right.grants ||
      left.findings - right.findings,
  );
  const notWeighed = Math.max(0, confirmed.length - most);
  return { allowed: false, reason, candidates, ask, proposals: weighed, not_weighed: notWeighed };
}

/** The records that an access delta looks at: it follows each role that requests may name. */
function workOf(records: Records, engine: CompiledEngine): number {
  let work = records.size;
  for (const role of engine.roles.values()) work += includedIn(role).length;
  return work;
}

function protection({ removes_protection }: Proposal): number {
  return Number(removes_protection === true);
}

/** Whether an access rule would refuse to commit a proposal. */
export function isRefused({ breaks }: Pick<Weight, 'breaks'>): boolean {
  return breaks.some(({ mode }) => mode === 'enforce');
}

/** Everything that may help, by what the records say; much of it may not. */
function* proposalsFor(
  engine: CompiledEngine,
  records: Records,
  request: DecisionRequest,
  now: number,
  suspended: boolean,
): Generator<Proposal> {
  const links = new LinkIndex(records);
  const subject = path(request.subject.type, request.subject.id);
  const inspection = engine.inspect(request, now);
  const { resource: found } = inspection;
  const resource = found === undefined ? undefined : records.get(found);
  const holders = {
    // The record of a suspended subject is changed already.
    subject: suspended ? undefined : (records.get(address('subject', subject)) as DeclaredRecord<'subject'>),
    resource: resource as DeclaredRecord<'resource'> | undefined,
    scope: () => inspection.scope(),
  };
  for (const { policy, effect, outcome, through, place } of explained(engine, request, now)) {
    if (effect !== 'DENY' || outcome === 'does_not_apply') continue;
    yield* links.onTheWay(through, policy, place);
    yield* links.removal(policy);
  }
  const where = found?.slice('resource/'.length);
  for (const record of records.values()) {
    if (
      record.kind !== 'policy' ||
      record.fields.effect !== 'ALLOW' ||
      !mayCover(record, inspection, request.action.name)
    )
      continue;
    yield* guardProposals(record, holders);
    yield* links.towards(record.address, subject, where);
    yield links.assignment(record.address, subject);
  }
}

/** Whether a policy covers action and resource, as far as its own fields say. */
function mayCover(
  { fields }: DeclaredRecord<'policy'>,
  { type, resource, ancestors }: Inspection,
  asked: string,
): boolean {
  const covers = (actions: readonly string[] | undefined) =>
    actions?.some((action) => action === '*' || action === asked) ?? false;
  if (fields.resources !== undefined) {
    const places = [resource, ...ancestors].map((one) => one?.slice('resource/'.length));
    return fields.resources.some((one) => places.includes(one.resource) && covers(one.actions));
  }
  if (!covers(fields.actions) || type === undefined) return false;
  const types = fields.resource_types ?? [fields.resource_type];
  return types.includes(type) || (types.includes('*') && type.startsWith(`${fields.application}/`));
}

function wider(one: Proposal['breadth'], other: Proposal['breadth']): Proposal['breadth'] {
  return BREADTHS.indexOf(one) < BREADTHS.indexOf(other) ? other : one;
}

function explained(engine: CompiledEngine, request: DecisionRequest, now: number) {
  try {
    return engine.explain(request, now).candidates;
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'evaluation_failed') return [];
    throw error;
  }
}

/** Throws where the request itself is at fault. */
function answerOf(
  engine: CompiledEngine,
  request: DecisionRequest,
  now: number,
): { decision: boolean; reason: string } {
  try {
    const { decision, reason } = engine.decide(request, now);
    return { decision, reason };
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'evaluation_failed')
      return { decision: false, reason: error.detail };
    throw error;
  }
}

function missingSubject(records: Records, { subject }: DecisionRequest): ProposedChange[] {
  const after = declare('subject', { type: subject.type, id: subject.id });
  return records.has(after.address) ? [] : [{ after }];
}

/** The record of a request's subject, if that is suspended. */
function suspendedSubject(
  engine: CompiledEngine,
  records: Records,
  { subject: { type, id } }: DecisionRequest,
  now: number,
): DeclaredRecord<'subject'> | undefined {
  const subject = engine.subjects.get(type)?.get(id);
  return subject !== undefined && isSuspended(subject, now)
    ? (records.get(subject.address) as DeclaredRecord<'subject'>)
    : undefined;
}

function reinstated(before: DeclaredRecord<'subject'>): ProposedChange {
  const { suspended: _, suspended_until: __, suspension_reason: ___, ...fields } = before.fields;
  return { before, after: { ...before, fields } };
}

function withBase(
  base: readonly ProposedChange[],
  suspended: DeclaredRecord<'subject'> | undefined,
  proposal: Proposal,
): Proposal {
  if (base.length === 0) return proposal;
  const changes = [...base, ...proposal.changes];
  if (suspended === undefined) return { ...proposal, changes };
  const also = proposal.changes.length === 0 ? '' : `, and ${proposal.summary}`;
  return { ...proposal, changes, summary: `reinstate ${suspended.address}${also}`, removes_protection: true };
}

/** Two proposals at once, unless they change the same record. */
function pairsOf(all: readonly Proposal[]): Proposal[] {
  const pairs: Proposal[] = [];
  for (const [index, one] of all.entries()) {
    for (const other of all.slice(index + 1)) {
      if (pairs.length === PAIRS_MAX) return pairs;
      const touched = new Set(one.changes.map(({ before, after }) => (before ?? after)?.address));
      if (other.changes.some(({ before, after }) => touched.has((before ?? after)?.address))) continue;
      const breadth = wider(one.breadth, other.breadth);
      const changes = [...one.changes, ...other.changes];
      const removes = one.removes_protection || other.removes_protection ? { removes_protection: true as const } : {};
      pairs.push({ summary: `${one.summary}, and ${other.summary}`, changes, breadth, ...removes });
    }
  }
  return pairs;
}
