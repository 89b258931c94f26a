import type { SourcePlace } from '@authz-service/core/manifest/manifest';
import type { Refusals } from './refusals.js';

/** A relation of a type of object, as whose holders the holders of others count. */
export interface Relation {
  type: string;
  name: string;
  place: SourcePlace;
  /** Whom tuples may name. */
  direct: readonly DirectType[];
  /** Relations of the same object that imply this one. */
  computed: readonly string[];
  /** `relation from tupleset`: relations of the objects that the tupleset names. */
  from: readonly From[];
}

export interface DirectType {
  type: string;
  relation?: string;
  wildcard: boolean;
  condition?: string;
}

export interface From {
  tupleset: string;
  relation: string;
}

export interface ModelCondition {
  name: string;
  expression: string;
  /** The type of each parameter: `int`, `list<string>`, … */
  parameters: ReadonlyMap<string, string>;
  place: SourcePlace;
}

export interface Model {
  types: ReadonlyMap<string, ReadonlyMap<string, Relation>>;
  conditions: ReadonlyMap<string, ModelCondition>;
}

/** OpenFGA's own JSON of a model, as far as it is read here. */
export interface ModelJson {
  type_definitions?: readonly {
    type: string;
    relations?: Record<string, Userset>;
    metadata?: { relations?: Record<string, { directly_related_user_types?: readonly DirectJson[] }> } | null;
  }[];
  conditions?: Record<
    string,
    {
      expression: string;
      parameters?: Record<string, { type_name: string; generic_types?: readonly { type_name: string }[] }>;
    }
  >;
}

interface DirectJson {
  type: string;
  relation?: string;
  wildcard?: object;
  condition?: string;
}

interface Userset {
  this?: object;
  computedUserset?: { relation?: string };
  tupleToUserset?: { tupleset?: { relation?: string }; computedUserset?: { relation?: string } };
  union?: { child?: readonly Userset[] };
  intersection?: object;
  difference?: object;
}

/** Returns where a relation or a condition is defined. */
export type PlaceOf = (what: { type: string; relation: string } | { condition: string }) => SourcePlace;

/** Reads a model of which every relation is a union; others are refused with the line that defines them. */
export function readModel(json: ModelJson, placeOf: PlaceOf, refusals: Refusals): Model {
  const types = new Map<string, Map<string, Relation>>();
  for (const { type, relations = {}, metadata } of json.type_definitions ?? []) {
    const own = new Map<string, Relation>();
    for (const [name, userset] of Object.entries(relations)) {
      const place = placeOf({ type, relation: name });
      const related = metadata?.relations?.[name]?.directly_related_user_types ?? [];
      const found = { direct: [] as DirectType[], computed: [] as string[], from: [] as From[] };
      const read = (part: Userset): void => {
        if (part.this !== undefined) found.direct.push(...related.map(directOf));
        else if (part.computedUserset?.relation) found.computed.push(part.computedUserset.relation);
        else if (part.tupleToUserset !== undefined) {
          const { tupleset, computedUserset } = part.tupleToUserset;
          found.from.push({ tupleset: tupleset?.relation ?? '', relation: computedUserset?.relation ?? '' });
        } else if (part.union !== undefined) for (const child of part.union.child ?? []) read(child);
        else if (part.intersection !== undefined) refusals.add(place, `${type}#${name} is ${INTERSECTION}`);
        else refusals.add(place, `${type}#${name} is ${EXCLUSION}`);
      };
      read(userset);
      own.set(name, { type, name, place, ...found });
    }
    types.set(type, own);
  }
  const conditions = new Map<string, ModelCondition>();
  for (const [name, { expression, parameters = {} }] of Object.entries(json.conditions ?? {})) {
    const typed = Object.entries(parameters).map(([key, value]) => [key, typeText(value)] as const);
    conditions.set(name, { name, expression, parameters: new Map(typed), place: placeOf({ condition: name }) });
  }
  return { types, conditions };
}

const INTERSECTION =
  'an intersection ("and"), which is not translated: write a policy on the role of one side whose condition asks for that of the other by subject.has_role().';
const EXCLUSION =
  'an exclusion ("but not"): a DENY would also deny those who hold the relation in another way or through another relation.';

function directOf({ type, relation, wildcard, condition }: DirectJson): DirectType {
  return {
    type,
    wildcard: wildcard !== undefined,
    ...(relation && { relation }),
    ...(condition && { condition }),
  };
}

function typeText({
  type_name,
  generic_types = [],
}: {
  type_name: string;
  generic_types?: readonly { type_name: string }[];
}): string {
  const plain = (name: string) => name.replace('TYPE_NAME_', '').toLowerCase();
  return generic_types.length === 0
    ? plain(type_name)
    : `${plain(type_name)}<${generic_types.map((one) => plain(one.type_name)).join()}>`;
}

/** The relations of an object that those who hold one of these hold, too. */
export function implied(model: Model, type: string, held: Iterable<string>): Set<string> {
  const found = new Set(held);
  const relations = [...(model.types.get(type)?.values() ?? [])];
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const { name, computed } of relations) if (computed.some((one) => found.has(one))) found.add(name);
  }
  return found;
}

/** The types of object that a tupleset may name. */
export function tuplesetTypes(model: Model, type: string, tupleset: string): string[] {
  const direct = model.types.get(type)?.get(tupleset)?.direct ?? [];
  return [...new Set(direct.filter((one) => !one.relation && !one.wildcard).map((one) => one.type))];
}
