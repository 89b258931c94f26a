import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../json/json.js';
import type { Kind } from '../records/kinds.js';
import { type DeclaredRecord, declare, definitionOf, type Fields } from '../records/registry.js';
import { readManifest } from './read.js';
import { writeManifest } from './write.js';

function record(kind: Kind, fields: Record<string, unknown>): DeclaredRecord {
  return declare(kind, definitionOf(kind).schema.parse(fields) as Fields);
}

function canonical(records: readonly DeclaredRecord[]): string[] {
  return records.map((each) => canonicalJson(each)).sort();
}

const APPLICATION = record('application', { name: 'billing', description: 'Invoices' });
const TYPE = record('resource_type', { application: 'billing', name: 'invoice', actions: ['read', 'pay'] });
const ROLE = record('role', { application: 'billing', name: 'clerk' });

describe('writeManifest', () => {
  it('writes what people would write', () => {
    const records = [
      APPLICATION,
      TYPE,
      ROLE,
      record('resource', { type: 'billing/invoice', name: 'INV-1', properties: { amount: 120 } }),
      record('policy', {
        application: 'billing',
        name: 'pay',
        description: 'Two\nlines.',
        effect: 'ALLOW',
        resource_type: 'billing/invoice',
        actions: ['pay'],
        condition: 'resource.properties.status == "open"',
      }),
      record('policy_assignment', { policy: 'billing/pay', entity_type: 'role', entity: 'billing/clerk' }),
      record('group', { name: 'finance' }),
      record('group_membership', { group: 'finance', entity_type: 'subject', entity: 'user/alice' }),
      record('group_membership', {
        group: 'finance',
        entity_type: 'subject',
        entity: 'user/bob',
        starts_at: '2026-01-31T18:00:00Z',
        expires_at: '2027-01-31T18:00:00Z',
      }),
      record('role_assignment', { role: 'billing/clerk', entity_type: 'group', entity: 'finance' }),
      record('role_assignment', { role: 'docs/reader', entity_type: 'group', entity: 'readers' }),
      record('subject', { type: 'user', id: '249043822', name: 'yes' }),
    ];
    const files = Object.fromEntries(
      writeManifest(records, { tenant: 'acme', stack: 'main' }).map(({ path, text }) => [path, text]),
    );
    expect(files).toEqual({
      'tenant.yaml': `version: 1
tenant: acme
stack: main
external:
  - group/readers
  - role/docs/reader
  - subject/user/alice
  - subject/user/bob
groups:
  finance:
    members:
      - user/alice
      - { member: user/bob, starts_at: "2026-01-31T18:00:00.000Z", expires_at: "2027-01-31T18:00:00.000Z" }
    roles: [billing/clerk]
role_assignments:
  - { role: docs/reader, to: group/readers }
`,
      'applications/billing.yaml': `version: 1
applications:
  billing:
    description: Invoices
    resource_types:
      invoice: { actions: [pay, read] }
    resources:
      INV-1: { type: invoice, properties: { amount: 120 } }
    roles:
      clerk: {}
    policies:
      pay:
        description: |-
          Two
          lines.
        effect: ALLOW
        resource_type: invoice
        actions: [pay]
        condition: resource.properties.status == "open"
        assigned_to: [role/billing/clerk]
`,
      'subjects.yaml': `version: 1
subjects:
  user/249043822: { name: "yes" }
`,
    });
  });

  it('gives every application a file of its own, visible on any file system', () => {
    const applications = ['Billing', 'billing', '.hidden', 'a/b', 'a b', '日本', '/'].map((each) =>
      record('application', { name: each }),
    );
    const paths = writeManifest(applications, { stack: 'main' }).map(({ path }) => path);
    expect(paths.sort()).toEqual(
      ['Billing', 'a-b', 'a-b-2', 'billing-2', 'hidden', 'unnamed', '日本']
        .map((each) => `applications/${each}.yaml`)
        .concat('tenant.yaml')
        .sort(),
    );
  });

  it('adds to an application of another stack without declaring it', () => {
    const files = writeManifest([ROLE], { stack: 'main' });
    expect(files.map(({ text }) => text)).toEqual([
      'version: 1\nstack: main\nexternal:\n  - application/billing\n',
      'version: 1\napplications:\n  billing:\n    roles:\n      clerk: {}\n',
    ]);
  });

  it('writes a role of the tenant apart where an application has one of that name', () => {
    const roles = [record('role', { name: 'clerk' }), ROLE];
    const policy = record('policy', {
      application: 'billing',
      name: 'p',
      effect: 'DENY',
      resource_type: 'billing/invoice',
      actions: ['pay'],
    });
    const link = record('policy_assignment', { policy: 'billing/p', entity_type: 'role', entity: 'clerk' });
    const records = [APPLICATION, TYPE, ...roles, policy, link];
    const result = readManifest(writeManifest(records, { stack: 'main' }));
    expect(canonical(result.manifest?.records ?? [])).toEqual(canonical(records));
  });

  it('continues in another file before one grows too long to be read', () => {
    const subjects = Array.from({ length: 60_000 }, (_, number) =>
      record('subject', { type: 'user', id: `person-number-${number}`, name: 'x' }),
    );
    const files = writeManifest(subjects, { stack: 'main' });
    expect(files.map(({ path }) => path)).toEqual(['tenant.yaml', 'subjects.yaml', 'subjects-2.yaml']);
    const { faults, manifest } = readManifest(files);
    expect(faults).toEqual([]);
    expect(manifest?.records).toHaveLength(60_000);
  });
});
