import type { Candidate, Clause } from '@authz-service/sdk/decision';
import { expect, it } from 'vitest';
import { denialReasons } from './denial-reasons.js';

const clause = (clause: string, outcome: Clause['outcome']): Clause => ({ clause, outcome });
const candidate = (policy: string, more: Partial<Candidate>): Candidate => ({
  policy: `policy/${policy}`,
  policy_id: policy,
  effect: 'ALLOW',
  priority: 0,
  access_path: 'role',
  through: [],
  outcome: 'does_not_apply',
  why: 'its condition is false',
  ...more,
});

it('names the clauses that are not true of each ALLOW that does not apply', () => {
  const open = clause('resource.properties.status == "open"', 'false');
  const clauses = [clause('context.mfa == true', 'true'), open, clause('context.n > 1', 'absent')];
  const candidates = [
    candidate('close', { clauses }),
    candidate('old', { why: 'what led to it ended' }),
    candidate('never', { effect: 'DENY', clauses: [open] }),
  ];
  expect(denialReasons(candidates, undefined).map(({ policy, clauses }) => [policy, clauses.length])).toEqual([
    ['policy/close', 2],
    ['policy/old', 0],
  ]);
});

it('names the clauses that are true of the DENY that decides, and no other policy', () => {
  const closed = clause('resource.properties.status == "closed"', 'true');
  const deciding = candidate('frozen', {
    effect: 'DENY',
    outcome: 'applies',
    clauses: [closed, clause('context.x == 1', 'false'), clause('unless.mfa_required', 'false')],
  });
  expect(denialReasons([deciding, candidate('read', {})], deciding)).toMatchObject([
    { policy: 'policy/frozen', clauses: [closed, { clause: 'unless.mfa_required' }] },
  ]);
});
