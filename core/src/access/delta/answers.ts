import type { Formula } from '../../conditions/residual/formula.js';
import {
  ANY_NAMES,
  ANY_TEXT,
  type PartialPrincipals,
  type PartialRequest,
} from '../../conditions/residual/partial-request.js';
import type { Comparison, DecisionList, ResidualCandidate, Residuals } from '../../conditions/residual/residuals.js';
import type { JsonObject } from '../../json/json.js';
import { isCurrent, type Period } from '../grants/period.js';
import type { Closure } from '../universe/closure.js';
import type { PrincipalIds } from '../universe/principal-ids.js';
import type { Member, Side, SubjectClass } from '../universe/subject-classes.js';
import type { ColumnTables, Descriptor } from './columns.js';
import type { FreeTexts } from './free-texts.js';
import type { PairAnswer, PairChange } from './pair-change.js';
import type { GuardedFacts } from './resource-facts.js';

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
  /** The lists with that left open, if the answers hang on what subjects and resources have in common. */
  readonly open?: { readonly before: DecisionList; readonly after: DecisionList };
}

/** The answers of both states from the start on; spans that compare alike are one. */
export interface ClassAnswer {
  readonly spans: readonly SpanAnswer[];
  readonly differs: boolean;
}

export interface TripleAnswer {
  readonly before: PairAnswer;
  readonly after: PairAnswer;
  readonly change: PairChange;
}

/** The candidates and links that a state has for a class of subjects in one span of time. */
interface Counting {
  readonly descriptors: readonly Descriptor[];
  /** The list, where nothing about the subject or the request makes a difference to it. */
  readonly list: DecisionList | undefined;
}

interface QuestionSpan {
  readonly from: number;
  readonly until: number;
  readonly before: Counting;
  readonly after: Counting;
  open?: SpanAnswer['open'];
}

/** A class of subjects with its candidates, cut into spans of time: what all its members have in common. */
export interface ClassQuestion {
  readonly one: SubjectClass;
  readonly spans: readonly QuestionSpan[];
  /** By the lists that they compare: the same answers are one object. */
  readonly answers: Map<string, ClassAnswer>;
  /** By what is known of members that ask. */
  readonly known: Map<string, ClassAnswer>;
}

/** Who asks. */
export interface Asking {
  readonly member: Member;
  /** Requests send properties that are not recorded. */
  readonly sent: boolean;
  /** Nothing is said of subject and resource but whom the subject acts as. */
  readonly open?: boolean;
  /** The values that are read of the member, if others of whom the same is read are likely to ask. */
  readonly told?: string | null | undefined;
}

/** Compares what two states answer to one class of subjects, from the candidates that it has in each. */
export class Answers {
  readonly #lists = new Map<string, DecisionList>();
  readonly #comparisons = new Map<string, Comparison>();
  readonly #triples = new Map<ClassAnswer, TripleAnswer | undefined>();

  constructor(
    private readonly tables: ColumnTables,
    private readonly principals: PrincipalIds,
    private readonly residuals: Residuals,
    readonly free: FreeTexts,
    private readonly now: number,
  ) {}

  question(one: SubjectClass, before: readonly Reached[], after: readonly Reached[]): ClassQuestion {
    const cuts = this.#cuts(one, before, after);
    const spans = cuts.map((from, at) => ({
      from,
      until: cuts[at + 1] ?? Number.POSITIVE_INFINITY,
      before: this.#counting(before, from),
      after: this.#counting(after, from),
    }));
    return { one, spans, answers: new Map(), known: new Map() };
  }

