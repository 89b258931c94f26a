/** A tenant under access rules, and the kinds of commits that are measured in it. */
import type { Kind } from '@authz-service/core/records/kinds';
import { addressOf, declare, type StoredRecord } from '@authz-service/core/records/registry';
import type { Change } from '@authz-service/core/state/change';

const DEPARTMENTS = 20;
/** The number of people in each department. */
const PEOPLE = 1440;
const GROUPS = 58;
const POLICIES = 144;
const ROLES = 36;
/** People with a folder of their own. */
const HOMES = 600;

type Fields = Record<string, unknown>;

function stored(kind: Kind, fields: Fields): StoredRecord {
  const shared = { managed_by: 'bench', created_at: '', updated_at: '', revision: 1 };
  return { ...declare(kind, fields as never), ...shared, id: addressOf(kind, fields as never) } as StoredRecord;
}

const person = (department: number, at: number) => `user/s${department}-${at % PEOPLE}`;
const doc = (department: number, at: number) => `a${department}/doc/r${at % PEOPLE}`;
const subjectFields = (department: number, at: number, more: Fields = {}): Fields => ({
  type: 'user',
  id: `s${department}-${at}`,
  properties: { level: at % 5, contract: at % 50 === 49 ? 'external' : 'internal', ...more },
});
const docFields = (department: number, at: number, more: Fields = {}): Fields => ({
  type: `a${department}/doc`,
  name: `r${at}`,
  parents: [`a${department}/folder/f${at % 20}`],
  properties: { size: at % 100, secret: at % 30 === 29, ...more },
});
const policyFields = (department: number, at: number, more: Fields = {}): Fields => ({
  application: `a${department}`,
  name: `p${at}`,
  effect: at % 16 === 15 ? 'DENY' : 'ALLOW',
  priority: at % 16 === 15 ? 1 : 0,
  resource_type: `a${department}/doc`,
  actions: [at === 0 ? 'list' : at % 16 === 15 ? 'erase' : at % 3 === 0 ? 'write' : 'share'],
  ...(at % 4 === 1 && { condition: `context.level > ${at % 7}` }),
  ...(at % 8 === 2 && { condition: 'subject.properties.level > 2 && resource.properties.size < 50' }),
  ...more,
});

function* departmentOf(at: number): Generator<StoredRecord> {
  const application = `a${at}`;
  yield stored('application', { name: application });
  yield stored('resource_type', { application, name: 'folder', actions: ['list'] });
  yield stored('resource_type', {
    ...{ application, name: 'doc', actions: ['list', 'read', 'write', 'share', 'approve', 'erase'] },
    parents: [{ type: `${application}/folder`, property: 'folder' }],
  });
  for (let folder = 0; folder < 20; folder++)
    yield stored('resource', { type: `${application}/folder`, name: `f${folder}` });
  for (let one = 0; one < PEOPLE; one++) {
    yield stored('subject', subjectFields(at, one));
    yield stored('resource', docFields(at, one));
    yield stored('group_membership', {
      ...{ group: `g${at}-${one % GROUPS}`, entity_type: 'subject', entity: person(at, one) },
    });
  }
  for (let role = 0; role < ROLES; role++)
    yield stored('role', { application, name: `role-${role}`, from_requests: false });
  for (let group = 0; group < GROUPS; group++) {
    yield stored('group', { name: `g${at}-${group}` });
    if (group > 0 && group % 2 === 0)
      yield stored('group_membership', {
        group: `g${at}-${group / 2}`,
        entity_type: 'group',
        entity: `g${at}-${group}`,
      });
    const role = `${application}/role-${group % ROLES}`;
    yield stored('role_assignment', { role, entity_type: 'group', entity: `g${at}-${group}` });
  }
  for (let policy = 0; policy < POLICIES; policy++) {
    yield stored('policy', policyFields(at, policy));
    const to =
      policy === 0
        ? { entity_type: 'everyone', entity: '*' }
        : { entity_type: 'role', entity: `${application}/role-${policy % ROLES}` };
    yield stored('policy_assignment', { policy: `${application}/p${policy}`, ...to });
  }
  yield stored('policy', {
    ...{ application, name: 'approve', effect: 'ALLOW', resource_type: `${application}/doc`, actions: ['approve'] },
  });
  yield stored('policy_assignment', { policy: `${application}/approve`, entity_type: 'group', entity: `g${at}-57` });
  yield stored('policy', {
    ...{ application, name: 'stop', effect: 'DENY', priority: 2, resource_type: `${application}/doc` },
    actions: ['erase', 'approve'],
    condition: 'resource.properties.size == 77',
  });
  yield stored('policy_assignment', { policy: `${application}/stop`, entity_type: 'everyone', entity: '*' });
  yield stored('policy', {
    ...{ application, name: 'wide', effect: 'ALLOW', resource_type: `${application}/doc`, actions: ['read'] },
    condition: 'subject.properties.contract == "internal" && subject.properties.level > 2',
  });
  yield stored('policy', {
    ...{ application, name: 'quiet', effect: 'DENY', priority: -1, resource_type: `${application}/doc` },
    actions: ['list'],
  });
}

