import { path } from '@authz-service/core/records/address';
import type { Kind } from '@authz-service/core/records/kinds';
import type { DeclaredRecord, FieldsInput } from '@authz-service/core/records/registry';
import { declare, definitionOf } from '@authz-service/core/records/registry';
import { fromRules, type Hierarchy } from './hierarchy.js';
import { type Model, tuplesetTypes } from './model.js';
import type { Refusals } from './refusals.js';
import { askedKey, nodeName, type ObjectRelation, RelationGraph } from './relation-graph.js';
import type { ObjectName, Tuple, User } from './tuple.js';

export interface TranslateInput {
  model: Model;
  hierarchy: Hierarchy;
  tuples: readonly Tuple[];
  /** Objects and subjects that only questions name. */
  objects: readonly ObjectName[];
  subjects: readonly ObjectName[];
  /** Relations that questions ask about, by type. */
  asked: ReadonlySet<string>;
  application: string;
}

export interface Translation {
  records: DeclaredRecord[];
  /** The relations of objects that groups stand for, by `type:id#relation`, with the name of the group. */
  groups: ReadonlyMap<string, ObjectRelation>;
}

/** Translates a model and its tuples into records. What cannot be said exactly is added to the refusals. */
export function translate(input: TranslateInput, refusals: Refusals): Translation {
  return new Translator(input, refusals).translate();
}

class Translator {
  readonly #structural = new Map<string, boolean>();
  readonly #records = new Map<string, DeclaredRecord>();
  readonly #graph: RelationGraph;
  readonly #objects = new Map<string, ObjectName>();
  readonly #conditional = new Map<string, { name: string; type: string; relation: string; condition: string }>();

  constructor(
    private readonly input: TranslateInput,
    refusals: Refusals,
  ) {
    this.#graph = new RelationGraph(input, refusals);
  }

  translate(): Translation {
    const { tuples, objects } = this.input;
    for (const { object, user } of tuples) {
      this.#object(object);
      if (!user.wildcard && this.input.model.types.get(user.type)?.size) this.#object(user);
    }
    for (const object of objects) this.#object(object);
    this.#declareModel();
    this.#declareGroups();
    for (const tuple of tuples) this.#declareTuple(tuple);
    this.#removeEmptyGroups();
    this.#declareConditionalRoles();
    for (const subject of this.input.subjects) this.#subject(subject);
    this.#declareObjects();
    const groups = [...this.#graph.grouped].filter((node) => this.#records.has(`group/${path(node)}`));
    return {
      records: [...this.#records.values()],
      groups: new Map(groups.map((node) => [node, this.#graph.nodes.get(node) as ObjectRelation])),
    };
  }

  /** Whether a relation only says how objects belong together: it is no action, and its tuples grant nothing. */
  #isStructural(type: string, relation: string): boolean {
    const key = askedKey(type, relation);
    const known = this.#structural.get(key) ?? this.#judgeStructural(type, relation);
    this.#structural.set(key, known);
    return known;
  }

  #judgeStructural(type: string, relation: string): boolean {
    const { model, asked } = this.input;
    if (asked.has(askedKey(type, relation))) return false;
    const rules = fromRules(model);
    const relations = [...model.types.values()].flatMap((own) => [...own.values()]);
    return (
      rules.some(({ of, tupleset }) => of.type === type && tupleset === relation) &&
      !rules.some(
        (rule) => rule.relation === relation && tuplesetTypes(model, rule.of.type, rule.tupleset).includes(type),
      ) &&
      !relations.some((one) => one.type === type && one.computed.includes(relation)) &&
      !relations.some(({ direct }) => direct.some((one) => one.type === type && one.relation === relation))
    );
  }

  #object({ type, id }: ObjectName): void {
    this.#objects.set(`${type}:${id}`, { type, id });
  }

  #declareModel(): void {
    const { model, application, hierarchy } = this.input;
    this.#put('application', { name: application });
    for (const [type, relations] of model.types) {
      const actions = [...relations.keys()].filter((relation) => !this.#isStructural(type, relation));
      const parents = hierarchy.parents(type);
      const isParent = [...model.types.keys()].some((other) =>
        hierarchy.parents(other).some((one) => one.type === type),
      );
      if (actions.length === 0 && parents.length === 0 && !isParent) continue;
      const several = (tupleset: string) => parents.filter((one) => one.tupleset === tupleset).length > 1;
      this.#put('resource_type', {
        application,
        name: type,
        actions,
        ...(parents.length > 0 && {
          parents: parents.map((one) => ({
            type: `${application}/${path(one.type)}`,
            property: several(one.tupleset) ? `${one.tupleset}_${one.type}` : one.tupleset,
          })),
        }),
      });
      for (const relation of actions)
        this.#put('role', { application, name: `${type}.${relation}`, from_requests: false });
    }
    this.#declarePolicies((type, relation) => [`${type}.${relation}`, `${type}.${relation}`], undefined);
  }

