import type { DecisionRequest } from '../decision/api/request.js';
import { compileEngine } from '../decision/compile-engine.js';
import type { CompiledEngine } from '../decision/compiled-engine.js';
import type { Inspection } from '../decision/evaluate/inspection.js';
import { computeImpact } from '../impact/compute-impact.js';
import { ProblemError } from '../problem.js';
import { address, path } from '../records/address.js';
import { type DeclaredRecord, declare } from '../records/registry.js';
import { finished } from '../time-slicing.js';
import { guardProposals } from './guard-proposals.js';
import { LinkIndex } from './link-proposals.js';
import { keyOf, type Proposal, type ProposedChange, type Records } from './proposal.js';

/** A proposal that the engine confirms, and what else it would grant. */
export interface VerifiedProposal extends Proposal {
  /** The recorded triples of subject, action and resource that it allows, for some requests at least, besides the one asked. */
  grants: number;
  /** Whether that number is exact, and not an upper bound. */
  exact: boolean;
  /** The findings of its access delta, unrecorded subjects and resources included. */
  findings: number;
}

export interface WhyNot {
  allowed: boolean;
  /** Why the request is denied, or allowed. */
  reason: string;
  /** What grants least besides comes first. */
  proposals: VerifiedProposal[];
}

/** Proposals whose access delta is computed. */
const WEIGHED_MAX = 12;
/** Two changes are tried together only where one does not do, and no more pairs than these. */
const PAIRS_MAX = 4000;

/** The smallest changes that would allow a request. `now` is milliseconds since the epoch. */
export function whyNot(
  declared: Iterable<DeclaredRecord & { id?: string }>,
  request: DecisionRequest,
  now: number,
): WhyNot {
  const records = new Map([...declared].map((record) => [record.address, record]));
  const engine = compileEngine([...records.values()].map(engineRecord));
  const { decision, reason } = answerOf(engine, request, now);
  if (decision) return { allowed: true, reason, proposals: [] };

  const base = missingSubject(records, request);
  const allows = (changes: readonly ProposedChange[]) => {
    const made = [...base, ...changes].map(({ before, after }) => ({
      before: before && engineRecord(before),
      after: after && engineRecord(after),
    }));
    engine.apply(made);
    try {
      return answerOf(engine, request, now).decision;
    } finally {
      engine.apply(made.map(({ before, after }) => ({ before: after, after: before })));
    }
  };
  const proposals = new Map<string, Proposal>();
  for (const proposal of proposalsFor(engine, records, request, now)) proposals.set(keyOf(proposal), proposal);
  const all = [...proposals.values()];
  let confirmed = all.filter(({ changes }) => allows(changes));
  if (confirmed.length === 0) confirmed = pairsOf(all).filter(({ changes }) => allows(changes));
  const weighed = confirmed.slice(0, WEIGHED_MAX).map((proposal) => weigh(records, withBase(base, proposal), now));
  weighed.sort((left, right) => left.grants - right.grants || left.findings - right.findings);
  return { allowed: false, reason, proposals: weighed };
}

/** Everything that may help, by what the records say; much of it may not. */
function* proposalsFor(
  engine: CompiledEngine,
  records: Records,
  request: DecisionRequest,
  now: number,
): Generator<Proposal> {
  const links = new LinkIndex(records);
  const subject = path(request.subject.type, request.subject.id);
  const inspection = engine.inspect(request, now);
  const { resource: found } = inspection;
  const resource = found === undefined ? undefined : records.get(found);
  const holders = {
    subject: records.get(address('subject', subject)) as DeclaredRecord<'subject'> | undefined,
    resource: resource as DeclaredRecord<'resource'> | undefined,
  };
  for (const { policy, effect, outcome, through, place } of explained(engine, request, now)) {
    if (effect === 'DENY' && outcome !== 'does_not_apply') yield* links.onTheWay(through, policy, place);
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

function withBase(base: readonly ProposedChange[], proposal: Proposal): Proposal {
  return base.length === 0 ? proposal : { ...proposal, changes: [...base, ...proposal.changes] };
}

/** Two proposals at once, unless they change the same record. */
function pairsOf(all: readonly Proposal[]): Proposal[] {
  const pairs: Proposal[] = [];
  for (const [index, one] of all.entries()) {
    for (const other of all.slice(index + 1)) {
      if (pairs.length === PAIRS_MAX) return pairs;
      const touched = new Set(one.changes.map(({ before, after }) => (before ?? after)?.address));
      if (other.changes.some(({ before, after }) => touched.has((before ?? after)?.address))) continue;
      pairs.push({ summary: `${one.summary}, and ${other.summary}`, changes: [...one.changes, ...other.changes] });
    }
  }
  return pairs;
}

function weigh(records: Records, proposal: Proposal, now: number): VerifiedProposal {
  const after = new Map(records);
  for (const { before } of proposal.changes) if (before !== undefined) after.delete(before.address);
  for (const { after: made } of proposal.changes) if (made !== undefined) after.set(made.address, made);
  const { delta } = finished(computeImpact({ records: records.values() }, { records: after.values() }, { now }));
  const { gained, mixed, unknown } = delta.counts;
  const findings = delta.findings.length;
  return { ...proposal, grants: Math.max(0, gained + mixed + unknown - 1), exact: delta.exact, findings };
}

function engineRecord(record: DeclaredRecord & { id?: string }) {
  return { ...record, id: record.id ?? record.address };
}