  /** With `joined` also what the answers are with subject and resource left open. */
  of(question: ClassQuestion, asking: Asking, joined = false): ClassAnswer {
    const { one, known } = question;
    const { sent, open, told } = asking;
    const asked = told === undefined ? undefined : `${sent} ${open} ${joined} ${told}`;
    const before = asked === undefined ? undefined : known.get(asked);
    if (before !== undefined) return before;
    const lists = question.spans.map(
      (span) => [this.#list(one, 'before', span, asking), this.#list(one, 'after', span, asking)] as const,
    );
    const key = `${joined} ${lists.map(([before, after]) => `${before.id}/${after.id}`).join(' ')}`;
    let answer = question.answers.get(key);
    if (answer === undefined) {
      answer = this.#answer(question, asking, lists, joined);
      question.answers.set(key, answer);
    }
    if (asked !== undefined) known.set(asked, answer);
    return answer;
  }

  /** Returns the residual, at an instant, of a candidate that the state after has for members of a class. */
  residualAt(one: SubjectClass, asking: Asking, descriptor: Descriptor, at: number): Formula {
    const { guard, facts, unknown } = descriptor;
    const known = this.#known(one, asking, 'after', facts, { from: at, until: Number.POSITIVE_INFINITY });
    return this.residuals.residualOf(guard?.guard ?? NO_GUARD, known, unknown);
  }

  /** Returns how the state after answers at an instant. */
  listAt(question: ClassQuestion, asking: Asking, at: number): DecisionList {
    const span = question.spans.findLast(({ from }) => from <= at) ?? question.spans[0];
    return this.#list(question.one, 'after', span as QuestionSpan, asking);
  }

  #answer(
    { one, spans: all }: ClassQuestion,
    asking: Asking,
    lists: readonly (readonly [DecisionList, DecisionList])[],
    joined: boolean,
  ): ClassAnswer {
    const spans: SpanAnswer[] = [];
    for (const [at, span] of all.entries()) {
      const [before, after] = lists[at] as (typeof lists)[number];
      const { from, until } = span;
      const last = spans.at(-1);
      if (last !== undefined && last.before === before && last.after === after) {
        spans[spans.length - 1] = { ...last, until };
        continue;
      }
      const comparison = this.#compare(before, after);
      const open = joined && comparison.change !== 'same' ? this.#open(one, span, asking) : undefined;
      spans.push({ from, until, before, after, comparison, ...(open && { open }) });
    }
    return { spans, differs: spans.some(({ comparison }) => comparison.change !== 'same') };
  }

  #open(one: SubjectClass, span: QuestionSpan, asking: Asking): SpanAnswer['open'] {
    const open = { ...asking, open: true };
    span.open ??= { before: this.#list(one, 'before', span, open), after: this.#list(one, 'after', span, open) };
    return span.open;
  }

