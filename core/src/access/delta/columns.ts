import { type GuardReads, readsOf } from '../../conditions/residual/reads.js';
import type { PolicyGuard } from '../../conditions/residual/residuals.js';
import { canonicalJson } from '../../json/json.js';
import type { Address } from '../../records/address.js';
import type { CompiledEngine } from '../engine/compiled-engine.js';
import { type Grants, rulesOf, visitRules } from '../grants/grants.js';
import type { LazyGuard } from '../grants/lazy-guard.js';
import { ALWAYS, inBoth, type LinkPeriod, type Period } from '../grants/period.js';
import type { Rule } from '../grants/rule.js';
import { Below, type Resource, type Target } from '../grants/target.js';
import { itemsOf } from '../graph/few-or-many.js';
import { heldRoles } from '../graph/held-roles.js';
import { hierarchyNodeOf } from '../graph/hierarchy-node.js';
import { holdingOf, holdings } from '../graph/holders.js';
import { includedIn } from '../graph/included-roles.js';
import type { Principal } from '../graph/principal.js';
import { Interner } from '../universe/interner.js';
import type { PrincipalIds } from '../universe/principal-ids.js';
import { type LocatedUnit, locate, type ResourceUnit } from '../universe/resource-places.js';
import type { GrantedRules } from './granted-rules.js';
import { type GuardedFacts, resourceFacts } from './resource-facts.js';

/** A policy's guard, the same object wherever policies require the same. */
export interface KnownGuard {
  readonly guard: PolicyGuard;
  readonly reads: GuardReads;
}

/** A way in which somebody's request may be decided: what a policy does, when, and what it requires of the resource. */
export interface Descriptor {
  readonly deny: boolean;
  readonly priority: number;
  readonly guard: KnownGuard | null;
  readonly period: LinkPeriod;
  readonly facts: GuardedFacts | null;
  /** The way is unknown (docs/semantics.md 8.6). */
  readonly unknown: boolean;
  /** Only told where there are unknown ways. */
  readonly policy: Address | null;
}

/** Who has which candidates for some resources and an action, in one state: descriptors by principal, as numbers. */
export interface Column {
  readonly id: number;
  readonly byPrincipal: ReadonlyMap<number, readonly number[]>;
  /** The principals that guards ask about. */
  readonly asked: ReadonlySet<number>;
}

type Entry = readonly [principal: number, descriptor: number];

/** Those who are granted something on a target, whatever the resource in question. */
interface PartTemplate {
  readonly entries: readonly { principal: number; rule: Rule; period: LinkPeriod }[];
  readonly guards: readonly KnownGuard[];
  /** The parts by type, if no guard reads the resource. */
  readonly filled: Map<string, number> | null;
}

/** The place where a policy comes to be a candidate. */
interface DescribedIn {
  readonly engine: CompiledEngine;
  readonly unknown: boolean;
  readonly id: string | undefined;
  readonly action: string;
  /** Those who hold roles on resources. */
  readonly holders: readonly Principal[];
}

const NEVER = 'never';

/** Tables that all columns of both states share: numbers for descriptors, parts of columns, and columns. */
export class ColumnTables {
  readonly descriptors = new Interner<Descriptor>();
  readonly #guards = new Map<string, KnownGuard & { id: number }>();
  readonly #byObject = new Map<LazyGuard, KnownGuard & { id: number }>();
  readonly #facts = new Interner<GuardedFacts>();
  readonly #parts = new Interner<readonly Entry[]>();
  readonly #columns = new Interner<Column>();

  constructor(
    readonly principals: PrincipalIds,
    readonly now: number,
  ) {}

  guard(lazy: LazyGuard): KnownGuard & { id: number } {
    const known = this.#byObject.get(lazy);
    if (known !== undefined) return known;
    const { condition, modifiers, unless } = lazy;
    const key = canonicalJson([condition ?? null, modifiers ?? null, unless ?? null] as never);
    let found = this.#guards.get(key);
    if (found === undefined) {
      const guard = { condition, modifiers, unless };
      found = { id: this.#guards.size, guard, reads: readsOf(guard) };
      this.#guards.set(key, found);
    }
    this.#byObject.set(lazy, found);
    return found;
  }

  descriptor(rule: Rule, period: LinkPeriod, at: LocatedUnit, { engine, unknown, ...asked }: DescribedIn): number {
    const { policy } = rule;
    const guard = policy.guard === null ? null : this.guard(policy.guard);
    const told = at.where !== null && at.where.unknown !== null ? policy.address : null;
    const facts = guard === null ? null : this.#factsOf(guard, at, engine, asked);
    const key = `${policy.deny ? 'D' : 'A'}${policy.priority} ${guard?.id ?? ''} ${textOf(period)} ${facts?.id ?? ''} ${unknown} ${told ?? ''}`;
    return this.descriptors.of(key, () => ({
      deny: policy.deny,
      priority: policy.priority,
      guard,
      period,
      facts: facts?.facts ?? null,
      unknown,
      policy: told,
    }));
  }

  #factsOf(
    guard: KnownGuard,
    at: LocatedUnit,
    engine: CompiledEngine,
    asked: Pick<DescribedIn, 'id' | 'action' | 'holders'>,
  ) {
    const facts = resourceFacts(engine, at, guard.reads, this.principals, asked);
    const id = this.#facts.of(facts.key, () => facts);
    return { id, facts: this.#facts.at(id) };
  }

  part(entries: readonly Entry[]): number {
    const texts = entries.map(([principal, descriptor]) => `${principal}:${descriptor}`);
    const unique = [...new Set(texts)].sort();
    return this.#parts.of(unique.join(' '), () =>
      unique.map((text) => text.split(':').map(Number) as unknown as Entry),
    );
  }