  /** For each relation a policy, and to it the roles of all relations that imply it. */
  #declarePolicies(
    names: (type: string, relation: string) => [policy: string, role: string],
    condition: string | undefined,
    only?: (type: string, relation: string) => boolean,
  ): void {
    const { model, application, hierarchy } = this.input;
    for (const [type, relations] of model.types) {
      for (const relation of relations.keys()) {
        if (this.#isStructural(type, relation) || only?.(type, relation) === false) continue;
        for (const covered of hierarchy.closure(type, relation)) {
          if (this.#isStructural(covered.type, covered.relation)) continue;
          const [policy] = names(covered.type, covered.relation);
          this.#put('policy', {
            application,
            name: policy,
            effect: 'ALLOW',
            resource_type: `${application}/${path(covered.type)}`,
            actions: [covered.relation],
            ...(condition !== undefined && { condition }),
          });
          const [, role] = names(type, relation);
          this.#put('policy_assignment', {
            policy: `${application}/${path(policy)}`,
            entity_type: 'role',
            entity: `${application}/${path(role)}`,
          });
        }
      }
    }
  }

  /** Groups with members, or that a tuple names, and what they hold. */
  #declareGroups(): void {
    for (const node of this.#graph.grouped) {
      const { object, relation } = this.#graph.nodes.get(node) as ObjectRelation;
      this.#put('group', { name: node });
      if (!this.#isStructural(object.type, relation)) this.#hold('group', path(node), { object, relation }, undefined);
      for (const { to, condition, covered } of this.#graph.edges.get(node) ?? []) {
        // A conditional edge is declared with the tuple that makes it; a relation that inherits itself adds nothing.
        if (condition !== undefined || to === node) continue;
        const target = this.#graph.nodes.get(to) as ObjectRelation;
        if (this.#graph.grouped.has(to))
          this.#put('group_membership', { group: path(to), entity_type: 'group', entity: path(node) });
        else if (covered !== true) this.#hold('group', path(node), target, undefined);
      }
    }
  }

  /** Removes groups that nobody can be a member of by these tuples, unless a tuple names them. */
  #removeEmptyGroups(): void {
    const kept = new Set(
      this.input.tuples.flatMap(({ user }) =>
        user.relation === undefined ? [] : [path(nodeName(user, user.relation))],
      ),
    );
    const empty = new Set([...this.#graph.grouped].map((node) => path(node)).filter((group) => !kept.has(group)));
    const memberships = [...this.#records.values()].filter((record) => record.kind === 'group_membership');
    for (let before = -1; before !== empty.size; ) {
      before = empty.size;
      for (const { fields } of memberships) {
        if (fields.entity_type === 'subject' || !empty.has(fields.entity)) empty.delete(fields.group);
      }
    }
    for (const [address, { kind, fields }] of this.#records) {
      const ofGroup = 'entity_type' in fields && fields.entity_type === 'group' && empty.has(fields.entity);
      const isGroup = kind === 'group' && empty.has(path(fields.name));
      if (ofGroup || isGroup || (kind === 'group_membership' && empty.has(fields.group))) this.#records.delete(address);
    }
  }

  #declareTuple({ user, object, relation, condition, place }: Tuple): void {
    if (this.#isStructural(object.type, relation)) return;
    const start = nodeName(object, relation);
    const text = condition && this.#graph.condition(condition, place);
    if (user.relation === undefined && !user.wildcard) this.#subject(user);
    if (text === undefined && !user.wildcard) {
      if (user.relation !== undefined) return; // An edge between groups, which is declared with them.
      const entity = path(user.type, user.id);
      if (this.#graph.grouped.has(start))
        this.#put('group_membership', { group: path(start), entity_type: 'subject', entity });
      else this.#hold('subject', entity, { object, relation }, undefined);
      return;
    }
    // Nobody can be a member of a group under a condition, nor everyone of a group: what follows is given to them.
    const open: { node: string; conditions: readonly string[]; covered?: boolean }[] = [
      { node: start, conditions: text === undefined ? [] : [text] },
    ];
    const seen = new Set<string>();
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const key = JSON.stringify([at.node, [...at.conditions].sort()]);
      if (seen.has(key)) continue;
      seen.add(key);
      const here = this.#graph.nodes.get(at.node) as ObjectRelation;
      if (at.covered !== true) this.#give(user, here, at.conditions);
      for (const next of this.#graph.next(at.node)) {
        const conditions =
          next.condition === undefined ? at.conditions : [...new Set([...at.conditions, next.condition])];
        open.push({ node: next.to, conditions, covered: next.covered === true });
      }
    }
  }

  #give(user: User, target: ObjectRelation, conditions: readonly string[]): void {
    if (this.#isStructural(target.object.type, target.relation)) return;
    const condition =
      conditions.length === 0
        ? undefined
        : conditions.length === 1
          ? conditions[0]
          : conditions.map((one) => `(${one})`).join(' && ');
    if (user.wildcard) this.#hold('everyone', user.type, target, condition);
    else if (user.relation !== undefined) this.#hold('group', path(nodeName(user, user.relation)), target, condition);
    else this.#hold('subject', path(user.type, user.id), target, condition);
  }

  #hold(
    entity_type: 'subject' | 'group' | 'everyone',
    entity: string,
    { object, relation }: ObjectRelation,
    condition: string | undefined,
  ): void {
    const { application } = this.input;
    const name =
      condition === undefined ? `${object.type}.${relation}` : this.#conditionalRole(object.type, relation, condition);
    this.#object(object);
    this.#put('role_assignment', {
      role: `${application}/${path(name)}`,
      entity_type,
      entity,
      resource: this.#graph.resourcePath(object),
    });
  }

  #conditionalRole(type: string, relation: string, condition: string): string {
    const key = JSON.stringify([type, relation, condition]);
    const present = this.#conditional.get(key);
    if (present !== undefined) return present.name;
    const conditions = [...new Set([...this.#conditional.values()].map((one) => one.condition))];
    const number = conditions.includes(condition) ? conditions.indexOf(condition) + 1 : conditions.length + 1;
    const name = `${type}.${relation}.if-${number}`;
    this.#conditional.set(key, { name, type, relation, condition });
    return name;
  }

  #declareConditionalRoles(): void {
    for (const { name, type, relation, condition } of this.#conditional.values()) {
      const suffix = name.slice(`${type}.${relation}`.length);
      this.#put('role', { application: this.input.application, name, from_requests: false });
      this.#declarePolicies(
        (other, its) => [`${other}.${its}${suffix}`, `${other}.${its}${suffix}`],
        condition,
        (other, its) => other === type && its === relation,
      );
    }
  }

  #declareObjects(): void {
    for (const [key, object] of this.#objects) {
      const { application } = this.input;
      if (!this.#records.has(`resource_type/${application}/${path(object.type)}`)) continue;
      const parents = this.#graph.parents.get(key);
      this.#put('resource', {
        type: `${application}/${path(object.type)}`,
        name: object.id,
        ...(parents && { parents: [...parents] }),
      });
    }
  }

  #subject({ type, id }: ObjectName): void {
    this.#put('subject', { type, id });
  }

  #put<K extends Kind>(kind: K, fields: FieldsInput<K>): void {
    const parsed = definitionOf(kind).schema.parse(fields);
    const record = declare(kind, parsed as never) as DeclaredRecord;
    this.#records.set(record.address, record);
  }
}
