import { mayTurnOut } from '../../conditions/residual/formula.js';
import type { Residuals } from '../../conditions/residual/residuals.js';
import type { Address } from '../../records/address.js';
import type { CompiledEngine } from '../engine/compiled-engine.js';
import { ALWAYS, type Period } from '../grants/period.js';
import { type Link, Principal } from '../graph/principal.js';
import { type Closure, closureOf } from '../universe/closure.js';
import type { SubjectClass } from '../universe/subject-classes.js';
import type { Answers, SpanAnswer } from './answers.js';
import type { Column, ColumnTables } from './columns.js';
import type { Block } from './compare-columns.js';

/** The things that a subject has of its own, or as a member of what it belongs to directly: a group, a role, everyone. */
interface Membership {
  /** Undefined for what is its own. */
  readonly of: Address | undefined;
  readonly closure: Closure;
}

/**
 * Finds by which memberships of their own subjects come to be allowed something, in states between which no membership and
 * no role changes.
 */
export class Memberships {
  readonly #ofClass = new Map<SubjectClass, readonly Membership[]>();
  readonly #ofLink = new Map<string, Membership>();

  private constructor(
    private readonly tables: ColumnTables,
    private readonly answers: Answers,
    private readonly residuals: Residuals,
  ) {}

  /** Looks at the classes in the state after, in which the engine is. */
  static look(
    engine: CompiledEngine,
    classes: readonly SubjectClass[],
    tables: ColumnTables,
    answers: Answers,
    residuals: Residuals,
  ): Memberships {
    const found = new Memberships(tables, answers, residuals);
    for (const one of classes) {
      if (one.kind === 'recorded') found.#ofClass.set(one, found.#membershipsOf(engine, one));
    }
    return found;
  }

  /**
   * The groups and roles, and everyone, that subjects with a record belong to directly and that each allow them something at
   * some time of a span, in the state after, and `own` where they are allowed it by themselves. What depends on the request
   * counts where the answer does, or where nothing else counts. Where not `exact`, the subjects may differ in what conditions
   * read of them, and all counts. Never empty for them.
   */
  of({ one, first: member }: Block, column: Column, span: SpanAnswer, exact: boolean): readonly (Address | 'own')[] {
    if (one.kind !== 'recorded') return [];
    const [sure, depends, any] = [new Set<number>(), new Set<number>(), new Set<number>()];
    for (const [index, id] of one.after.ids.entries()) {
      if (!isWithin(one.after.periods[index], span)) continue;
      for (const number of column.byPrincipal.get(id) ?? []) {
        const descriptor = this.tables.descriptors.at(number);
        if (descriptor.deny || !isWithin([descriptor.period ?? ALWAYS], span)) continue;
        any.add(id);
        const residual = this.answers.residualAt(one, { member, sent: true }, descriptor, span.from);
        if (residual.constant === 'true') sure.add(id);
        else if (mayTurnOut(residual, 'true')) depends.add(id);
      }
    }
    const open = this.residuals.verdictOf(span.open?.after ?? span.after) === 'depends';
    const met = open ? new Set([...sure, ...depends]) : sure.size > 0 ? sure : depends;
    const allowing = exact && met.size > 0 ? met : any;
    const found = (this.#ofClass.get(one) ?? []).flatMap(({ of, closure: { ids, periods } }) =>
      ids.some((id, index) => allowing.has(id) && isWithin(periods[index], span)) ? [of ?? 'own'] : [],
    );
    return found.length > 0 ? found : ['own'];
  }

  #membershipsOf(engine: CompiledEngine, { members, type }: SubjectClass): readonly Membership[] {
    const subject = engine.subjects.get(type)?.get(members[0]?.id ?? '');
    const groups = [...(subject?.groups ?? []), ...(engine.everyone.memberOf(type)?.groups ?? [])];
    return [
      ...(subject === undefined ? [] : [this.#own(subject)]),
      ...groups.map((link) => this.#through('groups', link)),
      ...(subject?.roles ?? []).map((link) => this.#through('roles', link)),
    ];
  }

  /** Returns what the subject is given, and holds on resources, itself. */
  #own(subject: Principal): Membership {
    return { of: undefined, closure: { ids: [this.tables.principals.of(subject)], periods: [[ALWAYS]], key: '' } };
  }

  #through(kind: 'groups' | 'roles', link: Link): Membership {
    const { to, period } = link;
    const key = `${to.address} ${period?.start} ${period?.end}`;
    let known = this.#ofLink.get(key);
    if (known === undefined) {
      const alone = new Principal('subject', '', '');
      alone[kind] = [link];
      known = { of: to.address, closure: closureOf(alone, null, [], this.tables.now, this.tables.principals) };
      this.#ofLink.set(key, known);
    }
    return known;
  }
}

function isWithin(
  periods: readonly Period[] | undefined,
  { from, until }: Pick<SpanAnswer, 'from' | 'until'>,
): boolean {
  return periods?.some(({ start, end }) => start < until && end > from) === true;
}
