/** A tenant of a few records, of which tests say what differs. */
import { expect } from 'vitest';
import { judged } from './judged.js';

export interface Tenant {
  rule?: string;
  policies?: string;
  groups?: string;
  roles?: string;
  resources?: string;
  subjects?: string;
  more?: string;
}
export const NEVER = 'never: { subjects: user/ann, actions: [read], resources: pay/slip }';
export const READ = 'read: { effect: ALLOW, resource_type: slip, actions: [read] }';
/** `read` is about shelves, and `two` about slips. */
export const TWO = `${READ.replace('slip', 'shelf').replace('[read]', '[enter]')}\n      ${READ.replace('read:', 'two:')}`;
export const tenant = ({ rule = NEVER, policies = READ, groups = '', roles = '', resources = '', ...rest }: Tenant) => `
applications:
  pay:
    resource_types:
      room: { actions: [enter, purge], parents: [{ type: room, property: up }] }
      shelf: { actions: [enter] }
      slip: { actions: [read, sign], parents: [{ type: room, property: in }, { type: shelf, property: on }] }
    resources:
      hr: { type: room, properties: { secret: false } }
      c: { type: shelf, properties: { secret: false } }
      ${resources}
    roles: { reader: { from_requests: false, policies: [read] }${roles} }
    policies:
      ${policies}
groups: { outer: {}, mid: {}, inner: {}${groups} }
subjects: ${rest.subjects ?? '{ user/ann: {}, user/bob: {} }'}
access_rules: { r: { ${rule} } }
${rest.more ?? ''}
`;
export type Row = [what: string, before: Tenant, after: Tenant, says: RegExp | undefined];

export function check(before: Tenant, after: Tenant, says: RegExp | undefined): void {
  expect(judged(tenant(before), tenant(after))).toEqual(says === undefined ? [] : [expect.stringMatching(says)]);
}

/** Means one slip by its name, though all of the type are asked for. */
export const NAMED = `never: { subjects: user/ann, actions: [read], resources: { types: [pay/slip], where: 'has(resource.name) && resource.name == "s1"' } }`;
export const ANN = /user\/ann may "read" pay\/slip/;
export const members = (...pairs: [group: string, member: string][]) =>
  `group_memberships: [${pairs.map(([group, member]) => `{ group: ${group}, member: ${member} }`).join(', ')}]\n`;
export const given = (to: string, policy = 'pay/read') => `policy_assignments: [{ policy: ${policy}, to: ${to} }]\n`;
export const held = (to: string, role = 'pay/reader') => `role_assignments: [{ role: ${role}, to: ${to} }]\n`;
