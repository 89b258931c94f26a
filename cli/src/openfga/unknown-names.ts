import { nearest } from '@authz-service/core/text/nearest';
import { type Model, type Relation, tuplesetTypes } from './model.js';
import type { Refusals } from './refusals.js';

/**
 * Refuses relations that name what the model does not define. OpenFGA refuses such a model; translated, the relation
 * would lose holders in silence.
 */
export function refuseUnknownNames(model: Model, refusals: Refusals): void {
  for (const own of model.types.values()) {
    for (const relation of own.values())
      for (const fault of faultsOf(model, relation))
        refusals.add(relation.place, `${relation.type}#${relation.name} names ${fault}`);
  }
}

function* faultsOf(model: Model, { type, direct, computed, from }: Relation): Generator<string> {
  for (const one of direct) {
    if (!model.types.has(one.type)) yield unknown('type', one.type, model.types.keys());
    else if (one.relation !== undefined && !isRelation(model, one.type, one.relation))
      yield unknownRelation(model, [one.type], one.relation);
    if (one.condition !== undefined && !model.conditions.has(one.condition))
      yield unknown('condition', one.condition, model.conditions.keys());
  }
  for (const name of computed) if (!isRelation(model, type, name)) yield unknownRelation(model, [type], name);
  for (const { tupleset, relation } of from) {
    const types = tuplesetTypes(model, type, tupleset);
    if (!isRelation(model, type, tupleset)) yield unknownRelation(model, [type], tupleset);
    else if (types.length === 0) yield `"${tupleset}", which relates to no object.`;
    else if (!types.some((one) => isRelation(model, one, relation))) yield unknownRelation(model, types, relation);
  }
}

export function isRelation(model: Model, type: string, name: string): boolean {
  return model.types.get(type)?.has(name) === true;
}

/** Says that none of the types has the relation. */
export function unknownRelation(model: Model, types: readonly string[], name: string): string {
  const known = types.flatMap((type) => [...(model.types.get(type)?.keys() ?? [])]);
  return unknown(`relation of ${types.join(', ')}`, name, known);
}

function unknown(what: string, name: string, known: Iterable<string>): string {
  const meant = nearest(name, known);
  return `"${name}", which is no ${what}${meant === undefined ? '.' : `: did you mean "${meant}"?`}`;
}
