import { append } from '@authz-service/core/collections/append';
import type { SourcePlace } from '@authz-service/core/manifest/manifest';
import { path } from '@authz-service/core/records/address';
import { conditionText, UnsayableCondition } from './condition.js';
import { fromRules, type Hierarchy } from './hierarchy.js';
import type { Model } from './model.js';
import type { Refusals } from './refusals.js';
import type { ObjectName, Tuple } from './tuple.js';

/** A relation of one object. */
export interface ObjectRelation {
  object: ObjectName;
  relation: string;
}

export interface Edge {
  from: string;
  to: string;
  /** The text of the condition of the tuple that makes the edge. */
  condition: string | undefined;
  /** Whether the policies of the role held at its start cover its end as well. */
  covered?: boolean;
}

export const nodeName = (object: ObjectName, relation: string): string => `${object.type}:${object.id}#${relation}`;
export const askedKey = (type: string, relation: string): string => `${type}#${relation}`;

export interface GraphInput {
  model: Model;
  hierarchy: Hierarchy;
  tuples: readonly Tuple[];
  application: string;
}

/** The relations of objects, and where the holders of one count as holders of another. */
export class RelationGraph {
  readonly nodes = new Map<string, ObjectRelation>();
  readonly edges = new Map<string, Edge[]>();
  /** The relations of objects that need a group: their holders count as holders elsewhere. */
  readonly grouped = new Set<string>();
  /** The paths of the parents that the hierarchy gives an object, by `type:id`. */
  readonly parents = new Map<string, Set<string>>();

  constructor(
    private readonly input: GraphInput,
    private readonly refusals: Refusals,
  ) {
    for (const { object, user, relation } of input.tuples) {
      this.node(object, relation);
      if (user.relation !== undefined) this.node(user, user.relation);
    }
    this.#findEdges();
    this.#refuseCircles();
  }

  node(object: ObjectName, relation: string): string {
    const name = nodeName(object, relation);
    if (!this.nodes.has(name)) this.nodes.set(name, { object: { type: object.type, id: object.id }, relation });
    return name;
  }

  /** Follows the model from object to object: where the holders of one relation count as holders of another. */
  #findEdges(): void {
    const { model, hierarchy, tuples } = this.input;
    const byTupleset = grouped(tuples, ({ object, relation }) => askedKey(object.type, relation));
    const groupedBy: string[] = [];
    for (const { user, object, relation, condition, place } of tuples) {
      if (user.relation === undefined) continue;
      const text = condition && this.condition(condition, place);
      this.#edge({ from: this.node(user, user.relation), to: this.node(object, relation), condition: text });
      groupedBy.push(nodeName(user, user.relation));
    }
    for (const rule of fromRules(model)) {
      for (const tuple of byTupleset.get(askedKey(rule.of.type, rule.tupleset)) ?? []) {
        const { user, object, condition, place } = tuple;
        if (condition !== undefined) {
          this.refusals.add(
            place,
            `the condition "${condition.name}" on a tuple of "${rule.tupleset}", which others are inherited from: where an object lies is not conditional.`,
          );
        }
        if (model.types.get(user.type)?.has(rule.relation) !== true) continue;
        const from = this.node(user, rule.relation);
        const covered = hierarchy.says(rule);
        this.#edge({ from, to: this.node(object, rule.of.name), condition: undefined, covered });
        if (covered) {
          const key = `${object.type}:${object.id}`;
          this.parents.set(key, (this.parents.get(key) ?? new Set()).add(this.resourcePath(user)));
        } else groupedBy.push(from);
      }
    }
    // A group has all members: those of the groups that count for it as well, whatever brings them there.
    const into = grouped([...this.edges.values()].flat(), ({ to }) => to);
    for (let node = groupedBy.pop(); node !== undefined; node = groupedBy.pop()) {
      if (this.grouped.has(node)) continue;
      this.grouped.add(node);
      for (const { from } of into.get(node) ?? []) groupedBy.push(from);
      const { object, relation } = this.nodes.get(node) as ObjectRelation;
      for (const computed of model.types.get(object.type)?.get(relation)?.computed ?? []) {
        const from = this.node(object, computed);
        this.#edge({ from, to: node, condition: undefined, covered: true });
        groupedBy.push(from);
      }
    }
  }

  #edge(edge: Edge): void {
    const list = this.edges.get(edge.from) ?? [];
    if (list.some(({ to, condition }) => to === edge.to && condition === edge.condition)) return;
    this.edges.set(edge.from, [...list, edge]);
  }

  /** Groups in a circle are refused by the service; so is a hierarchy in one. */
  #refuseCircles(): void {
    const done = new Set<string>();
    const visit = (node: string, above: readonly string[]): void => {
      if (above.includes(node)) {
        const place = this.input.tuples.find(
          ({ user }) => user.relation !== undefined && above.includes(nodeName(user, user.relation)),
        )?.place;
        const first = this.input.tuples[0]?.place ?? { file: '', line: 1, column: 1 };
        this.refusals.add(
          place ?? first,
          `${[...above.slice(above.indexOf(node)), node].join(' → ')}: groups cannot be in a circle.`,
        );
        return;
      }
      if (done.has(node)) return;
      for (const { to } of this.edges.get(node) ?? [])
        if (this.grouped.has(to) && to !== node) visit(to, [...above, node]);
      done.add(node);
    };
    for (const node of this.grouped) visit(node, []);
    const objects = this.input.tuples.flatMap(({ user, object }) => [user, object]);
    const byPath = new Map(objects.map((object) => [this.resourcePath(object), `${object.type}:${object.id}`]));
    const parentVisit = (object: string, above: readonly string[]): void => {
      if (above.includes(object)) {
        const place = this.input.tuples.find((tuple) => `${tuple.object.type}:${tuple.object.id}` === object)?.place;
        if (place) this.refusals.add(place, `${object} lies in itself: a hierarchy cannot be a circle.`);
        return;
      }
      for (const parent of this.parents.get(object) ?? []) {
        const found = byPath.get(parent);
        if (found !== undefined) parentVisit(found, [...above, object]);
      }
    };
    for (const object of this.parents.keys()) parentVisit(object, []);
  }

  /**
   * Returns the edges by which the holders of a relation count as holders next: tuples, and the model's computed relations
   * among them.
   */
  next(node: string): Edge[] {
    const { object, relation } = this.nodes.get(node) as ObjectRelation;
    const computed = [...(this.input.model.types.get(object.type)?.values() ?? [])]
      .filter((one) => one.computed.includes(relation))
      .map((one) => ({ from: node, to: this.node(object, one.name), condition: undefined, covered: true }));
    return [...(this.edges.get(node) ?? []), ...computed];
  }

  condition({ name, context }: NonNullable<Tuple['condition']>, place: SourcePlace): string | undefined {
    const condition = this.input.model.conditions.get(name);
    if (condition === undefined) {
      this.refusals.add(place, `the model has no condition "${name}".`);
      return undefined;
    }
    try {
      return conditionText(condition, context);
    } catch (error) {
      if (!(error instanceof UnsayableCondition)) throw error;
      this.refusals.add(condition.place, `the condition "${name}" cannot be said: ${error.message}.`);
      return 'false';
    }
  }

  resourcePath({ type, id }: ObjectName): string {
    return `${this.input.application}/${path(type)}/${path(id)}`;
  }
}

function grouped<T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const item of items) {
    append(found, keyOf(item), item);
  }
  return found;
}
