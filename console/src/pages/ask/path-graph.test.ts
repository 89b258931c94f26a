import type { Candidate } from '@authz-service/sdk/decision';
import { expect, it } from 'vitest';
import { pathGraph } from './path-graph.js';

const RESOURCE = 'resource/billing/invoice/INV-1';
const candidate = (policy: string, through: string[], more: Partial<Candidate> = {}): Candidate => ({
  policy: `policy/${policy}`,
  policy_id: policy,
  effect: 'ALLOW',
  priority: 0,
  access_path: 'group',
  through,
  outcome: 'applies',
  why: '',
  ...more,
});
const alice = ['subject/user/alice'];

it('draws the deciding way first, and each shared step once', () => {
  const denied = candidate('deny', [...alice, 'group/staff'], { effect: 'DENY', outcome: 'does_not_apply' });
  const deciding = candidate('read', [...alice, 'group/staff', 'group/all', 'role/clerk', 'role/reader']);
  const { nodes, steps, policies, left } = pathGraph(RESOURCE, [denied, deciding], deciding, [
    [RESOURCE, 'resource/billing/folder/F'],
  ]);
  expect(steps.map(({ from, relation, to, deciding }) => [from, relation, to, deciding])).toEqual([
    ['subject/user/alice', 'member', 'group/staff', true],
    ['group/staff', 'member', 'group/all', true],
    ['group/all', 'holds', 'role/clerk', true],
    ['role/clerk', 'includes', 'role/reader', true],
    ['role/reader', 'assigned', 'policy/read', true],
    ['policy/read', 'covers', RESOURCE, true],
    ['group/staff', 'assigned', 'policy/deny', false],
    ['policy/deny', 'covers', RESOURCE, false],
    [RESOURCE, 'parent', 'resource/billing/folder/F', false],
  ]);
  expect(new Set(nodes).size).toBe(nodes.length);
  expect([...policies]).toEqual([
    ['policy/read', { effect: 'ALLOW', outcome: 'applies', deciding: true }],
    ['policy/deny', { effect: 'DENY', outcome: 'does_not_apply', deciding: false }],
  ]);
  expect(left).toBe(0);
});

it('says on which resource the role is held', () => {
  const deciding = candidate('read', [...alice, 'role/clerk'], { place: 'resource/billing/folder/F' });
  expect(pathGraph(RESOURCE, [deciding], deciding, []).steps.map(({ to, place }) => [to, place])).toEqual([
    ['role/clerk', 'billing/folder/F'],
    ['policy/read', undefined],
    [RESOURCE, undefined],
  ]);
});

it('leaves out what would not fit, never the deciding way, and draws nothing without a candidate', () => {
  const many = Array.from({ length: 30 }, (_, index) => candidate(`p${index}`, alice));
  const { policies, left } = pathGraph(RESOURCE, many, many[29], []);
  expect([policies.size, policies.has('policy/p29'), left]).toEqual([8, true, 22]);
  expect(pathGraph(RESOURCE, [], undefined, [[RESOURCE, 'resource/a/b/c']]).nodes).toEqual([]);
});
