import { describe, expect, it } from 'vitest';
import { finished } from '../../concurrency/time-slicing.js';
import { type DeclaredRecord, declare } from '../../records/registry.js';
import { existingViolations } from './judge-rules.js';
import { violationText } from './violation.js';
import { accessViewOf } from './violations-in.js';

const NOW = Date.parse('2026-06-01T00:00:00Z');
const onDocs = { application: 'docs', resource_type: 'docs/doc', actions: ['read'] };
const allow = { effect: 'ALLOW', priority: 0 } as const;

/** Everyone reads what is open; an editor of a folder reads what lies in it. */
const RECORDS = [
  declare('application', { name: 'docs' }),
  declare('resource_type', { application: 'docs', name: 'folder', actions: ['list'] }),
  declare('resource_type', {
    ...{ application: 'docs', name: 'doc', actions: ['read'] },
    parents: [{ type: 'docs/folder', property: 'folder' }],
  }),
  declare('role', { application: 'docs', name: 'editor', from_requests: false }),
  declare('policy', { ...onDocs, ...allow, name: 'edit' }),
  declare('policy_assignment', { policy: 'docs/edit', entity_type: 'role', entity: 'docs/editor' }),
  declare('policy', { ...onDocs, ...allow, name: 'open', condition: 'resource.properties.open' }),
  declare('policy_assignment', { policy: 'docs/open', entity_type: 'everyone', entity: '*' }),
  ...['a', 'b', 'c'].flatMap((name) => [
    declare('resource', { type: 'docs/folder', name }),
    declare('resource', {
      ...{ type: 'docs/doc', name, parents: [`docs/folder/${name}`] },
      properties: { open: name === 'b' },
    }),
  ]),
  ...['ann', 'bea', 'cem', 'dan'].map((id) => declare('subject', { type: 'user', id })),
  ...Object.entries({ ann: 'a', bea: 'b', cem: 'c' }).map(([id, folder]) =>
    declare('role_assignment', {
      ...{ role: 'docs/editor', entity_type: 'subject', entity: `user/${id}` },
      resource: `docs/folder/${folder}`,
    }),
  ),
  declare('access_rule', {
    name: 'nobody',
    mode: 'enforce',
    never: { actions: ['read'], resources: { named: ['docs/doc/a', 'docs/doc/b', 'docs/doc/c'] } },
  }),
] as DeclaredRecord[];

const existing = (most: number) =>
  finished(existingViolations(accessViewOf(RECORDS), NOW, most)).map(({ witness: [witness] }) => {
    const { subject, resource } = witness?.request ?? {};
    const known = ['ann', 'bea', 'cem', 'dan'].includes(`${subject?.id}`);
    return `${known ? subject?.id : 'another'} ${resource?.name}`;
  });

describe('the existing violations of a rule', () => {
  it('name each subject to whom something is given on every resource, though only places tell them apart', () => {
    // One without a record stands for Dan, who has what everybody has.
    const people = existing(100).filter((pair) => !pair.startsWith('another'));
    expect(people.sort()).toEqual(['ann a', 'ann b', 'bea b', 'cem b', 'cem c']);
  });

  it('are at most as many as are asked for', () => {
    expect(existing(1)).toHaveLength(1);
    expect(existing(3)).toHaveLength(3);
  });
});

it('say no sensitive value: neither one that is recorded nor one that a request must send', () => {
  const records = [
    declare('application', { name: 'docs' }),
    declare('resource_type', { application: 'docs', name: 'doc', actions: ['read'], sensitive: ['pin'] }),
    declare('subject_type', { name: 'user', sensitive: ['email'] }),
    declare('context_attribute', { name: 'ip', type: 'string', sensitive: true }),
    declare('subject', { type: 'user', id: 'ann', properties: { email: 'DE00' } }),
    declare('policy', {
      ...{ ...onDocs, ...allow, name: 'own' },
      condition:
        'resource.properties.pin == subject.properties.email && context.ip == subject.properties.email && context.at == "door"',
    }),
    declare('policy_assignment', { policy: 'docs/own', entity_type: 'subject', entity: 'user/ann' }),
    declare('access_rule', {
      name: 'none',
      mode: 'enforce',
      never: { subjects: { named: ['user/ann'] }, actions: ['read'], resources: { types: ['docs/doc'] } },
    }),
  ] as DeclaredRecord[];
  const [violation] = finished(existingViolations(accessViewOf(records), NOW, 1));
  const text = violation === undefined ? '' : violationText(violation);
  expect(text).toContain('"ip":"(sensitive)"');
  expect(text).toContain('resource.properties {"pin":"(sensitive)"}');
  expect(text).toContain('"at":"door"');
  expect(text).not.toContain('DE00');
});
