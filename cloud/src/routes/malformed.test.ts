import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestCloud } from '../../testing/test-cloud.js';

let cloud: TestCloud;
let admin: string;

beforeAll(async () => {
  cloud = await TestCloud.start();
  admin = await cloud.token();
});

afterAll(() => cloud.close());

const changes = (...list: unknown[]) => ({ changes: list });

it.each<[behaviour: string, request: string, body: unknown, detail: string]>([
  ['a body that is no object', 'POST /v1/roles', [], 'The body is malformed: it is an array, an object is expected.'],
  [
    'a field of another type',
    'POST /v1/roles',
    { name: 5 },
    '/name: is the number 5, a string is expected: write "5" in quotes.',
  ],
  ['a missing field', 'POST /v1/roles', {}, '/name: is missing: write a string.'],
  [
    'several faults',
    'POST /v1/api-keys',
    { name: '', scopes: ['bundel'] },
    '/name: "" must not be empty. (and 1 more fault)',
  ],
  [
    'a field that is not known',
    'POST /v1/groups',
    { name: 'g', descripton: 'x' },
    '/descripton: the key "descripton" is not known: did you mean "description"?',
  ],
  [
    'a name of a property that is empty',
    'POST /v1/subjects',
    { type: 'user', id: 'x', properties: { '': 1 } },
    '/properties/: the key "" is an empty string: write one, or remove the key.',
  ],
  [
    'a policy that covers nothing',
    'POST /v1/policies',
    { name: 'p', effect: 'DENY' },
    'The record covers nothing: give `resource_type` or `resource_types` with `actions`, or `resources`.',
  ],
  [
    'an operator that is neither true nor false',
    'POST /v1/api-keys',
    { name: 'k', scopes: ['bundle'], operator: 'yes' },
    'The body is malformed: /operator: is the string "yes", true or false is expected.',
  ],
  [
    'a change-set without changes',
    'POST /v1/changesets',
    {},
    'The body is malformed: /changes: is missing: write an array.',
  ],
  [
    'an operation that there is not',
    'POST /v1/changesets',
    changes({ op: 'crate', kind: 'role', fields: {} }),
    'The body is malformed: /changes/0/op: "crate" is not known here: did you mean "create"? Write one of create, update, delete, move, adopt.',
  ],
  [
    'a kind that there is not',
    'POST /v1/changesets',
    changes({ op: 'create', kind: 'rol', fields: {} }),
    'The body is malformed: /changes/0/kind: "rol" is not known here: did you mean "role"? Write one of application, resource_type, resource, subject_type, subject, context_attribute, directory, role, group, policy, policy_assignment, role_assignment, group_membership, access_rule, api_key, oauth_client.',
  ],
  [
    'a change that is none',
    'POST /v1/changesets',
    changes(null),
    'The body is malformed: /changes/0: is null, an object is expected.',
  ],
  [
    'a field of a change-set',
    'POST /v1/changesets',
    changes({ op: 'create', kind: 'role', fields: { name: ['r'] } }),
    '/changes/0/fields/name: is an array, a string is expected.',
  ],
  ['a tenant without a name', 'POST /v1/tenants', {}, 'The body is malformed: /name: is missing: write a string.'],
  [
    'a parameter out of range',
    'GET /v1/roles?limit=0',
    undefined,
    'The query is malformed: limit: "0" must be a number from 1 to 1000.',
  ],
  [
    'a parameter that is not known',
    'GET /v1/roles?nmae=x',
    undefined,
    'The query is malformed: nmae: the key "nmae" is not known: did you mean "name"?',
  ],
])('says what is wrong with %s', async (_, request, body, detail) => {
  const [method = '', path = ''] = request.split(' ');
  const answer = await cloud.ask(method, path, { as: admin, ...(body !== undefined && { body }) });
  expect(answer).toMatchObject({
    status: expect.toSatisfy((status) => status === 400 || status === 422),
    body: { detail },
  });
});
