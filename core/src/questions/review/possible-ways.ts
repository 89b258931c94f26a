import type { CompiledEngine } from '../../access/engine/compiled-engine.js';
import { rulesOf } from '../../access/grants/grants.js';
import { isCurrent, type LinkPeriod } from '../../access/grants/period.js';
import type { Rule } from '../../access/grants/rule.js';
import { Below, type Resource, ResourceType } from '../../access/grants/target.js';
import { itemsOf } from '../../access/graph/few-or-many.js';
import { heldRoles } from '../../access/graph/held-roles.js';
import type { Principal } from '../../access/graph/principal.js';
import { type Address, encodeSegment, names, type Path, splitReference } from '../../records/address.js';
import type { FoundRow } from './review-rows.js';
import type { GrantPath } from './reviewed-access.js';

/** The most ways to one principal that are listed. */
const THROUGHS_MAX = 10;

/** Somebody who is reached from whom a row is about, first from `by` and then from the others. */
interface Step {
  readonly principal: Principal;
  /** The place where the role is held that led here. */
  readonly place: Path | undefined;
  readonly by: Step | undefined;
  readonly others: Step[];
}

/** Everything that a row of a review may be due to: links and policies as they stand, whatever conditions say. */
export class PossibleWays {
  constructor(
    private readonly engine: CompiledEngine,
    private readonly now: number,
    /** Whether subjects with a record have everything by themselves, also what they come to by groups and roles. */
    readonly together: boolean,
  ) {}

  /**
   * One way for each policy that covers an action of the row, each principal that has it, and each place; of one subject, all
   * ways to that principal.
   */
  of(row: FoundRow): GrantPath[] {
    return this.#reached(row).flatMap(({ step, policies }) => {
      const { place } = step;
      const throughs = this.together ? firstThroughs(step) : [throughOf(step)];
      return policies.flatMap((policy) =>
        throughs.map((through) => ({ through, policy, ...(place !== undefined && { place }) })),
      );
    });
  }

  /** The names of all that lies on any way: groups, roles, policies, and the resources on which roles are held. */
  textsOf(row: FoundRow): ReadonlySet<string> {
    const texts = new Set<string>();
    const reached = this.#reached(row);
    const before = new Set(reached.map(({ step }) => step));
    for (const { policies } of reached) for (const policy of policies) texts.add(policy);
    for (const step of before) {
      texts.add(step.principal.address);
      if (step.place !== undefined) texts.add(step.place);
      for (const one of [step.by ?? [], step.others].flat()) before.add(one);
    }
    return texts;
  }

  /** Those who have policies that cover an action of the row. */
  #reached(row: FoundRow) {
    const own = this.#own(row);
    if (this.together) {
      const at = row.from === null ? this.now : Date.parse(row.from);
      return policiesFrom(own, row, (period) => isCurrent(period, at), true);
    }
    const isOpen = (period: LinkPeriod) => !isOver(period, this.now);
    const reached = policiesFrom(own, row, isOpen, row.subject.kind !== 'recorded');
    // A subject may have by itself what only its groups and roles together come to.
    return reached.length > 0 ? reached : policiesFrom(own, row, isOpen, true);
  }

  #own({ subject }: FoundRow): readonly Principal[] {
    const { everyone, groups, roles, subjects } = this.engine;
    const found = (): Principal | null | undefined => {
      if (subject.kind === 'unrecorded') return everyone.memberOf(subject.type);
      if (subject.kind === 'named_role') return roles.get(subject.role);
      if (subject.kind === 'recorded') {
        const [type = '', id = ''] = names(subject.path);
        return subjects.get(type)?.get(id);
      }
      const { kind, path } = splitReference(subject.of);
      if (kind === 'group') return groups.get(path);
      if (kind === 'role') return roles.get(path);
      return [...everyone.principals()].find(({ address }) => address === subject.of);
    };
    return [found() ?? []].flat();
  }
}

function policiesFrom(
  start: readonly Principal[],
  row: FoundRow,
  counts: (period: LinkPeriod) => boolean,
  linked: boolean,
) {
  const steps = new Map<string, Step>();
  const enter = (principal: Principal, place: Path | undefined, by?: Step) => {
    const key = `${principal.address} ${place}`;
    const known = steps.get(key);
    if (known === undefined) steps.set(key, { principal, place, by, others: [] });
    else if (by !== undefined) known.others.push(by);
  };
  for (const principal of start) enter(principal, undefined);
  for (const step of steps.values()) {
    const { groups, roles, held } = step.principal;
    for (const { to, period } of linked ? [...(groups ?? []), ...(roles ?? [])] : [])
      if (counts(period)) enter(to, step.place, step);
    for (const [role, places] of heldRoles(held))
      for (const place of itemsOf<Resource>(places)) enter(role, pathOf(place), step);
    // What the role includes is held with it.
    if (!linked && step.place !== undefined)
      for (const { to } of step.principal.roles ?? []) enter(to, step.place, step);
  }
  return [...steps.values()].flatMap((step) => {
    const { grants } = step.principal;
    const due = grants === null ? [] : [...rulesOf(grants)].filter((rule) => mayAllow(rule, row, counts));
    const policies = [...new Set(due.map(({ policy }) => policy.address))];
    return policies.length > 0 ? [{ step, policies }] : [];
  });
}

function mayAllow(
  { policy, target, actions, period }: Rule,
  row: FoundRow,
  counts: (period: LinkPeriod) => boolean,
): boolean {
  if (policy.deny || !counts(period)) return false;
  const type = row.resources[0]?.type;
  const isOfType =
    target instanceof ResourceType ? target.path === type : target instanceof Below || target.type.path === type;
  if (!isOfType) return false;
  if (!row.actions.includes('*')) return row.actions.some((action) => actions.covers(action));
  return actions.all || actions.names.some((action) => row.actions_except?.includes(action) !== true);
}

function firstThroughs(step: Step): Address[][] {
  const found: Address[][] = [];
  for (const through of throughsOf(step)) if (found.push(through) === THROUGHS_MAX) break;
  return found;
}

/** The groups and roles up to here by each way. Groups and included roles have no cycles. */
function* throughsOf(step: Step): Generator<Address[]> {
  const { principal, by, others } = step;
  const own = principal.kind === 'subject' || principal.address === '' ? [] : [principal.address];
  if (by === undefined) yield own;
  else for (const before of [by, ...others]) for (const through of throughsOf(before)) yield [...through, ...own];
}

/** The groups and roles up to here; none of a subject itself. */
function throughOf(step: Step): Address[] {
  const through: Address[] = [];
  for (let at: Step | undefined = step; at !== undefined; at = at.by)
    if (at.principal.kind !== 'subject' && at.principal.address !== '') through.unshift(at.principal.address);
  return through;
}

function isOver(period: LinkPeriod, now: number): boolean {
  return period !== null && period.end <= now;
}

function pathOf({ type, name }: Resource): Path {
  return `${type.path}/${encodeSegment(name)}`;
}
