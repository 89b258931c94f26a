import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { faultText, type Manifest, type ManifestResult } from './manifest.js';
import { readManifest } from './read.js';

function result(...texts: string[]): ManifestResult {
  return readManifest(texts.map((text, index) => ({ path: `${'abcdef'[index]}.yaml`, text })));
}

function read(...texts: string[]): Manifest {
  const { faults, manifest } = result(...texts);
  expect(faults.map(faultText)).toEqual([]);
  if (manifest === undefined) throw new Error('no manifest');
  return manifest;
}

/** Address → fields, for trees too small to mind the order. */
function records(...texts: string[]): Record<string, unknown> {
  return Object.fromEntries(read(...texts).records.map(({ address, fields }) => [address, fields]));
}

function addresses(...texts: string[]): string[] {
  return read(...texts)
    .records.map(({ address }) => address)
    .sort();
}

const V = 'version: 1\n';
const PEOPLE = 'subjects: { user/alice: {}, service/robot: {} }\ngroups: { finance: {} }\nroles: { auditor: {} }\n';

describe('readManifest', () => {
  it('reads what an application holds, with short names for its own', () => {
    const text = `${V}applications:
  billing:
    description: Invoices
    resource_types:
      invoice: { actions: [read, approve, read], properties: { amount: number } }
    resources:
      INV-1: { type: invoice, properties: { amount: 120 } }
      invoice/INV-2: {}
      a/b: { type: billing/invoice }
    roles:
      clerk:
    policies:
      by-type: { effect: ALLOW, resource_type: invoice, actions: ["*"], condition: resource.properties.amount < 10 }
      by-name:
        effect: DENY
        priority: 5
        resources:
          - { resource: invoice/INV-2, actions: [read] }
          - { resource: billing/invoice/INV-1, actions: [read] }
        unless: { mfa_required: true }
`;
    expect(records(text)).toEqual({
      'application/billing': { name: 'billing', description: 'Invoices' },
      'resource_type/billing/invoice': {
        application: 'billing',
        name: 'invoice',
        actions: ['approve', 'read'],
        properties: { amount: 'number' },
      },
      'resource/billing/invoice/INV-1': { type: 'billing/invoice', name: 'INV-1', properties: { amount: 120 } },
      'resource/billing/invoice/INV-2': { type: 'billing/invoice', name: 'INV-2' },
      'resource/billing/invoice/a%2Fb': { type: 'billing/invoice', name: 'a/b' },
      'role/billing/clerk': { application: 'billing', name: 'clerk' },
      'policy/billing/by-type': {
        application: 'billing',
        name: 'by-type',
        effect: 'ALLOW',
        priority: 0,
        resource_type: 'billing/invoice',
        actions: ['*'],
        condition: 'resource.properties.amount < 10',
      },
      'policy/billing/by-name': {
        application: 'billing',
        name: 'by-name',
        effect: 'DENY',
        priority: 5,
        resources: [
          { resource: 'billing/invoice/INV-1', actions: ['read'] },
          { resource: 'billing/invoice/INV-2', actions: ['read'] },
        ],
        unless: { mfa_required: true },
      },
    });
  });

  it.each([
    [
      'who holds a role',
      'roles: { r: { assigned_to: [user/alice, group/finance] } }',
      ['role_assignment/r//group/finance', 'role_assignment/r//subject/user/alice'],
    ],
    [
      'the roles of a subject',
      'roles: { r: }\n---\nsubjects: { user/bob: { roles: [r] } }',
      ['role_assignment/r//subject/user/bob'],
    ],
    [
      'the groups of a subject',
      'subjects: { user/bob: { groups: [finance] } }',
      ['group_membership/finance//subject/user/bob'],
    ],
    [
      'the members of a group',
      'groups: { g: { members: [group/finance, subject/user/alice] } }',
      ['group_membership/g//group/finance', 'group_membership/g//subject/user/alice'],
    ],
    ['the roles of a group', 'groups: { g: { roles: [auditor] } }', ['role_assignment/auditor//group/g']],
    [
      'a role at the top',
      'role_assignments: [{ role: auditor, to: service/robot }]',
      ['role_assignment/auditor//subject/service/robot'],
    ],
    [
      'a membership at the top',
      'group_memberships: [{ group: finance, member: user/alice }]',
      ['group_membership/finance//subject/user/alice'],
    ],
    [
      'a role that a subject type is named like',
      'subjects: { role/x: }\nrole_assignments: [{ role: auditor, to: subject/role/x }]',
      ['role_assignment/auditor//subject/role/x'],
    ],
    [
      'names with signs, encoded or not',
      'groups: { "my group": }\ngroup_memberships: [{ group: my%20group, member: group/finance }, { group: my group, member: user/alice }]',
      ['group_membership/my%20group//group/finance', 'group_membership/my%20group//subject/user/alice'],
    ],
  ])('reads links from %s', (_, text, links) => {
    expect(addresses(`${V}${PEOPLE}---\n${text}`).filter((address) => address.includes('//'))).toEqual(links);
  });

  it('reads the policies of roles, groups and subjects from either side', () => {
    const policies = ['a', 'b', 'c', 'd'].map((name) => `${name}: { effect: ALLOW, resource_type: x/t, actions: [r] }`);
    const text = `${V}external: [resource_type/x/t]
policies: { ${policies.join(', ')}, e: { effect: ALLOW, resource_type: x/t, actions: [r], assigned_to: [role/r] } }
roles: { r: { policies: [a] } }
groups: { g: { policies: [{ policy: b, expires_at: "2027-01-31T19:00:00+01:00" }] } }
subjects: { user/u: { policies: [c] } }
policy_assignments: [{ policy: d, to: role/r }]
`;
    const links = Object.entries(records(text)).filter(([address]) => address.includes('//'));
    expect(Object.fromEntries(links)).toEqual({
      'policy_assignment/a//role/r': { policy: 'a', entity_type: 'role', entity: 'r' },
      'policy_assignment/b//group/g': {
        policy: 'b',
        entity_type: 'group',
        entity: 'g',
        expires_at: '2027-01-31T18:00:00.000Z',
      },
      'policy_assignment/c//subject/user/u': { policy: 'c', entity_type: 'subject', entity: 'user/u' },
      'policy_assignment/d//role/r': { policy: 'd', entity_type: 'role', entity: 'r' },
      'policy_assignment/e//role/r': { policy: 'e', entity_type: 'role', entity: 'r' },
    });
  });

  it("takes a bare role inside an application for its own, or else for the tenant's", () => {
    const text = `${V}roles: { auditor: }
applications:
  b:
    resource_types: { t: { actions: [r] } }
    roles: { own: }
    policies:
      p: { effect: ALLOW, resource_type: t, actions: [r], assigned_to: [role/own, role/auditor] }
`;
    expect(addresses(text)).toEqual(
      expect.arrayContaining(['policy_assignment/b/p//role/auditor', 'policy_assignment/b/p//role/b/own']),
    );
  });

  it('merges files, documents and the parts of an application', () => {
    expect(
      addresses(
        'applications: { b: { roles: { r: } } }\n',
        `${V}tenant: t\nstack: s\n---\napplications: { b: { description: x } }\n---\n`,
        'tenant: t\napplications: { b: { roles: { s: } }, c: }\n',
      ),
    ).toEqual(['application/b', 'application/c', 'role/b/r', 'role/b/s']);
  });

  it('reads settings, moves and external records', () => {
    const text = `${V}tenant: acme\nstack: billing\ngroups: { b: }\nmoved: [{ from: group/a, to: group/b }]\nexternal: [role/x/my role, role_assignment/x/r//user/u]\n`;
    expect(read(text)).toMatchObject({
      version: 1,
      tenant: 'acme',
      stack: 'billing',
      moves: [{ from: 'group/a', to: 'group/b' }],
      external: ['role/x/my%20role', 'role_assignment/x/r//subject/user/u'],
    });
    expect(read(V)).toEqual({ version: 1, stack: 'default', records: [], moves: [], external: [] });
  });

  it('adds to an application that another stack declares without declaring it', () => {
    const text = `${V}external: [application/b]\napplications: { b: { roles: { r: } } }\n`;
    expect(addresses(text)).toEqual(['role/b/r']);
  });

  it('takes numbers as names where they say the same, and words of YAML 1.1 as text', () => {
    expect(addresses(`${V}groups: { 249043822: , 1.5: , yes: , 2027-01-31: , -1: , "010": }\n`)).toEqual(
      ['-1', '010', '1.5', '2027-01-31', '249043822', 'yes'].map((name) => `group/${name}`),
    );
  });

  it('reads aliases and merge keys, the nearer key going first', () => {
    const text = `${V}groups:
  a: &base { description: one }
  b: *base
  c:
    <<: [*base, { description: two }]
  d:
    description: three
    <<: *base
`;
    expect(records(text)).toEqual({
      'group/a': { name: 'a', description: 'one' },
      'group/b': { name: 'b', description: 'one' },
      'group/c': { name: 'c', description: 'one' },
      'group/d': { name: 'd', description: 'three' },
    });
  });

  it('reads blocks of text, Windows line ends and a byte order mark', () => {
    const text = '\ufeffversion: 1\r\ngroups:\r\n  a:\r\n    description: |\r\n      two\r\n      lines\r\n';
    expect(records(text)).toEqual({ 'group/a': { name: 'a', description: 'two\nlines\n' } });
  });

  it('keeps the values of properties as they are', () => {
    const text = `${V}subjects: { user/a: { properties: { n: 1.5, t: "1", b: true, z: null, l: [1, { x: y }], d: 2027-01-31, h: 0x10 } } }\n`;
    expect(records(text)).toMatchObject({
      'subject/user/a': {
        properties: { n: 1.5, t: '1', b: true, z: null, l: [1, { x: 'y' }], d: '2027-01-31', h: 16 },
      },
    });
  });

  it('knows where records and their fields are declared', () => {
    const { placeOf } = result(`${V}applications:
  b:
    resource_types: { t: { actions: [w, r] } }
    resources: { t/y: , t/x: }
    policies:
      p:
        effect: ALLOW
        resources:
          - { resource: t/y, actions: [w, r] }
          - { resource: t/x, actions: [r] }
        assigned_to:
          - { to: user/u, expires_at: "2027-01-31T18:00:00Z" }
          - user/v
subjects: { user/u: , user/v: }
`);
    const places = [
      ['policy/b/p', undefined, 'a.yaml:7:7'],
      ['policy/b/p', '/effect', 'a.yaml:8:17'],
      ['policy/b/p', '/name', 'a.yaml:7:7'],
      ['policy/b/p', '/resources/0/resource', 'a.yaml:11:25'],
      ['policy/b/p', '/resources/1/actions/1', 'a.yaml:10:40'],
      ['policy_assignment/b/p//subject/user/u', '/entity', 'a.yaml:13:19'],
      ['policy_assignment/b/p//subject/user/u', '/expires_at', 'a.yaml:13:39'],
      ['policy_assignment/b/p//subject/user/v', '', 'a.yaml:14:13'],
      ['application/b', '', 'a.yaml:3:3'],
      ['role/b/p', '', undefined],
    ] as const;
    for (const [address, pointer, expected] of places) {
      const place = placeOf(address, pointer);
      expect(place && `${place.file}:${place.line}:${place.column}`, `${address} ${pointer}`).toBe(expected);
    }
  });

  it('reads the example that the documentation gives', () => {
    const page = readFileSync(new URL('../../../docs/yaml.md', import.meta.url), 'utf8');
    const [, example = ''] = /```yaml\n(.*?)```/s.exec(page) ?? [];
    expect(read(example)).toMatchObject({ tenant: 'acme', stack: 'billing', external: ['group/auditors'] });
  });

  it("takes an included role for the application's own, or else for the tenant's", () => {
    const text = `${V}applications:
  b:
    roles: { a: { includes: [c, t, b/c, x, "o/c"] }, c: , x: }
roles: { t: , u: { includes: [b/a] } }
external: [role/o/c]
`;
    expect(records(text)).toMatchObject({
      'role/b/a': { includes: ['b/c', 'b/x', 'o/c', 't'] },
      'role/u': { includes: ['b/a'] },
    });
    const { placeOf } = result(text);
    expect(placeOf('role/b/a', '/includes/3')).toMatchObject({ line: 4, column: 33 });
  });

  it("takes an included role for the tenant's where a slash begins it, or else for that of the path", () => {
    const text = `${V}applications:
  b:
    roles: { a: { includes: [/t, b/t, /u, /b/x] }, t: , x: }
roles: { t: , u: }
`;
    expect(records(text)).toMatchObject({ 'role/b/a': { includes: ['b/t', 'b/x', 't', 'u'] } });
  });

  it('warns of what has expired, where it is told the time', () => {
    const text = `${V}roles: { r: { assigned_to: [{ to: user/u, expires_at: "2027-01-31T18:00:00Z" }] } }
subjects: { user/u: }
api_keys: { k: { scopes: [bundle], expires_at: "2027-01-31T18:00:00Z" } }
`;
    const warnings = (now?: string) =>
      readManifest([{ path: 'a.yaml', text }], now === undefined ? {} : { now: Date.parse(now) }).warnings.map(
        faultText,
      );
    const expired = 'expired at 2027-01-31T18:00:00.000Z and no longer counts: take it out, or name a moment to come.';
    expect(warnings()).toEqual([]);
    expect(warnings('2027-01-31T17:59:59Z')).toEqual([]);
    expect(warnings('2027-01-31T18:00:00Z')).toEqual([
      `a.yaml:2:55: role_assignment/r//subject/user/u: The role assignment ${expired}`,
      `a.yaml:4:48: api_key/k: The API key ${expired}`,
    ]);
  });

  it('gives no manifest beside a fault', () => {
    expect(result(`${V}x: 1\n`)).not.toHaveProperty('manifest');
  });
});