/** Each of many people has a folder, and what lies in it; an editor of it may edit that, and a few read all of it. */
function* homes(): Generator<StoredRecord> {
  yield stored('application', { name: 'home' });
  yield stored('resource_type', { application: 'home', name: 'folder', actions: ['list'] });
  yield stored('resource_type', {
    ...{ application: 'home', name: 'page', actions: ['read', 'edit', 'erase'] },
    parents: [{ type: 'home/folder', property: 'folder' }],
  });
  const pages = { resource_type: 'home/page', application: 'home' };
  yield stored('policy', {
    ...pages,
    name: 'edit',
    effect: 'ALLOW',
    actions: ['read', 'edit', 'erase'],
    condition: 'subject.properties.contract == "internal"',
  });
  yield stored('policy', {
    ...{ ...pages, name: 'freeze', effect: 'DENY', priority: 5, actions: ['*'] },
    condition: 'resource.properties.frozen',
  });
  yield stored('policy_assignment', { policy: 'home/freeze', entity_type: 'everyone', entity: '*' });
  yield stored('role', { application: 'home', name: 'editor', from_requests: false });
  yield stored('policy_assignment', { policy: 'home/edit', entity_type: 'role', entity: 'home/editor' });
  for (let one = 0; one < HOMES; one++) {
    const folder = `home/folder/h${one}`;
    yield stored('resource', { type: 'home/folder', name: `h${one}` });
    yield stored('resource', { type: 'home/page', name: `p${one}`, parents: [folder] });
    const holds = { role: 'home/editor', entity_type: 'subject', entity: person(one % DEPARTMENTS, one) };
    yield stored('role_assignment', { ...holds, resource: folder });
    if (one % 3 === 0) yield stored('role_assignment', { ...holds, resource: `home/folder/h${(one * 7 + 1) % HOMES}` });
  }
}

/** Twenty departments and many homes, without rules. */
export function* ungoverned(): Generator<StoredRecord> {
  for (let at = 0; at < DEPARTMENTS; at++) yield* departmentOf(at);
  yield* homes();
}

/** Four for each of twelve departments, one about homes, and two about all. */
export function* rules(): Generator<StoredRecord> {
  for (let at = 0; at < 12; at++) {
    const types = [`a${at}/doc`];
    yield stored('access_rule', {
      name: `no-externals-${at}`,
      never: {
        subjects: { type: 'user', where: 'subject.properties.contract == "external"' },
        actions: ['erase', 'read'],
        resources: { types, where: 'resource.properties.secret' },
      },
    });
    yield stored('access_rule', {
      name: `approvers-${at}`,
      only: { subjects: { groups: [`g${at}-57`] }, actions: ['approve'], resources: { types } },
    });
    yield stored('access_rule', {
      name: `listed-${at}`,
      always: { subjects: { type: 'user' }, actions: ['list'], resources: { types } },
    });
    yield stored('access_rule', {
      name: `apart-${at}`,
      separate: { actions: ['approve', 'erase'], resources: { types } },
    });
  }
  yield stored('access_rule', {
    name: 'no-externals-at-home',
    never: {
      subjects: { type: 'user', where: 'subject.properties.contract == "external"' },
      actions: ['erase', 'edit'],
      resources: { types: ['home/page'], where: 'resource.properties.secret' },
    },
  });
  yield stored('access_rule', {
    name: 'no-robots',
    never: { subjects: { type: 'robot' }, actions: ['erase'], resources: { types: ['*'] } },
  });
  yield stored('access_rule', {
    name: 'secrets-need-mfa',
    never: { actions: ['erase'], resources: { types: ['*'], where: 'resource.properties.secret' } },
    when: 'context.mfa != true',
    mode: 'warn',
  });
}

