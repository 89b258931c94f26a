import type { Json } from '@authz-service/core/json/json';
import type { SourcePlace } from '@authz-service/core/manifest/manifest';
import { definitionOf } from '@authz-service/core/records/registry';
import type { Model } from './model.js';
import type { Refusals } from './refusals.js';

/** A relationship tuple as it is written. */
export interface WrittenTuple {
  user: string;
  relation: string;
  object: string;
  condition?: { name: string; context: Record<string, Json> };
  place: SourcePlace;
}

export interface ObjectName {
  type: string;
  id: string;
}

/** Whom a tuple names: a subject, all of a type, or those who hold a relation of an object. */
export type User = ObjectName & { relation?: string; wildcard: boolean };

export interface Tuple {
  user: User;
  relation: string;
  object: ObjectName;
  condition: WrittenTuple['condition'];
  place: SourcePlace;
}

/** `type:id`; undefined if it is none. */
export function objectName(text: string): ObjectName | undefined {
  const colon = text.indexOf(':');
  return colon < 1 || colon === text.length - 1 ? undefined : { type: text.slice(0, colon), id: text.slice(colon + 1) };
}

/** `type:id`, `type:*` or `type:id#relation`; undefined if it is none. */
export function userOf(text: string): User | undefined {
  const hash = text.indexOf('#');
  const name = objectName(hash < 0 ? text : text.slice(0, hash));
  if (name === undefined || hash === text.length - 1) return undefined;
  return { ...name, wildcard: name.id === '*', ...(hash >= 0 && { relation: text.slice(hash + 1) }) };
}

/** The tuples that the model allows; OpenFGA ignores or refuses others, and they are refused here. */
export function readTuples(model: Model, written: readonly WrittenTuple[], refusals: Refusals): Tuple[] {
  return written.flatMap(({ user: userText, object: objectText, relation, condition, place }) => {
    const said = `${userText} ${relation} ${objectText}`;
    const user = userOf(userText);
    const object = objectName(objectText);
    if (user === undefined || object === undefined) {
      refusals.add(place, `the tuple "${said}" needs a user and an object written as TYPE:ID.`);
      return [];
    }
    const fault = nameFault(model, object) ?? (user.wildcard ? undefined : nameFault(model, user));
    if (fault !== undefined) {
      refusals.add(place, `no record can have a name of this tuple: ${fault}.`);
      return [];
    }
    const direct = model.types.get(object.type)?.get(relation)?.direct;
    const allowed = direct?.some(
      (one) =>
        one.type === user.type &&
        one.relation === user.relation &&
        one.wildcard === user.wildcard &&
        one.condition === condition?.name,
    );
    if (allowed !== true) {
      refusals.add(place, `the model does not allow the tuple "${said}"${condition ? ` with ${condition.name}` : ''}.`);
      return [];
    }
    return [{ user, object, relation, condition, place }];
  });
}

/** Why no record can be named after an object, or after those who hold a relation of it. */
export function nameFault(model: Model, { type, id }: ObjectName): string | undefined {
  const relations = [...(model.types.get(type)?.keys() ?? [])];
  const longest = relations.reduce((one, other) => (other.length > one.length ? other : one), '');
  const { error } =
    longest === ''
      ? definitionOf('subject').schema.safeParse({ type, id })
      : definitionOf('group').schema.safeParse({ name: `${type}:${id}#${longest}` });
  if (error !== undefined) return `${JSON.stringify(`${type}:${id}`)} with its relations ${error.issues[0]?.message}`;
  return /\p{Cs}/u.test(id) ? `${JSON.stringify(id)} must be Unicode text` : undefined;
}
