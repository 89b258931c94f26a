import type { JsonObject } from '../../json/json.js';
import { decodeSegment } from '../../records/address.js';
import type { DecisionRequest } from '../../request.js';
import { type AccessSide, FreeUniverse, OTHER_TYPE } from './access-side.js';
import { recordAt } from './access-view.js';
import type { Breach, JudgedCell } from './judge-cell.js';
import { waysToName } from './parent-values.js';
import { liesAmongOthers } from './resource-places.js';
import type { BreakingRequest } from './violation.js';

/** The request by which a rule is broken. What makes no difference is left out, or has a name that no record has. */
export function breakingRequest(side: AccessSide, { subject }: JudgedCell, breach: Breach): BreakingRequest {
  const { action, unit, said, span, witness } = breach;
  const free = new FreeUniverse([side.view]);
  const type = subject.type === OTHER_TYPE ? (witness?.subjectType ?? 'other') : subject.type;
  const id =
    subject.path === undefined
      ? (witness?.subjectId ?? unrecorded('somebody', (text) => free.subjectId(type).admits(text)))
      : decodeSegment(subject.path.slice(subject.path.indexOf('/') + 1));
  const names = free.resourceNames(unit.type);
  const name =
    unit.path === undefined
      ? (witness?.resourceName ?? unrecorded('something', (text) => names.admitsName(text)))
      : decodeSegment(unit.path.slice(unit.type.length + 1));
  const resourceProperties = { ...witness?.resourceProperties, ...parents(side, unit), ...said.values };
  const request: DecisionRequest = {
    subject: {
      type,
      id,
      ...some('properties', witness?.subjectProperties),
      ...(witness && witness.roles.length > 0 && { roles: [...witness.roles].sort() }),
    },
    resource: { type: unit.type, name, ...some('properties', resourceProperties) },
    action: { name: witness?.actionName ?? action, ...some('properties', witness?.actionProperties) },
    ...some('context', witness?.context),
  };
  return { request, now: new Date(witness?.now ?? span.from).toISOString() };
}

/** Returns the properties by which a request says where a resource without a record lies. */
function parents(side: AccessSide, { type, place }: JudgedCell['unit']): JsonObject {
  if (place === 'record' || place === 'unsaid' || liesAmongOthers({ place })) return {};
  const declared = recordAt(side.view, 'resource_type', type)?.fields.parents ?? [];
  const { below, unsaid = [] } = typeof place === 'object' ? place : { below: [] };
  const sent = declared.filter(({ property }) => !unsaid.includes(property));
  return waysToName(below, sent).next().value ?? {};
}

function unrecorded(word: string, admits: (text: string) => boolean): string {
  let text = word;
  for (let number = 2; !admits(text); number++) text = `${word}-${number}`;
  return text;
}

function some<K extends string>(key: K, value: JsonObject | undefined): { [P in K]?: JsonObject } {
  return value === undefined || Object.keys(value).length === 0 ? {} : ({ [key]: value } as { [P in K]: JsonObject });
}