/** The changes of one kind, each made for the same state. */
export const KINDS_OF_COMMITS: Record<string, (at: number) => Change> = {
  'group member added': (at) => ({
    ...{ op: 'create', kind: 'group_membership' },
    fields: { group: `g${at % 12}-${at % GROUPS}`, entity_type: 'subject', entity: person(at % 12, at * 7 + 1) },
  }),
  'group member removed': (at) => ({
    op: 'delete',
    address: `group_membership/g${at % 12}-${at % GROUPS}//subject/${person(at % 12, at % GROUPS)}`,
  }),
  'group in a group added': (at) => ({
    ...{ op: 'create', kind: 'group_membership' },
    fields: { group: `g${at % 12}-${at % 40}`, entity_type: 'group', entity: `g${at % 12}-51` },
  }),
  'role of a subject added': (at) => ({
    ...{ op: 'create', kind: 'role_assignment' },
    fields: { role: `a${at % 12}/role-${at % ROLES}`, entity_type: 'subject', entity: person(at % 12, at * 13) },
  }),
  'role on one resource added': (at) => ({
    ...{ op: 'create', kind: 'role_assignment' },
    fields: {
      ...{ role: `a${at % 12}/role-${at % ROLES}`, entity_type: 'subject', entity: person(at % 12, at * 13) },
      resource: `a${at % 12}/folder/f${at % 20}`,
    },
  }),
  'role of a group removed': (at) => ({
    op: 'delete',
    address: `role_assignment/a${at % 12}/role-${at % ROLES}//group/g${at % 12}-${at % ROLES}`,
  }),
  'policy of a subject added': (at) => ({
    ...{ op: 'create', kind: 'policy_assignment' },
    fields: { policy: `a${at % 12}/p${at}`, entity_type: 'subject', entity: person(at % 12, at * 3) },
  }),
  'policy of a role removed': (at) => ({
    op: 'delete',
    address: `policy_assignment/a${at % 12}/p${at + 1}//role/a${at % 12}/role-${(at + 1) % ROLES}`,
  }),
  "a policy's condition": (at) => ({
    op: 'update',
    address: `policy/a${at % 12}/p${at + 1}`,
    fields: policyFields(at % 12, at + 1, { condition: `context.level > ${at}` }),
  }),
  "a policy's actions": (at) => ({
    op: 'update',
    address: `policy/a${at % 12}/p${at + 1}`,
    fields: policyFields(at % 12, at + 1, { actions: ['erase', 'share'] }),
  }),
  "a policy's effect": (at) => ({
    op: 'update',
    address: `policy/a${at % 12}/p${at + 1}`,
    fields: policyFields(at % 12, at + 1, { effect: 'DENY' }),
  }),
  "everyone's policy": (at) => ({
    op: 'update',
    address: `policy/a${at % 12}/p0`,
    fields: policyFields(at % 12, 0, { condition: `context.level > ${at}` }),
  }),
  "a subject's property": (at) => ({
    op: 'update',
    address: `subject/${person(at % 12, at)}`,
    fields: subjectFields(at % 12, at, { level: 7 }),
  }),
  "a resource's property": (at) => ({
    op: 'update',
    address: `resource/${doc(at % 12, at)}`,
    fields: docFields(at % 12, at, { size: 7 }),
  }),
  "a resource's place": (at) => ({
    op: 'update',
    address: `resource/${doc(at % 12, at)}`,
    fields: { ...docFields(at % 12, at), parents: [`a${at % 12}/folder/f3`] },
  }),
  'resource added': (at) => ({
    op: 'create',
    kind: 'resource',
    fields: { ...docFields(at % 12, at), name: `new-${at}` },
  }),
  'subject added': (at) => ({
    op: 'create',
    kind: 'subject',
    fields: { ...subjectFields(at % 12, at), id: `new-${at}` },
  }),
  'a role includes another': (at) => ({
    op: 'update',
    address: `role/a${at % 12}/role-${at % ROLES}`,
    fields: {
      ...{ application: `a${at % 12}`, name: `role-${at % ROLES}`, from_requests: false },
      includes: [`a${at % 12}/role-${(at + 1) % ROLES}`],
    },
  }),
  "a type's actions": (at) => ({
    op: 'update',
    address: `resource_type/a${at % 12}/doc`,
    fields: {
      ...{ application: `a${at % 12}`, name: 'doc' },
      actions: ['list', 'read', 'write', 'share', 'approve', 'erase', `new-${at}`],
      parents: [{ type: `a${at % 12}/folder`, property: 'folder' }],
    },
  }),
  'an ALLOW for everyone': (at) => ({
    ...{ op: 'create', kind: 'policy_assignment' },
    fields: { policy: `a${at % 12}/wide`, entity_type: 'everyone', entity: '*' },
  }),
  'a DENY for everyone': (at) => ({
    ...{ op: 'create', kind: 'policy_assignment' },
    fields: { policy: `a${at % 12}/quiet`, entity_type: 'everyone', entity: '*' },
  }),
  'a DENY for everyone removed': (at) => ({
    op: 'delete',
    address: `policy_assignment/a${at % 12}/stop//everyone/*`,
  }),
  'a DENY for everyone on homes, removed': () => ({
    op: 'delete',
    address: 'policy_assignment/home/freeze//everyone/*',
  }),
  'a role on a second home, added': (at) => ({
    ...{ op: 'create', kind: 'role_assignment' },
    fields: {
      ...{ role: 'home/editor', entity_type: 'subject', entity: person(at % DEPARTMENTS, at) },
      resource: `home/folder/h${(at * 11 + 2) % HOMES}`,
    },
  }),
};
