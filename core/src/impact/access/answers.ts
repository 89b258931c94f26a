import { isCurrent, type Period } from '../../decision/grants/period.js';
import type { JsonObject } from '../../json.js';
import type { PairAnswer, PairChange } from '../api/access-delta.js';
import type { Known, KnownPrincipals } from '../remainder/known.js';
import type { Comparison, DecisionList, Remainders, RemainingCandidate } from '../remainder/remainders.js';
import type { Closure } from '../universe/closure.js';
import type { PrincipalIds } from '../universe/principal-ids.js';
import type { Member, Side, SubjectClass } from '../universe/subject-classes.js';
import type { ColumnTables, Descriptor } from './columns.js';
import { ANY_NAMES, ANY_TEXT, type FreeTexts } from './free-texts.js';
import type { ResourceFacts } from './resource-facts.js';

/** A candidate that a class has, and when by its own memberships and roles. */
export interface Reached {
  readonly descriptor: number;
  readonly periods: readonly Period[];
}

/** How the answers of one span of time compare. */
export interface SpanAnswer {
  readonly from: number;
  readonly until: number;
  readonly before: DecisionList;
  readonly after: DecisionList;
  readonly comparison: Comparison;
  /** Where the answers hang on what subjects and resources have in common: the lists with that left open. */
  readonly open?: { readonly before: DecisionList; readonly after: DecisionList };
}

/** The answers of both states from the start on; spans that compare alike are one. */
export interface Answer {
  readonly spans: readonly SpanAnswer[];
  readonly differs: boolean;
}

export interface TripleAnswer {
  readonly before: PairAnswer;
  readonly after: PairAnswer;
  readonly change: PairChange;
}

interface Asked {
  readonly one: SubjectClass;
  readonly member: Member;
  readonly before: readonly Reached[];
  readonly after: readonly Reached[];
  /** Whether requests send properties that are not recorded. */
  readonly sent: boolean;
  /** Nothing is said of subject and resource but whom the subject acts as. */
  readonly open?: boolean;
}

/** Compares what two states answer to one class of subjects, from the candidates that it has in each. */
export class Answers {
  readonly #lists = new Map<string, DecisionList>();
  readonly #comparisons = new Map<string, Comparison>();

  constructor(
    private readonly tables: ColumnTables,
    private readonly principals: PrincipalIds,
    private readonly remainders: Remainders,
    private readonly free: FreeTexts,
    private readonly now: number,
  ) {}

  /** With `joined` also what the answers are with subject and resource left open. */
  of(asked: Asked, joined = false): Answer {
    const cuts = this.#cuts(asked);
    const spans: SpanAnswer[] = [];
    for (const [at, from] of cuts.entries()) {
      const until = cuts[at + 1] ?? Number.POSITIVE_INFINITY;
      const before = this.#list(asked, 'before', from, until);
      const after = this.#list(asked, 'after', from, until);
      const comparison = this.#compare(before, after);
      const last = spans.at(-1);
      const open = joined && comparison.change !== 'same' ? this.#open(asked, from, until) : undefined;
      if (last !== undefined && last.before === before && last.after === after)
        spans[spans.length - 1] = { ...last, until };
      else spans.push({ from, until, before, after, comparison, ...(open && { open }) });
    }
    return { spans, differs: spans.some(({ comparison }) => comparison.change !== 'same') };
  }

  #open(asked: Asked, from: number, until: number): SpanAnswer['open'] {
    const open = { ...asked, open: true };
    return { before: this.#list(open, 'before', from, until), after: this.#list(open, 'after', from, until) };
  }

