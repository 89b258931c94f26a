import { type From, implied, type Model, type Relation, tuplesetTypes } from './model.js';

/** A relation that is held by what holds another one on a parent: `viewer from parent`. */
export interface FromRule extends From {
  relation: string;
  of: Relation;
}

/** How a model's `from` rules are said: by the hierarchy of resources, or object by object, by groups. */
export interface Hierarchy {
  /** Whether the hierarchy says this rule. */
  says(rule: FromRule): boolean;
  /** The types that hold a type's resources, with the tupleset that names them. */
  parents(type: string): { type: string; tupleset: string }[];
  /** Every relation of any type that the role of this one stands for, on its object and on all below it. */
  closure(type: string, relation: string): Node[];
}

export interface Node {
  type: string;
  relation: string;
}

const keyOf = ({ type, relation }: Node): string => JSON.stringify([type, relation]);

export function fromRules(model: Model): FromRule[] {
  return [...model.types.values()].flatMap((relations) =>
    [...relations.values()].flatMap((of) => of.from.map((from) => ({ ...from, of }))),
  );
}

/**
 * Chooses the rules that a hierarchy says exactly. A role on a resource counts for all that lies below it, at any depth
 * and through any parent, while `viewer from parent` inherits one relation over one step. A rule is taken if with it no
 * chain of parents gives more than the model does: checked for each relation, over all chains of types.
 */
export function chooseHierarchy(model: Model): Hierarchy {
  const all = fromRules(model);
  const chosen = new Set<FromRule>();
  for (const rule of all) {
    chosen.add(rule);
    if (!isExact(model, all, chosen)) chosen.delete(rule);
  }
  return hierarchyOf(model, chosen);
}

function hierarchyOf(model: Model, chosen: ReadonlySet<FromRule>): Hierarchy {
  const same = (left: FromRule, right: FromRule) =>
    left.of === right.of && left.tupleset === right.tupleset && left.relation === right.relation;
  return {
    says: (rule) => [...chosen].some((one) => same(one, rule)),
    parents: (type) => {
      const tuplesets = new Set([...chosen].filter(({ of }) => of.type === type).map(({ tupleset }) => tupleset));
      return [...tuplesets].flatMap((tupleset) =>
        tuplesetTypes(model, type, tupleset).map((parent) => ({ type: parent, tupleset })),
      );
    },
    closure: (type, relation) => closureOf(model, chosen, type, relation),
  };
}

function closureOf(model: Model, chosen: ReadonlySet<FromRule>, type: string, relation: string): Node[] {
  const found = new Map<string, Node>();
  const open: Node[] = [{ type, relation }];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const held of implied(model, node.type, [node.relation])) {
      const here = { type: node.type, relation: held };
      if (found.has(keyOf(here))) continue;
      found.set(keyOf(here), here);
      for (const { of, tupleset, relation: wanted } of chosen) {
        if (wanted === held && tuplesetTypes(model, of.type, tupleset).includes(node.type)) {
          open.push({ type: of.type, relation: of.name });
        }
      }
    }
  }
  return [...found.values()];
}

function isExact(model: Model, all: readonly FromRule[], chosen: ReadonlySet<FromRule>): boolean {
  const hierarchy = hierarchyOf(model, chosen);
  const children = [...model.types.keys()].flatMap((type) =>
    hierarchy.parents(type).map(({ type: parent, tupleset }) => ({ type, parent, tupleset })),
  );
  for (const [type, relations] of model.types) {
    for (const relation of relations.keys()) {
      const claimed = hierarchy.closure(type, relation);
      const seen = new Set<string>();
      const open = [{ type, held: implied(model, type, [relation]) }];
      for (let state = open.pop(); state !== undefined; state = open.pop()) {
        const { type: here, held } = state;
        const key = JSON.stringify([here, [...held].sort()]);
        if (seen.has(key)) continue;
        seen.add(key);
        for (const { type: child, tupleset } of children.filter(({ parent }) => parent === here)) {
          const passed = all.filter(
            (rule) => rule.of.type === child && rule.tupleset === tupleset && held.has(rule.relation),
          );
          const given = implied(
            model,
            child,
            passed.map(({ of }) => of.name),
          );
          if (claimed.some((one) => one.type === child && !given.has(one.relation))) return false;
          open.push({ type: child, held: given });
        }
      }
    }
  }
  return true;
}
