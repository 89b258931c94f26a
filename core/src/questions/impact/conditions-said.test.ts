import { expect, it } from 'vitest';
import type { Kind } from '../../records/kinds.js';
import { type DeclaredRecord, declare, definitionOf } from '../../records/registry.js';
import { computeImpact } from './compute-impact.js';

const NOW = Date.parse('2026-11-23T00:00:00Z');

function record(kind: Kind, raw: Record<string, unknown>): DeclaredRecord {
  return declare(kind, definitionOf(kind).schema.parse(raw) as never) as DeclaredRecord;
}

/** A tenant in which Anne reads files if the condition holds; without one in any case, and with null never. */
function reading(condition?: string | null): DeclaredRecord[] {
  const policy = { name: 'files', effect: 'ALLOW', resource_type: 'docs/file', actions: ['read'] };
  return [
    record('application', { name: 'docs' }),
    record('resource_type', { application: 'docs', name: 'file', actions: ['read'] }),
    record('subject', { type: 'user', id: 'anne' }),
    record('policy', { ...policy, ...(typeof condition === 'string' && { condition }) }),
    ...(condition === null
      ? []
      : [record('policy_assignment', { policy: 'files', entity_type: 'subject', entity: 'user/anne' })]),
  ];
}

it.each<[string, DeclaredRecord[], DeclaredRecord[], object]>([
  [
    'of what is lost altogether only the condition under which it was there',
    reading('context.mfa'),
    reading(null),
    { change: 'lost', condition: null, condition_before: 'context.mfa' },
  ],
  [
    'of what is lost in part the condition under which it stays',
    reading(),
    reading('context.mfa'),
    { change: 'lost', condition: 'context.mfa', condition_before: undefined },
  ],
  [
    'as short as it is proved to be the same',
    reading(null),
    reading('(context.m || context.t != "prod" || !has(context.t)) && context.t != "prod"'),
    { change: 'gained', condition: 'context.t != "prod"', condition_before: undefined },
  ],
])('a finding says %s', (_, before, after, expected) => {
  const { delta } = computeImpact({ records: before }, { records: after }, { now: NOW });
  const found = delta.findings.map(({ change, condition, condition_before }) => ({
    change,
    condition,
    condition_before,
  }));
  expect(found).toEqual([expected]);
});
