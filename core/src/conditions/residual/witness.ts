import type { Json, JsonObject } from '../../json/json.js';
import { isResourcePath, type Path } from '../../records/address.js';
import type { Choice } from './compare-decision-lists.js';
import { setMember } from './domain/set-member.js';

/** The values that a request must send besides what is known, so that it is answered as claimed. */
export interface ChosenValues {
  readonly context: JsonObject;
  /** Only those that are not recorded. */
  readonly subjectProperties: JsonObject;
  readonly actionProperties: JsonObject;
  readonly resourceProperties: JsonObject;
  /** Names that are variables and make a difference, or that the request leaves out. */
  readonly subjectId: string | undefined;
  readonly subjectType: string | undefined;
  readonly actionName: string | undefined;
  readonly resourceId: string | undefined;
  readonly resourceName: string | undefined;
  /** The paths of roles that the request names. */
  readonly roles: readonly Path[];
  /** The paths of recorded resources in which it says that the resource lies, besides those that are known. */
  readonly places: readonly Path[];
  /** The instant of the decision, in milliseconds, where it makes a difference; otherwise any of the known span will do. */
  readonly now: number | undefined;
}

export function witnessOf(choice: Choice | undefined): ChosenValues {
  const properties: { readonly [root: string]: JsonObject } = { context: {}, subject: {}, action: {}, resource: {} };
  const texts: { [kind: string]: string | undefined } = {};
  const chosen: Path[] = [];
  let now: number | undefined;
  for (let one = choice; one !== undefined; one = one.more) {
    for (const [attribute, value] of one.chosen) {
      if (attribute.kind === 'now') now = value as number;
      else if (attribute.kind === 'role') chosen.push(...(value === true ? attribute.role.anyOf : []));
      else if (attribute.kind === 'ancestors') continue;
      else if (attribute.kind !== 'property') texts[attribute.kind] = value as string | undefined;
      else if (attribute.name === undefined) Object.assign(properties[attribute.root] as JsonObject, value);
      else if (value !== undefined) setMember(properties[attribute.root] as JsonObject, attribute.name, value as Json);
    }
  }
  const { context, subject, action, resource } = properties as {
    [root in 'context' | 'subject' | 'action' | 'resource']: JsonObject;
  };
  return {
    context,
    subjectProperties: subject,
    actionProperties: action,
    resourceProperties: resource,
    subjectId: texts.subjectId,
    subjectType: texts.subjectType,
    actionName: texts.actionName,
    resourceId: texts.resourceId,
    resourceName: texts.resourceName,
    roles: chosen.filter((path) => !isResourcePath(path)),
    places: chosen.filter(isResourcePath),
    now,
  };
}
