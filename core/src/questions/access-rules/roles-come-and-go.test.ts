import { describe, expect, it, vi } from 'vitest';
import { finished } from '../../concurrency/time-slicing.js';
import { type DeclaredRecord, declare } from '../../records/registry.js';
import { judgeChange } from './judge-rules.js';
import { accessViewOf } from './violations-in.js';

const NOW = Date.parse('2026-06-01T00:00:00Z');

/** Anybody whom a request names as an application's auditor reads documents, which nobody should. */
const TENANT = [
  declare('application', { name: 'docs' }),
  declare('resource_type', { application: 'docs', name: 'doc', actions: ['read'] }),
  declare('resource', { type: 'docs/doc', name: 'a' }),
  declare('role', { application: 'docs', name: 'auditor' }),
  declare('policy', {
    ...{ application: 'docs', name: 'audit', effect: 'ALLOW', priority: 0 },
    ...{ resource_type: 'docs/doc', actions: ['read'] },
  }),
  declare('policy_assignment', { policy: 'docs/audit', entity_type: 'role', entity: 'docs/auditor' }),
  declare('access_rule', {
    ...{ name: 'nobody', mode: 'enforce' },
    never: { actions: ['read'], resources: { types: ['docs/doc'] } },
  }),
] as DeclaredRecord[];
const role = (name: string, more: { from_requests?: false; includes?: string[] } = {}) =>
  declare('role', { name, ...more }) as DeclaredRecord;

/** The roles that the request names which breaks the rule after the change. */
function brokenBy(before: readonly DeclaredRecord[], after: readonly DeclaredRecord[]) {
  const [old, now] = [accessViewOf(before), accessViewOf(after)];
  const addresses = new Set([...before, ...after].map(({ address }) => address));
  const pairs = [...addresses].map((address) => ({ address, before: old.get(address), after: now.get(address) }));
  return finished(judgeChange(old, now, pairs, NOW)).map(({ witness: [one] }) => one?.request.subject.roles);
}

describe('a role that comes or goes by itself', () => {
  it.each<[string, DeclaredRecord[], DeclaredRecord[], unknown]>([
    [
      'breaks a rule where its name then means the role of an application',
      [role('auditor', { from_requests: false })],
      [],
      [['auditor']],
    ],
    ['breaks it also if it could be named, and gave nothing', [role('auditor')], [], [['auditor']]],
    [
      'breaks nothing where its name could be named for the same before',
      [role('auditor', { includes: ['docs/auditor'] })],
      [],
      [],
    ],
    [
      'breaks a rule where it includes what its name did not give',
      [],
      [role('chief', { includes: ['docs/auditor'] })],
      [['chief']],
    ],
    [
      'breaks nothing where requests may not name it',
      [],
      [role('chief', { includes: ['docs/auditor'], from_requests: false })],
      [],
    ],
    ['breaks nothing where it gives nothing', [], [role('chief')], []],
  ])('%s', (_, before, after, expected) => {
    expect(brokenBy([...TENANT, ...before], [...TENANT, ...after])).toEqual(expected);
  });

  it('looks through all roles no more often the more of them come', () => {
    const looksAt = (count: number) => {
      const roles = Array.from({ length: count }, (_, index) => role(`r${index}`));
      const [old, now] = [accessViewOf(TENANT), accessViewOf([...TENANT, ...roles])];
      const looks = [old, now].map((view) => vi.spyOn(view, 'addresses'));
      const pairs = roles.map((after) => ({ address: after.address, before: undefined, after }));
      finished(judgeChange(old, now, pairs, NOW));
      return looks.reduce((sum, { mock }) => sum + mock.calls.filter(([kind]) => kind === 'role').length, 0);
    };
    expect(looksAt(20)).toBe(looksAt(2));
  });
});
