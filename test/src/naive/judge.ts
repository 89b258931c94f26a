import type { EngineRecord } from '@authz-service/core/access/api/engine';
import { Guard } from '@authz-service/core/conditions/evaluate/guard';
import type { Scope } from '@authz-service/core/conditions/values/scope';
import type { JsonObject } from '@authz-service/core/json/json';
import { RULE_FORMS } from '@authz-service/core/records/access-rule';
import { path } from '@authz-service/core/records/address';
import type { Fields } from '@authz-service/core/records/registry';
import type { DecisionRequest } from '@authz-service/core/request';
import { isSuspended } from './candidates.js';
import { fieldsOf, isAllowed } from './enumerate-pairs.js';
import { askWithout } from './evaluate.js';
import { whereaboutsOf } from './whereabouts.js';

export type Rule = Fields<'access_rule'>;
type Records = readonly EngineRecord[];

/** True, false, or neither: an absent attribute or a failure. */
type Truth = boolean | 'open';

/**
 * In which contexts a request breaks a rule in a state, by docs/semantics.md 11.1 to 11.5 as they are written. Of
 * `separate`, in which contexts the rule speaks of it and it is allowed.
 */
export function breakingIn(
  records: Records,
  rule: Rule,
  sent: DecisionRequest,
  now: number,
): (context: JsonObject) => boolean {
  const request = withoutRecorded(records, sent);
  const form = formOf(rule);
  const claim = claimOf(rule);
  const type = form === 'only' ? undefined : claim.subjects?.type;
  if ((type ?? request.subject.type) !== request.subject.type || !meansResource(records, rule, request)) return never;
  // Semantics 11.2: of `always`, nobody while suspended.
  const subject = fieldsOf('subject', records).get(path(request.subject.type, request.subject.id));
  if (form === 'always' && isSuspended(subject, now) && rule.always?.even_suspended !== true) return never;
  const asked = askWithout(records, request, now);
  if ('error' in asked || (form !== 'always' && asked.policies.every(({ effect }) => effect === 'DENY'))) return never;
  return (context) => {
    const scope = asked.scope(context);
    const who = every([whom(rule, request, scope), truthOf(claim.subjects?.where, scope)]);
    const what = every([truthOf(claim.resources.where, scope), truthOf(rule.when, scope)]);
    const allowed = isAllowed(asked.answer(context));
    if (form === 'always') return !allowed && who === true && what === true;
    if (form === 'only') return allowed && who !== true && what !== false;
    return allowed && who !== false && what !== false;
  };
}

/** For requests of which a rule does not speak, or that nothing allows. */
export const never = () => false;

/** By 11.3 a recorded property counts as recorded, whatever a request says. */
function withoutRecorded(records: Records, { subject, resource, ...rest }: DecisionRequest): DecisionRequest {
  const unrecorded = (kind: 'subject' | 'resource', own: string, properties: JsonObject = {}) => {
    const stored = fieldsOf(kind, records).get(own)?.properties ?? {};
    return Object.fromEntries(Object.entries(properties).filter(([name]) => !Object.hasOwn(stored, name)));
  };
  const [who, what] = [path(subject.type, subject.id), `${resource.type}/${path(resource.name ?? '')}`];
  return {
    ...rest,
    subject: { ...subject, properties: unrecorded('subject', who, subject.properties) },
    resource: { ...resource, properties: unrecorded('resource', what, resource.properties) },
  };
}

export function formOf(rule: Rule) {
  return RULE_FORMS.find((form) => rule[form] !== undefined) ?? 'never';
}

export function claimOf(rule: Rule): NonNullable<Rule['never']> {
  return rule[formOf(rule)] as NonNullable<Rule['never']>;
}

/** Semantics 11.2: whom the rule means, but for its `where`. */
function whom(rule: Rule, { subject }: DecisionRequest, scope: Scope): Truth {
  const { type, named, groups, roles } = claimOf(rule).subjects ?? {};
  if (type !== undefined && type !== subject.type) return false;
  if ((named ?? groups ?? roles) === undefined) return true;
  const ways: Truth[] = [
    named?.includes(path(subject.type, subject.id)) ?? false,
    ...(groups ?? []).map((group) => truthOf(`subject.in_group(${JSON.stringify(group)})`, scope)),
    ...(roles ?? []).map((role) => truthOf(`subject.has_role(${JSON.stringify(role)})`, scope)),
  ];
  return ways.includes(true) ? true : ways.every((way) => way === false) ? false : 'open';
}

/** Semantics 11.2: whether the rule speaks of the resource, but for its `where`. */
function meansResource(records: Records, rule: Rule, { resource }: DecisionRequest): boolean {
  if (!fieldsOf('resource_type', records).has(resource.type)) return false;
  const { types = [], named = [], below } = claimOf(rule).resources;
  if (types.includes('*') || types.includes(resource.type)) return true;
  const own = `${resource.type}/${path(resource.name ?? '')}`;
  if (named.includes(own)) return true;
  const recorded = fieldsOf('resource', records).has(own);
  const where = whereaboutsOf(records, resource.type, recorded ? own : undefined, resource.properties ?? {});
  return below === true && where !== 'invalid_request' && named.some((one) => where.above.has(one));
}

function every(parts: readonly Truth[]): Truth {
  return parts.includes(false) ? false : parts.includes('open') ? 'open' : true;
}

function truthOf(condition: string | undefined, scope: Scope): Truth {
  if (condition === undefined) return true;
  const outcome = new Guard(condition, undefined).evaluate(scope);
  return typeof outcome === 'boolean' ? outcome : 'open';
}