  #compare(before: DecisionList, after: DecisionList): Comparison {
    if (before === after) return { change: 'same' };
    const key = `${before.id} ${after.id}`;
    let found = this.#comparisons.get(key);
    if (found === undefined) {
      found = this.residuals.compare(before, after);
      this.#comparisons.set(key, found);
    }
    return found;
  }

  /** The instants at which a candidate, or what its guard asks about, begins or ends to count; the start first. */
  #cuts(one: SubjectClass, before: readonly Reached[], after: readonly Reached[]): number[] {
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

  /** The candidates that count at an instant. */
  #counting(reached: readonly Reached[], from: number): Counting {
    const counting = new Map<number, Descriptor>();
    for (const { descriptor, periods } of reached) {
      if (counting.has(descriptor) || !periods.some((period) => isCurrent(period, from))) continue;
      const one = this.tables.descriptors.at(descriptor);
      if (isCurrent(one.period, from)) counting.set(descriptor, one);
    }
    const all = [...counting.values()];
    const sure = new Set(all.filter(({ unknown }) => !unknown).map(({ policy }) => policy));
    const descriptors = all.filter(({ unknown, policy }) => !unknown || !sure.has(policy));
    return { descriptors, list: this.#plainList(descriptors) };
  }

  #plainList(descriptors: readonly Descriptor[]): DecisionList | undefined {
    if (descriptors.some(({ guard, unknown }) => guard !== null || unknown)) return undefined;
    const key = descriptors.map(({ deny, priority }) => `${deny} ${priority}`).join();
    const known = this.#lists.get(key);
    if (known !== undefined) return known;
    const residual = this.residuals.formulas.constant('true');
    const list = this.residuals.listOf(descriptors.map((one) => ({ ...candidateOf(one), residual })));
    this.#lists.set(key, list);
    return list;
  }

  #list(one: SubjectClass, side: Side, span: QuestionSpan, asking: Asking): DecisionList {
    const { descriptors, list } = span[side];
    if (list !== undefined) return list;
    const candidates = descriptors.map((descriptor): ResidualCandidate => {
      const { guard, facts, unknown } = descriptor;
      const known = this.#known(one, asking, side, facts, span);
      return {
        ...candidateOf(descriptor),
        residual: this.residuals.residualOf(guard?.guard ?? NO_GUARD, known, unknown),
      };
    });
    const key = candidates.map(({ effect, priority, residual }) => `${effect}${priority}/${residual.id}`).join();
    let made = this.#lists.get(key);
    if (made === undefined) {
      made = this.residuals.listOf(candidates);
      this.#lists.set(key, made);
    }
    return made;
  }

  #known(
    one: SubjectClass,
    { member, sent, open = false }: Asking,
    side: Side,
    facts: GuardedFacts | null,
    { from, until }: Pick<QuestionSpan, 'from' | 'until'>,
  ): PartialRequest {
    const recordedSubject = member.id !== '' && !open;
    return {
      subject: {
        type: this.free.subjectType(one.type),
        id: recordedSubject ? member.id : open ? ANY_TEXT : this.free.subjectId(one.type),
        recorded: open ? NOTHING : (member[side] ?? NOTHING),
        sent: open || (sent && (one.sendable[side] ?? true)),
      },
      action: { name: facts === null ? '' : this.free.action(facts), sent },
      resource: {
        type: facts?.type ?? '',
        application: facts?.application ?? '',
        recorded: open ? NOTHING : (facts?.properties ?? NOTHING),
        sent: open || (sent && (facts?.sendable ?? true)),
        names: open ? ANY_NAMES : this.free.names(facts),
      },
      ...(facts !== null && { ancestry: facts.ancestry, among: facts.among }),
      principals: this.#acting(one[side], facts, from),
      span: { from, until },
    };
  }

  #acting(closure: Closure, facts: GuardedFacts | null, at: number): PartialPrincipals {
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
        if (held.some(({ place }) => place === 'unsaid')) return 'absent';
        // By place, so that a role which is held elsewhere afterwards is not taken for the same.
        const places = held.flatMap(({ at: place }) => place ?? []);
        return { anyOf: [...new Set(places)].sort() };
      },
    };
  }

  /** Returns how a triple is answered over all instants and requests (docs/semantics.md 10.5). */
  tripleOf(answer: ClassAnswer): TripleAnswer | undefined {
    if (!this.#triples.has(answer)) this.#triples.set(answer, this.#triple(answer));
    return this.#triples.get(answer);
  }

  #triple({ spans }: ClassAnswer): TripleAnswer | undefined {
    const changes = new Set(spans.map(({ comparison }) => comparison.change));
    if (changes.size === 1 && changes.has('same')) return undefined;
    const both = changes.has('mixed') || (changes.has('gained') && changes.has('lost'));
    const change = both ? 'mixed' : changes.has('unknown') ? 'unknown' : changes.has('gained') ? 'gained' : 'lost';
    const answer = (side: Side): PairAnswer => {
      const verdicts = new Set(spans.map((span) => this.residuals.verdictOf(span[side])));
      return verdicts.size === 1 ? ([...verdicts][0] as PairAnswer) : 'depends';
    };
    return { before: answer('before'), after: answer('after'), change };
  }
}

function candidateOf({ deny, priority }: Descriptor): Pick<ResidualCandidate, 'effect' | 'priority'> {
  return { effect: deny ? 'DENY' : 'ALLOW', priority };
}

const NO_GUARD = {};
const NOTHING: JsonObject = {};
