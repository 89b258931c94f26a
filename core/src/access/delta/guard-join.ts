import { MACROS, ROOTS } from '../../conditions/reads/reads.js';
import { parsedCondition } from '../../conditions/residual/partial-evaluator.js';
import { attributePath, keyOf, memberName, partsOf, type Read } from '../../conditions/residual/syntax.js';
import type { Ast } from '../../conditions/syntax/parse.js';
import type { KnownGuard } from './columns.js';

/**
 * Uses of something that is read: compared for equality, compared by order, or anything else. `1` and `2` see nothing of a
 * value but which of the others it equals, and which it is less than.
 */
export const USES = { equality: 1, order: 2, other: 3 } as const;
type Use = (typeof USES)[keyof typeof USES];

/** A value that a guard compares an attribute of subjects with. */
export interface JoinedAttribute {
  /** Whether it is compared by order, not only for equality. */
  readonly ordered: boolean;
  /** By key, all that is read and compared with it. */
  readonly joined: ReadonlyMap<string, Read>;
}

/** How a guard tells subjects apart that differ in nothing but the values of attributes. */
export interface GuardJoin {
  /** By `id`, or the name of a property in quotes; none where it reads nothing of the subject but its type. */
  readonly attributes: ReadonlyMap<string, JoinedAttribute>;
  /** The values that are written out in the condition. */
  readonly literals: readonly (string | number)[];
  /** By key, what is done with all that is read but the subject. */
  readonly uses: ReadonlyMap<string, Use>;
}

const joins = new WeakMap<KnownGuard, GuardJoin | null>();

/** The join of a guard; null where it does anything else with what it reads of the subject. */
export function joinOf(known: KnownGuard): GuardJoin | null {
  let join = joins.get(known);
  if (join === undefined) {
    join = new Analysis().of(known);
    joins.set(known, join);
  }
  return join;
}

/** Whether a guard compares the subject with what requests choose, so that what it requires is best said in its own words. */
export function joinsRequest(known: KnownGuard): boolean {
  const attributes = joinOf(known)?.attributes.values() ?? [];
  const joined = [...attributes].flatMap((one) => [...one.joined.values()]);
  return joined.some((read) => read.kind === 'property' && (read.root === 'context' || read.root === 'action'));
}

/** Values that are read, written out, or both; undefined for what is worked out. */
interface Operand {
  /** The attribute of the subject. */
  readonly attribute?: string;
  readonly reads: readonly Read[];
}

const LITERAL: Operand = { reads: [] };
/** In their bodies the variable is an item of what they go through. */
const WALKS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one']);
const ORDER: ReadonlySet<string> = new Set(['<', '<=', '>', '>=']);
type Locals = ReadonlyMap<string, Operand | undefined>;
const NO_LOCALS: Locals = new Map();

class Analysis {
  readonly #attributes = new Map<string, { ordered: boolean; joined: Map<string, Read> }>();
  readonly #uses = new Map<string, Use>();
  readonly #literals: (string | number)[] = [];
  #otherwise = false;