  column(parts: readonly number[], asked: ReadonlySet<number>): Column {
    const ids = [...new Set(parts)].sort((left, right) => left - right);
    const key = `${ids.join(' ')}|${asked.size === 0 ? '' : [...asked].sort().join(' ')}`;
    const id = this.#columns.of(key, () => {
      const byPrincipal = new Map<number, number[]>();
      for (const part of ids)
        for (const [principal, descriptor] of this.#parts.at(part)) {
          const known = byPrincipal.get(principal);
          if (known === undefined) byPrincipal.set(principal, [descriptor]);
          else if (!known.includes(descriptor)) known.push(descriptor);
        }
      return { id: -1, byPrincipal, asked };
    });
    const column = this.#columns.at(id) as { id: number };
    column.id = id;
    return column as Column;
  }

  columnAt(id: number): Column {
    return this.#columns.at(id);
  }
}

function textOf(period: LinkPeriod): string {
  return period === null ? '' : `${period.start}~${period.end}`;
}

/** The columns of one state. It must stay in that state while this is asked. */
export class Columns {
  readonly #templates = new Map<Target, Map<string, PartTemplate>>();
  readonly #heldParts = new Map<Resource, Map<Target, Map<string, PartTemplate>>>();
  readonly #empty: Column;

  constructor(
    private readonly engine: CompiledEngine,
    private readonly granted: GrantedRules,
    private readonly tables: ColumnTables,
    private readonly idOf: (unit: ResourceUnit) => string | undefined,
  ) {
    this.#empty = tables.column([], new Set());
  }

  /** The columns of a unit for these actions, in their order. */
  of(unit: ResourceUnit, actions: readonly string[]): readonly Column[] {
    const at = locate(this.engine, unit);
    if (at === undefined) return actions.map(() => this.#empty);
    const targets: Target[] = [at.type];
    if (at.resource !== undefined && this.granted.on(at.resource).length > 0) targets.push(at.resource);
    if (at.where !== null) targets.push(...at.where.belows);
    const holding = at.where?.places.filter((place) => (hierarchyNodeOf(place)?.holders ?? null) !== null) ?? [];
    return actions.map((action) => this.#column(at, targets, holding, action));
  }

  #column(at: LocatedUnit, targets: readonly Target[], holding: readonly Resource[], action: string): Column {
    const parts: number[] = [];
    const asked = new Set<number>();
    const add = (template: PartTemplate) => {
      if (template.entries.length === 0) return;
      parts.push(this.#filled(template, at, action));
      for (const guard of template.guards) this.#ask(guard, at, asked);
    };
    for (const target of targets) add(this.#template(target, action));
    for (const place of holding) for (const target of targets) add(this.#heldTemplate(place, target, action));
    if (at.where !== null && at.where.unknown !== null) {
      const unknown = this.#unknownEntries(at, targets, action, asked);
      if (unknown.length > 0) parts.push(this.tables.part(unknown));
    }
    return parts.length === 0 ? this.#empty : this.tables.column(parts, asked);
  }

  /** Guards that ask for groups and roles tell subjects apart by these. */
  #ask({ reads }: KnownGuard, at: LocatedUnit, asked: Set<number>): void {
    const { principals } = this.tables;
    for (const path of reads.groups) {
      const group = this.engine.groups.get(path);
      if (group !== undefined) asked.add(principals.of(group));
    }
    for (const path of reads.roles) {
      const role = this.engine.roles.get(path);
      if (role !== undefined) asked.add(principals.of(role));
      for (const place of at.where?.places ?? [])
        for (const [holder] of holdings(hierarchyNodeOf(place)?.holders ?? null)) asked.add(principals.of(holder));
    }
  }

  #template(target: Target, action: string): PartTemplate {
    let byAction = this.#templates.get(target);
    if (byAction === undefined) {
      byAction = new Map();
      this.#templates.set(target, byAction);
    }
    let template = byAction.get(action);
    if (template === undefined) {
      const granted = this.granted.on(target).filter(({ rule }) => rule.actions.covers(action));
      template = this.#made(granted.map(({ principal, rule }) => ({ principal, rule, period: rule.period })));
      byAction.set(action, template);
    }
    return template;
  }

  /** Returns what those who hold roles on a place have there. */
  #heldTemplate(place: Resource, target: Target, action: string): PartTemplate {
    const byTarget = this.#heldParts.get(place) ?? new Map<Target, Map<string, PartTemplate>>();
    this.#heldParts.set(place, byTarget);
    const byAction = byTarget.get(target) ?? new Map<string, PartTemplate>();
    byTarget.set(target, byAction);
    let template = byAction.get(action);
    if (template === undefined) {
      const entries: { principal: Principal; rule: Rule; period: LinkPeriod }[] = [];
      for (const [holder, link] of holdings(hierarchyNodeOf(place)?.holders ?? null))
        for (const role of [link.to, ...includedIn(link.to)])
          for (const rule of this.#rulesOf(role, target, action))
            entries.push({ principal: holder, rule, period: joined(rule.period, link.period) });
      template = this.#made(entries);
      byAction.set(action, template);
    }
    return template;
  }

  #rulesOf({ grants }: Principal, target: Target, action: string): Rule[] {
    const found: Rule[] = [];
    if (grants === null) return found;
    const visitor = { visit: (rule: Rule) => void found.push(rule), visitUnknown: () => {} };
    visitRules(grants, undefined, target, undefined, action, visitor, true);
    return found;
  }

  #made(entries: readonly { principal: Principal; rule: Rule; period: LinkPeriod }[]): PartTemplate {
    const { principals, now } = this.tables;
    const current = entries.flatMap(({ principal, rule, period }) => {
      const counted = clipped(period, now);
      return counted === NEVER ? [] : [{ principal: principals.of(principal), rule, period: counted }];
    });
    const guards = new Set<KnownGuard>();
    for (const { rule } of current) if (rule.policy.guard !== null) guards.add(this.tables.guard(rule.policy.guard));
    const free = [...guards].every(({ reads }) => readsNoResource(reads));
    return { entries: current, guards: [...guards], filled: free ? new Map() : null };
  }