  #compare(before: DecisionList, after: DecisionList): Comparison {
    if (before === after) return { change: 'same' };
    const key = `${before.id} ${after.id}`;
    let found = this.#comparisons.get(key);
    if (found === undefined) {
      found = this.remainders.compare(before, after);
      this.#comparisons.set(key, found);
    }
    return found;
  }

  /** The instants at which a candidate, or what its guard asks about, begins or ends to count; the start first. */
  #cuts({ one, before, after }: Asked): number[] {
    const cuts = new Set<number>();
    const add = ({ start, end }: Period) => {
      if (start > this.now) cuts.add(start);
      if (end > this.now && end !== Number.POSITIVE_INFINITY) cuts.add(end);
    };
    for (const [closure, reached] of [
      [one.before, before],
      [one.after, after],
    ] as const) {
      for (const { descriptor, periods } of reached) {
        const { period, guard, facts } = this.tables.descriptors.at(descriptor);
        if (period !== null) add(period);
        periods.forEach(add);
        for (const path of guard?.reads.groups ?? []) this.#periods(closure, `group/${path}`).forEach(add);
        for (const path of guard?.reads.roles ?? []) this.#periods(closure, `role/${path}`).forEach(add);
        for (const { holder, period: held } of facts?.holdings ?? []) {
          if (held !== null) add(held);
          this.#periodsOf(closure, holder).forEach(add);
        }
      }
    }
    return [this.now, ...[...cuts].sort((left, right) => left - right)];
  }

  #periods(closure: Closure, address: string): readonly Period[] {
    const id = this.principals.find(address);
    return id === undefined ? [] : this.#periodsOf(closure, id);
  }

  #periodsOf({ ids, periods }: Closure, id: number): readonly Period[] {
    const at = ids.indexOf(id);
    return at < 0 ? [] : (periods[at] as readonly Period[]);
  }

  #list(asked: Asked, side: Side, from: number, until: number): DecisionList {
    const counting = new Map<number, Descriptor>();
    for (const { descriptor, periods } of asked[side]) {
      if (counting.has(descriptor) || !periods.some((period) => isCurrent(period, from))) continue;
      const one = this.tables.descriptors.at(descriptor);
      if (isCurrent(one.period, from)) counting.set(descriptor, one);
    }
    const guarded = [...counting.values()].some(({ guard, unknown }) => guard !== null || unknown);
    const key = guarded ? undefined : [...counting.values()].map(({ deny, priority }) => `${deny} ${priority}`).join();
    const known = key === undefined ? undefined : this.#lists.get(key);
    if (known !== undefined) return known;
    const sure = new Set([...counting.values()].filter(({ unknown }) => !unknown).map(({ policy }) => policy));
    const candidates: RemainingCandidate[] = [];
    for (const one of counting.values()) {
      if (one.unknown && sure.has(one.policy)) continue;
      candidates.push({
        effect: one.deny ? 'DENY' : 'ALLOW',
        priority: one.priority,
        remainder: this.remainders.remainderOf(
          one.guard?.guard ?? NO_GUARD,
          this.#known(asked, side, one.facts, from, until),
          one.unknown,
        ),
      });
    }
    const list = this.remainders.listOf(candidates);
    if (key !== undefined) this.#lists.set(key, list);
    return list;
  }

  #known(
    { one, member, sent, open = false }: Asked,
    side: Side,
    facts: ResourceFacts | null,
    from: number,
    until: number,
  ): Known {
    const recordedSubject = one.kind === 'recorded' && !open;
    return {
      subject: {
        type: one.type,
        id: recordedSubject ? member.id : open ? ANY_TEXT : this.free.subjectId(one.type),
        recorded: open ? NOTHING : (member[side] ?? NOTHING),
        sent: sent || open,
      },
      action: { name: facts?.action ?? '', sent },
      resource: {
        type: facts?.type ?? '',
        application: facts?.application ?? '',
        recorded: open ? NOTHING : (facts?.properties ?? NOTHING),
        sent: sent || open,
        names: open ? ANY_NAMES : this.free.names(facts),
      },
      ...(facts !== null && { ancestry: facts.ancestry, among: facts.among }),
      principals: this.#acting(one[side], facts, from),
      span: { from, until },
    };
  }

  #acting(closure: Closure, facts: ResourceFacts | null, at: number): KnownPrincipals {
    const counts = (id: number) => this.#periodsOf(closure, id).some((period) => isCurrent(period, at));
    const is = (address: string) => {
      const id = this.principals.find(address);
      return id !== undefined && counts(id);
    };
    return {
      inGroup: (path) => is(`group/${path}`),
      hasRole: (path) => {
        if (is(`role/${path}`)) return true;
        const held = facts?.holdings.filter(
          ({ role, holder, period }) => role === path && isCurrent(period, at) && counts(holder),
        );
        if (held === undefined || held.length === 0) return false;
        if (held.some(({ place }) => place === 'known')) return true;
        return held.some(({ place }) => place === 'unsaid') ? 'absent' : 'free';
      },
    };
  }

  /** What a triple is answered over all instants and requests (docs/semantics.md 10.5). */
  tripleOf({ spans }: Answer): TripleAnswer | undefined {
    const changes = new Set(spans.map(({ comparison }) => comparison.change));
    if (changes.size === 1 && changes.has('same')) return undefined;
    const both = changes.has('mixed') || (changes.has('gained') && changes.has('lost'));
    const change = both ? 'mixed' : changes.has('unknown') ? 'unknown' : changes.has('gained') ? 'gained' : 'lost';
    const answer = (side: Side): PairAnswer => {
      const verdicts = new Set(spans.map((span) => this.remainders.verdictOf(span[side])));
      return verdicts.size === 1 ? ([...verdicts][0] as PairAnswer) : 'depends';
    };
    return { before: answer('before'), after: answer('after'), change };
  }
}

const NO_GUARD = {};
const NOTHING: JsonObject = {};