  of({ guard, reads }: KnownGuard): GuardJoin | null {
    const ast = guard.condition === undefined ? undefined : parsedCondition(guard.condition);
    if (reads.ancestors.length > 0) return null;
    for (const { mfa_required, ip_ranges, time_windows } of [guard.modifiers ?? {}, guard.unless ?? {}]) {
      if (mfa_required === true) this.#use(contextMember('mfa'), USES.other);
      if (ip_ranges !== undefined) this.#use(contextMember('ip'), USES.other);
      if (time_windows !== undefined) this.#use(contextMember('time'), USES.other);
    }
    if (ast !== undefined) this.#visit(ast, NO_LOCALS);
    if (this.#otherwise) return null;
    return { attributes: this.#attributes, literals: this.#literals, uses: this.#uses };
  }

  #visit(part: Ast, locals: Locals): void {
    const operand = this.#operand(part, locals);
    if (operand !== undefined) {
      if (operand.attribute !== undefined) this.#otherwise = true;
      for (const read of operand.reads) this.#use(read, USES.other);
      return;
    }
    if (part.op === '==' || part.op === '!=' || part.op === 'in' || ORDER.has(part.op)) {
      this.#comparison(part as Ast & { args: [Ast, Ast] }, locals);
      return;
    }
    if (part.op === 'id' && ROOTS.has(part.args) && !locals.has(part.args)) this.#otherwise = true;
    if (part.op === 'call') {
      const [name, [asked]] = part.args;
      if (name === 'since') this.#use(contextMember('time'), USES.other);
      // Whether something is there is the same for all values.
      if (name === 'has' && asked !== undefined && this.#operand(asked, locals) !== undefined) return;
    }
    if (part.op === 'rcall') {
      const [name, receiver, args] = part.args;
      const [first] = args;
      if (receiver.op === 'id' && receiver.args === 'subject' && (name === 'in_group' || name === 'has_role')) return;
      if (MACROS.has(name) && first?.op === 'id') {
        const walked = WALKS.has(name) && args.length === 2 ? this.#operand(receiver, locals) : undefined;
        const simple = walked !== undefined && walked.attribute === undefined;
        if (!simple) this.#visit(receiver, locals);
        const inside = new Map(locals).set(first.args, simple ? walked : undefined);
        for (const body of args.slice(1)) this.#visit(body, inside);
        return;
      }
    }
    for (const inner of partsOf(part)) this.#visit(inner, locals);
  }

  #comparison({ op, args }: { op: string; args: [Ast, Ast] }, locals: Locals): void {
    const [left, right] = args.map((part) => this.#operand(part, locals)) as [Operand?, Operand?];
    const use = ORDER.has(op) ? USES.order : USES.equality;
    if (left?.attribute === undefined && right?.attribute === undefined) {
      const known = left !== undefined && right !== undefined;
      // What is compared with a literal alone says nothing of how it lies to other values that are read.
      const simple = known && (left.reads.length === 0 || right.reads.length === 0);
      for (const [at, operand] of [left, right].entries()) {
        if (operand === undefined) this.#visit(args[at] as Ast, locals);
        for (const read of operand?.reads ?? []) this.#use(read, simple ? use : USES.other);
      }
      return;
    }
    const [own, other] = left?.attribute === undefined ? [right, left] : [left, right];
    const known = own?.attribute === undefined ? undefined : this.#attributes.get(own.attribute);
    if (known === undefined || other === undefined || other.attribute !== undefined || (op === 'in' && own !== left)) {
      this.#otherwise = true;
      return;
    }
    if (use === USES.order) known.ordered = true;
    for (const read of other.reads) {
      known.joined.set(keyOf(read), read);
      this.#use(read, use);
    }
  }

  #operand(part: Ast, locals: Locals): Operand | undefined {
    const path = attributePath(part, new Set(locals.keys()));
    if (path !== undefined) {
      const { read, members } = path;
      const key = keyOf(read);
      if (key === 'subject.type') return LITERAL;
      if (!key.startsWith('subject.')) return { reads: [read] };
      const attribute = key.slice('subject.'.length);
      if (members.length > 0 || (read.kind === 'property' && read.name === undefined)) this.#otherwise = true;
      if (!this.#attributes.has(attribute)) this.#attributes.set(attribute, { ordered: false, joined: new Map() });
      return { attribute, reads: [] };
    }
    const literal = literalOf(part);
    if (literal !== undefined) {
      if (typeof literal === 'string' || typeof literal === 'number') this.#literals.push(literal);
      return LITERAL;
    }
    if (part.op === 'list') {
      const items = part.args.map((item) => this.#operand(item, locals));
      if (items.some((item) => item === undefined)) return undefined;
      const all = items as Operand[];
      if (all.some(({ attribute }) => attribute !== undefined)) this.#otherwise = true;
      return { reads: all.flatMap(({ reads }) => reads) };
    }
    if (part.op === 'id') return locals.get(part.args);
    const item = memberName(part) !== undefined || (part.op === '[]' && literalOf(part.args[1]) !== undefined);
    return item ? this.#operand(partsOf(part)[0] as Ast, locals) : undefined;
  }

  #use(read: Read, use: Use): void {
    const key = keyOf(read);
    this.#uses.set(key, Math.max(use, this.#uses.get(key) ?? 0) as Use);
  }
}

function literalOf(part: Ast): string | number | boolean | null | undefined {
  if (part.op === '-_') {
    const value = literalOf(part.args);
    return typeof value === 'number' ? -value : undefined;
  }
  if (part.op !== 'value') return undefined;
  const { args: value } = part;
  if (typeof value === 'bigint') return Number(value);
  const plain = value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return plain ? value : undefined;
}

function contextMember(name: string): Read {
  return { kind: 'property', root: 'context', name };
}