  #filled({ entries, filled }: PartTemplate, at: LocatedUnit, action: string): number {
    const key = `${at.type.path} ${at.resource !== undefined} ${at.where !== null && at.where.unknown !== null}`;
    const known = filled?.get(key);
    if (known !== undefined) return known;
    const part = this.tables.part(
      entries.map(
        ({ principal, rule, period }) => [principal, this.#descriptor(rule, period, at, false, action)] as const,
      ),
    );
    filled?.set(key, part);
    return part;
  }

  #descriptor(rule: Rule, period: LinkPeriod, at: LocatedUnit, unknown: boolean, action: string): number {
    return this.tables.descriptor(rule, period, at, {
      engine: this.engine,
      unknown,
      id: this.idOf(at.unit),
      action,
      holders: this.granted.holders,
    });
  }

  /** The DENYs that only unknown ways lead to (docs/semantics.md 8.6): an ALLOW does not apply by such a way. */
  #unknownEntries(at: LocatedUnit, targets: readonly Target[], action: string, asked: Set<number>): Entry[] {
    const found: Entry[] = [];
    const { principals, now } = this.tables;
    const add = (principal: Principal, rule: Rule, period: LinkPeriod) => {
      const counted = clipped(period, now);
      if (!rule.policy.deny || !rule.actions.covers(action) || counted === NEVER) return;
      if (rule.policy.guard !== null) this.#ask(this.tables.guard(rule.policy.guard), at, asked);
      found.push([principals.of(principal), this.#descriptor(rule, counted, at, true, action)]);
    };
    const unsaid = (place: Resource) => at.where?.unknown?.has(place.type) === true && !at.where.places.includes(place);
    for (const below of this.granted.belows)
      if (unsaid(below.resource))
        for (const { principal, rule } of this.granted.on(below)) add(principal, rule, rule.period);
    for (const holder of this.granted.holders)
      for (const [held, places] of heldRoles(holder.held)) {
        const roles = [held, ...includedIn(held)].filter(({ grants }) => grants !== null);
        for (const place of roles.length === 0 ? [] : itemsOf(places)) {
          const known = at.where?.places.includes(place) === true;
          if (!known && !unsaid(place)) continue;
          const link = holdingOf(hierarchyNodeOf(place)?.holders ?? null, holder, held);
          if (link === undefined) continue;
          for (const role of roles)
            for (const rule of rulesOf(role.grants as Grants)) {
              const { target } = rule;
              const open = target instanceof Below && !targets.includes(target) && unsaid(target.resource);
              if (open || (!known && targets.includes(target))) add(holder, rule, joined(rule.period, link.period));
            }
        }
      }
    return found;
  }
}

function readsNoResource({ resourceProperties, resourceNames, ancestors, roles }: GuardReads): boolean {
  return resourceProperties?.length === 0 && !resourceNames && ancestors.length === 0 && roles.length === 0;
}

function joined(first: LinkPeriod, second: LinkPeriod): LinkPeriod {
  if (first === null) return second;
  return second === null ? first : inBoth(first, second);
}

/** A period as it counts from `now` on. */
function clipped(period: LinkPeriod, now: number): LinkPeriod | typeof NEVER {
  if (period === null) return null;
  const { start, end } = period;
  if (end <= now || start >= end) return NEVER;
  if (start > now) return period;
  return end === ALWAYS.end ? null : ({ start: ALWAYS.start, end } satisfies Period);
}
