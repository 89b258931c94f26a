import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { KINDS } from '../records/kinds.js';
import { definitionOf } from '../records/registry.js';
import { manifestJsonSchema } from './json-schema.js';
import { keysOf } from './notation.js';
import { readManifest } from './read.js';

const schema = manifestJsonSchema();
const accepts = new Ajv2020({ strict: true, allowUnionTypes: true, validateFormats: false }).compile(schema);

const GOOD = `version: 1
tenant: acme
stack: main
applications:
  billing:
    description: Invoices
    resource_types:
      invoice: { actions: [read], properties: { amount: number } }
    resources:
      INV-1: { type: invoice, properties: { amount: 1 } }
      invoice/INV-2: {}
    roles: { clerk: , auditor: { description: x, assigned_to: [user/a, { to: group/g, expires_at: "2027-01-31T18:00:00Z" }] } }
    policies:
      p:
        effect: ALLOW
        priority: 1
        resources: [{ resource: invoice/INV-1, actions: ["*"] }]
        condition: resource.properties.amount < 10
        modifiers:
          ip_ranges: [10.0.0.0/8]
          mfa_required: true
          time_windows: [{ days: [mon], start: "09:00", end: "17:00" }]
        assigned_to: [role/billing/clerk]
  empty:
roles: { r: { policies: [{ policy: q, expires_at: "2027-01-31T18:00:00Z" }] } }
policies: { q: { effect: DENY, resource_type: billing/invoice, actions: [read] } }
groups: { g: { members: [user/a], roles: [r], policies: [] } }
subjects: { user/a: { name: A, properties: { x: [1, null, { y: z }] }, roles: [], groups: , policies: [q] } }
role_assignments: [{ role: billing/clerk, to: user/a }]
policy_assignments: [{ policy: q, to: user/b, expires_at: "2027-01-31T18:00:00Z" }]
group_memberships: [{ group: h, member: user/a }]
api_keys: { k: { scopes: [decisions], expires_at: "2027-01-31T18:00:00Z" } }
oauth_clients: { c: { scopes: ["records:read"], description: x } }
moved: [{ from: role/x, to: role/r }]
external: [subject/user/b, group/h]
`;

const BAD = [
  'version: 2',
  'version: 1\nrolez: {}',
  'version: 1\nstack: api',
  'version: 1\nroles: []',
  'version: 1\ngroups: { g: { membrs: [] } }',
  'version: 1\ngroups: { g: { members: user/a } }',
  'version: 1\ngroups: { g: { members: [alice] } }',
  'version: 1\ngroups: { g: { members: [{ to: user/a }] } }',
  'version: 1\ngroups: { g: { members: [{ member: user/a, expires: x }] } }',
  'version: 1\nsubjects: { alice: {} }',
  'version: 1\nsubjects: { user/a: { name: 5 } }',
  'version: 1\napi_keys: { k: {} }',
  'version: 1\napi_keys: { k: }',
  'version: 1\napi_keys: { k: { scopes: [x] } }',
  'version: 1\napi_keys: { k: { scopes: [] } }',
  'version: 1\npolicies: { p: { effect: allow, resource_type: a/b, actions: [r] } }',
  'version: 1\npolicies: { p: { effect: ALLOW, resource_type: a/b, actions: [r], modifiers: { mfa_required: yes } } }',
  'version: 1\nrole_assignments: [{ role: r }]',
  'version: 1\nrole_assignments: [{ role: r, member: user/a }]',
  'version: 1\nmoved: [{ from: role/a }]',
  'version: 1\nexternal: [5]',
];

describe('manifestJsonSchema', () => {
  it('accepts what the reader reads', () => {
    expect(readManifest([{ path: 'good.yaml', text: GOOD }]).faults).toEqual([]);
    expect(accepts(parse(GOOD)), JSON.stringify(accepts.errors)).toBe(true);
  });

  it.each(BAD)('refuses, as the reader does: %s', (text) => {
    expect(readManifest([{ path: 'bad.yaml', text }]).faults).not.toEqual([]);
    expect(accepts(parse(text))).toBe(false);
  });

  it('describes every field of every kind that stands under a key', () => {
    for (const kind of KINDS) {
      const { properties } =
        (schema.$defs as Record<string, { properties: Record<string, { description?: string }> }>)[kind] ?? {};
      if (properties === undefined) continue;
      for (const name of keysOf({ kind })) expect(properties[name]?.description, `${kind}.${name}`).toBeTruthy();
      expect(definitionOf(kind).docs).toBeTruthy();
    }
  });

  it('holds nothing that only this code reads', () => {
    expect(JSON.stringify(schema)).not.toMatch(/"(?:key|reference|entity|set)":(?:true|")/);
  });
});
