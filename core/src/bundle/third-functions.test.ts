import { expect, it, vi } from 'vitest';
import type { EngineRecord } from '../access/api/engine.js';
import { formatOf, raised } from './record-format.js';

vi.mock(import('../conditions/functions/functions.js'), async (load) => ({
  ...(await load()),
  LATER_FUNCTIONS: new Map([
    ['ip_in', 2],
    ['newest', 3],
  ]),
}));

const policy = (fields: object) =>
  ({
    kind: 'policy',
    id: 'x',
    fields: { effect: 'DENY', actions: ['*'], resource_type: 'a/t', ...fields },
  }) as EngineRecord;

it.each<[string, object]>([
  ['alone', {}],
  ['beside a call of format 2', { condition: 'ip_in(context.ip, "::1") && newest(context.a)' }],
  ['beside a name of format 2', { condition: 'subject.in_group("g") && newest(context.a)' }],
  ['beside a field of format 2', { unless: { mfa_required: true } }],
  ['beside coverage of format 2', { resources: [{ resource: 'a/t/r', actions: ['*'], below: true }] }],
])('takes format 3 for a function that only its readers have, %s', (_, fields) => {
  const one = policy({ condition: 'newest(context.a)', ...fields });
  expect([formatOf(one), raised(1, one), raised(2, one), raised(3, one)]).toEqual([3, 3, 3, 3]);
});
