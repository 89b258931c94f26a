import { describe, expect, it } from 'vitest';
import type { Plan } from './plan.js';
import { parsePlan } from './saved.js';

const PLAN: Plan = {
  format: 1,
  tenant: 'acme',
  stack: 'billing',
  base_revision: '3.0123456789abcdef',
  changes: [
    {
      action: 'create',
      kind: 'subject',
      address: 'subject/user/a',
      differences: [],
      fields: { type: 'user', id: 'a', properties: { x: [null, 1.5] } },
    },
    {
      action: 'update',
      kind: 'role',
      address: 'role/a',
      differences: [{ pointer: '/description', after: null }],
      fields: { name: 'a' },
    },
    {
      action: 'move',
      kind: 'role',
      address: 'role/c',
      from: 'role/b',
      differences: [],
      fields: { name: 'c' },
      taken_from: 'hr',
    },
    { action: 'adopt', kind: 'group', address: 'group/g', differences: [], taken_from: 'hr' },
    { action: 'delete', kind: 'role', address: 'role/d', differences: [{ pointer: '/name', before: 'd' }] },
  ],
  followers: [{ kind: 'policy', address: 'policy/p', from: 'policy/p', managed_by: 'hr' }],
  counts: { added: 1, changed: 4, removed: 1, unchanged: 7 },
};

const [create, update, , , remove] = PLAN.changes;
const edited = (more: Record<string, unknown>) => JSON.stringify({ ...PLAN, ...more });

describe('parsePlan', () => {
  it('gives back what was saved', () => {
    expect(parsePlan(JSON.stringify(PLAN, undefined, 2)).plan).toEqual(PLAN);
    const empty = { ...PLAN, changes: [], counts: { added: 0, changed: 0, removed: 0, unchanged: 3 } };
    delete empty.followers;
    expect(parsePlan(JSON.stringify(empty)).plan).toEqual(empty);
  });

  it.each<[string, string, string | RegExp]>([
    ['nothing', '', 'not valid JSON'],
    ['a text cut off', JSON.stringify(PLAN).slice(0, -5), 'not valid JSON'],
    ['another thing', '[]', 'not a saved plan'],
    ['another format', edited({ format: 2 }), '/format'],
    ['an unknown member', edited({ take_ownership: true }), 'take_ownership'],
    ['no base', edited({ base_revision: undefined }), '/base_revision'],
    ['a base that is no revision', edited({ base_revision: '3' }), 'no revision'],
    ['an unknown action', edited({ changes: [{ ...create, action: 'grant' }] }), '/changes/0/action'],
    ['an unknown kind', edited({ changes: [{ ...create, kind: 'wizard' }] }), '/changes/0/kind'],
    ['a creation without fields', edited({ changes: [{ ...create, fields: undefined }] }), '/changes/0/fields'],
    ['a removal with fields', edited({ changes: [{ ...remove, fields: {} }] }), 'fields'],
    [
      'an address of another kind',
      edited({
        changes: [{ ...update, address: 'group/a' }],
        followers: [],
        counts: { ...PLAN.counts, added: 0, changed: 1, removed: 0 },
      }),
      '"group/a" is no role',
    ],
    ['a change taken out', edited({ changes: PLAN.changes.slice(1) }), 'counts'],
    ['a removal slipped in', edited({ changes: [...PLAN.changes, remove] }), 'counts'],
    ['other counts', edited({ counts: { ...PLAN.counts, changed: 3 } }), 'counts'],
  ])('refuses %s', (_, text, detail) => {
    expect(() => parsePlan(text)).toThrow(
      expect.objectContaining({ code: 'invalid_request', detail: expect.stringMatching(detail) }),
    );
  });
});
