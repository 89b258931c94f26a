import { type DeclaredRecord, declare } from '@authz-service/core/records/registry';

const POLICIES = 10_000;
const ROLES = 200;
const GROUPS = 30;
const FOLDERS = 400;
const HELD_ON_FOLDERS = 1_000;

export const FILTER_SUBJECTS = 100;

/** Who asks, and about which rows. */
export function filterQuestion(subject: number) {
  return {
    ...{ subject: { type: 'user', id: `u${subject}` }, action: { name: 'read' } },
    resource: { type: 'docs/document' },
  };
}

/** Conditions on rows, which policies have by turns: on the subject, the context, columns of all types. */
const CONDITIONS = [
  undefined,
  'resource.properties.owner == subject.id',
  'resource.properties.amount < 5000',
  'resource.properties.state in ["open", "draft"]',
  'resource.properties.team == subject.properties.team && resource.properties.amount <= subject.properties.limit',
  'has(resource.properties.owner) && resource.properties.owner != subject.id',
  'resource.properties.tags.exists(tag, tag == "shared")',
  '!resource.properties.secret || subject.in_group("g3")',
  'resource.name.startsWith("public-")',
  'context.mfa && resource.properties.state == "closed"',
];

/**
 * 10,000 policies, each assigned to one of 200 roles, and 100 subjects in 30 groups that hold 1,000 times a role on a folder.
 * `covering` of the policies cover documents; one in 20 is a DENY.
 */
export function* filterTenant(covering: number): Generator<DeclaredRecord, void> {
  yield declare('application', { name: 'docs' });
  yield declare('resource_type', { application: 'docs', name: 'folder', actions: ['read'] });
  const types = Array.from({ length: 100 }, (_, at) => (at === 0 ? 'document' : `type${at}`));
  for (const name of types)
    yield declare('resource_type', {
      ...{ application: 'docs', name, actions: ['read'], parents: [{ type: 'docs/folder', property: 'folder' }] },
      properties: {
        ...{ owner: 'string', amount: 'number', state: 'string', team: 'string', tags: 'list', secret: 'boolean' },
      },
    });
  for (let folder = 0; folder < FOLDERS; folder++)
    yield declare('resource', { type: 'docs/folder', name: `f${folder}` });
  for (let subject = 0; subject < FILTER_SUBJECTS; subject++)
    yield declare('subject', {
      type: 'user',
      id: `u${subject}`,
      properties: { team: `t${subject % 7}`, limit: subject },
    });
  for (let group = 0; group < GROUPS; group++) {
    yield declare('group', { name: `g${group}` });
    for (let subject = 0; subject < FILTER_SUBJECTS; subject++)
      yield declare('group_membership', { group: `g${group}`, entity_type: 'subject', entity: `user/u${subject}` });
  }
  for (let role = 0; role < ROLES; role++) yield declare('role', { application: 'docs', name: `r${role}` });
  for (let policy = 0; policy < POLICIES; policy++) {
    const covers = Math.floor(((policy + 1) * covering) / POLICIES) > Math.floor((policy * covering) / POLICIES);
    const condition = CONDITIONS[(policy * 7 + Math.floor(policy / 11)) % CONDITIONS.length];
    const name = `p${policy}`;
    yield declare('policy', {
      ...{ application: 'docs', name, effect: policy % 20 === 7 ? 'DENY' : 'ALLOW', priority: policy % 3 },
      resource_type: `docs/${covers ? 'document' : types[1 + (policy % 99)]}`,
      ...{ actions: ['read'], ...(condition !== undefined && { condition }) },
    });
    yield declare('policy_assignment', {
      ...{ policy: `docs/${name}`, entity_type: 'role', entity: `docs/r${policy % ROLES}` },
    });
  }
  for (let held = 0; held < HELD_ON_FOLDERS; held++)
    yield declare('role_assignment', {
      role: `docs/r${held % ROLES}`,
      entity_type: 'group',
      entity: `g${(held * 7 + Math.floor(held / ROLES)) % GROUPS}`,
      resource: `docs/folder/f${(held * 3 + Math.floor(held / ROLES)) % FOLDERS}`,
    });
}
