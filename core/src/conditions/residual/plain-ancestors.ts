import { MACROS, partsOf } from '../reads/reads.js';
import type { Ast } from '../syntax/parse.js';

/** An ancestor, or a list of ancestors, and the calls that it comes from. */
interface Derived {
  readonly of: 'item' | 'list';
  readonly calls: readonly Ast[];
}

type Environment = ReadonlyMap<string, Derived | undefined>;

const plain = new WeakSet<Ast>();

/**
 * Whether a call of `ancestor()` or `ancestors()` is known to leave the ids of what it finds unread. Only calls in conditions
 * that `markPlainAncestors` has seen are known.
 */
export function isPlainAncestors(call: Ast): boolean {
  return plain.has(call);
}

/** Finds the calls of a whole condition that leave the ids of ancestors unread. */
export function markPlainAncestors(condition: Ast): void {
  const search = new Search();
  search.leak(search.visit(condition, new Map()));
  for (const call of search.calls) if (!search.leaking.has(call)) plain.add(call);
}

/** Follows ancestors through a condition. A use that may depend on an id leaks the calls that the ancestor comes from. */
class Search {
  readonly calls = new Set<Ast>();
  readonly leaking = new Set<Ast>();

  leak(derived: Derived | undefined): undefined {
    for (const call of derived?.calls ?? []) this.leaking.add(call);
    return undefined;
  }

  visit(ast: Ast, known: Environment): Derived | undefined {
    switch (ast.op) {
      case 'id':
        return known.get(ast.args);
      case '.':
        return this.#member(this.visit(ast.args[0], known), ast.args[1]);
      case '[]': {
        const [base, key] = ast.args;
        const whole = this.visit(base, known);
        this.leak(this.visit(key, known));
        return whole?.of === 'list' ? { ...whole, of: 'item' } : this.#member(whole, textOf(key));
      }
      case 'in': {
        const [key, base] = ast.args;
        this.leak(this.visit(key, known));
        return this.#member(this.visit(base, known), textOf(key));
      }
      case '?:': {
        const [test, yes, no] = ast.args;
        this.leak(this.visit(test, known));
        const [left, right] = [this.visit(yes, known), this.visit(no, known)];
        if (left?.of === right?.of && left && right) return { ...left, calls: [...left.calls, ...right.calls] };
        this.leak(left);
        return this.leak(right);
      }
      case 'call':
        return ast.args[0] === 'size' && ast.args[1].length === 1
          ? this.#size(ast.args[1][0] as Ast, known)
          : this.#whole(ast, known);
      case 'rcall':
        return this.#method(ast, known);
      default:
        return this.#whole(ast, known);
    }
  }

  #method(ast: Extract<Ast, { op: 'rcall' }>, known: Environment): Derived | undefined {
    const [name, receiver, args] = ast.args;
    if (name === 'ancestor' || name === 'ancestors') {
      this.calls.add(ast);
      return { of: name === 'ancestor' ? 'item' : 'list', calls: [ast] };
    }
    if (name === 'size' && args.length === 0) return this.#size(receiver, known);
    const [variable, ...bodies] = args;
    if (!MACROS.has(name) || variable?.op !== 'id' || bodies.length === 0) return this.#whole(ast, known);
    if (name === 'bind') {
      const inside = new Map(known).set(variable.args, this.visit(bodies[0] as Ast, known));
      return bodies[1] && this.visit(bodies[1], inside);
    }
    const list = this.visit(receiver, known);
    if (list?.of === 'item') this.leak(list);
    const item = list?.of === 'list' ? ({ ...list, of: 'item' } as const) : undefined;
    const inside = new Map(known).set(variable.args, item);
    for (const body of bodies) this.leak(this.visit(body, inside));
    return name === 'filter' ? list : undefined;
  }

  /** The number of ancestors depends on no id, the number of members of one does. */
  #size(of: Ast, known: Environment): undefined {
    const derived = this.visit(of, known);
    return derived?.of === 'list' ? undefined : this.leak(derived);
  }

  #member(base: Derived | undefined, name: string | undefined): undefined {
    return base?.of === 'item' && name !== undefined && name !== 'id' ? undefined : this.leak(base);
  }

  #whole(ast: Ast, known: Environment): undefined {
    for (const part of partsOf(ast)) this.leak(this.visit(part, known));
  }
}

function textOf(ast: Ast): string | undefined {
  return ast.op === 'value' && typeof ast.args === 'string' ? ast.args : undefined;
}
