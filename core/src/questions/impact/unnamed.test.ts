import { describe, expect, it } from 'vitest';
import type { Kind } from '../../records/kinds.js';
import { type DeclaredRecord, declare, definitionOf } from '../../records/registry.js';
import type { Finding } from './api/finding.js';
import { computeImpact } from './compute-impact.js';

function record(kind: Kind, raw: Record<string, unknown>): DeclaredRecord {
  return declare(kind, definitionOf(kind).schema.parse(raw) as never) as DeclaredRecord;
}

/** Findings about a policy with this condition, for everyone or for a role that requests name. */
function given(condition: string, to: 'everyone' | 'role', more: readonly DeclaredRecord[] = []): readonly Finding[] {
  const before = [
    record('application', { name: 'docs' }),
    record('resource_type', { application: 'docs', name: 'file', actions: ['read'] }),
    ...['ann', 'bob', 'read'].map((id) => record('subject', { type: 'user', id })),
    record('role', { name: 'auditor' }),
    record('policy', { name: 'p', effect: 'ALLOW', resource_type: 'docs/file', actions: ['*'], condition }),
    ...more,
  ];
  const entity = to === 'everyone' ? '*' : 'auditor';
  const after = [...before, record('policy_assignment', { policy: 'p', entity_type: to, entity })];
  return computeImpact({ records: before }, { records: after }, { now: 0 }).delta.findings;
}

const told = (findings: readonly Finding[]) =>
  findings
    .map(({ change, subjects, actions, condition, witness }) => {
      const who = [
        subjects.named_role,
        ...(subjects.named_types ?? []),
        subjects.recorded > 0 && 'recorded',
        ...subjects.unrecorded,
      ].filter(Boolean);
      const asked = witness && `${witness.request.subject.type} ${witness.request.action.name} ${witness.after}`;
      return `${change} ${who.join()} ${actions}${condition === null ? '' : ` if ${condition}`} (${asked})`;
    })
    .sort();

describe('an action that nothing names', () => {
  it.each([
    ['one that only a condition names', 'action.name == "purge"', ['gained recorded,*,user purge (user purge true)']],
    [
      'all that begin with a text',
      'action.name.startsWith("pur")',
      [
        'gained recorded,*,user * if action.name.startsWith("pur") (user pura true)',
        'gained recorded,*,user pur (user pur true)',
      ],
    ],
    [
      'one that is named like the resource',
      'resource.name == action.name',
      [
        'gained recorded,*,user * if resource.name == action.name (user other true)',
        'gained recorded,*,user read if resource.name == "read" (user read true)',
      ],
    ],
  ])('is found: %s', (_what, condition, expected) => {
    expect(told(given(condition, 'everyone'))).toEqual(expected);
  });

  it('is found for those alone who can be named like one', () => {
    const findings = given('subject.id == action.name', 'everyone');
    const recorded = findings.map(({ actions, subjects }) => `${actions} ${subjects.recorded}`).sort();
    expect(recorded).toEqual(['* 0', '* 2', 'read 0', 'read 1']);
  });
});

describe('a type of subjects that no record mentions', () => {
  it.each([
    [
      'all that begin with a text',
      'subject.type.startsWith("ro")',
      ['gained * * if subject.type.startsWith("ro") (roa read true)', 'gained ro * (ro read true)'],
    ],
    [
      'one named like the resource',
      'subject.type == resource.name',
      [
        'gained * * if subject.type == resource.name (other read true)',
        'gained recorded,user * if "user" == resource.name (user read true)',
      ],
    ],
    [
      'one named like what is sent',
      'subject.type == context.kind',
      [
        'gained * * if subject.type == context.kind (other read true)',
        'gained recorded,user * if "user" == context.kind (user read true)',
      ],
    ],
    ['all that are long', 'subject.type.size() > 9', ['gained * * if subject.type.size() > 9 (xxxxxxxxxx read true)']],
  ])('is found: %s', (_what, condition, expected) => {
    expect(told(given(condition, 'everyone'))).toEqual(expected);
  });

  it.each([
    ['a recorded one', 'subject.type == "user"', ['gained role/auditor,user * (user read true)']],
    ['another', 'subject.type == "robot"', ['gained role/auditor,robot * (robot read true)']],
    [
      'all that begin with a text',
      'subject.type.startsWith("us")',
      [
        'gained role/auditor * if subject.type.startsWith("us") (usa read true)',
        'gained role/auditor,us,user * (us read true)',
      ],
    ],
  ])('is found of anybody whom requests name as a role: %s', (_what, condition, expected) => {
    expect(told(given(condition, 'role'))).toEqual(expected);
  });
});

it('a role that requests name is told with the types of subjects that are denied it', () => {
  const shut = { effect: 'DENY', priority: 1, resource_type: 'docs/file', actions: ['*'] };
  const ofRole = (more: DeclaredRecord[]) =>
    given('true', 'role', more).find(({ subjects }) => subjects.named_role === 'role/auditor');
  const all = ofRole([]);
  const some = ofRole([
    record('policy', { name: 'shut', ...shut }),
    record('policy_assignment', { policy: 'shut', entity_type: 'everyone', entity: 'robot' }),
  ]);
  expect([all?.subjects.named_types_except, some?.subjects.named_types_except]).toEqual([undefined, ['robot']]);
  expect(some?.subjects.named_types).toBeUndefined();
  expect(some?.id).not.toBe(all?.id);
});
