import { describe, expect, it } from 'vitest';
import type { Kind } from '../../../records/kinds.js';
import { type DeclaredRecord, declare, definitionOf } from '../../../records/registry.js';
import { computeImpact } from '../compute-impact.js';

function record(kind: Kind, raw: Record<string, unknown>): DeclaredRecord {
  return declare(kind, definitionOf(kind).schema.parse(raw) as never) as DeclaredRecord;
}

const given = (policy: string, entity_type: string, entity: string) =>
  record('policy_assignment', { policy, entity_type, entity });
const PEOPLE = ['ann', 'ben', 'cat', 'dan', 'eve', 'fay', 'gus'];
const parents = [{ type: 'docs/folder', property: 'folder' }];
const folder = { resources: [{ resource: 'docs/folder/hr', actions: ['read'], below: true }] };
const base = [
  record('application', { name: 'docs' }),
  record('resource_type', { application: 'docs', name: 'folder', actions: ['read'], parents }),
  record('resource_type', { application: 'docs', name: 'page', actions: ['read'], parents }),
  record('resource', { type: 'docs/folder', name: 'hr' }),
  record('resource', { type: 'docs/folder', name: 'pay', parents: ['docs/folder/hr'] }),
  ...PEOPLE.map((id) => record('subject', { type: 'user', id })),
  record('group', { name: 'all' }),
  ...PEOPLE.map((id) => record('group_membership', { group: 'all', entity_type: 'subject', entity: `user/${id}` })),
  record('policy', { name: 'pages', effect: 'ALLOW', resource_type: 'docs/page', actions: ['read'] }),
  record('policy', { name: 'below', effect: 'ALLOW', ...folder }),
];

function namesOf(before: readonly DeclaredRecord[], ...added: readonly DeclaredRecord[]) {
  const { delta } = computeImpact({ records: before }, { records: [...before, ...added] }, { now: 0 });
  return delta.findings.map(({ subjects, resources }) => ({ principals: subjects.principals, resources }));
}

describe('the names of findings', () => {
  const some = ['ann', 'ben'].map((id) => given('pages', 'subject', `user/${id}`));

  it('are of the group that has all, where others name them by many', () => {
    const [finding] = namesOf([...base, ...some], given('pages', 'group', 'all'));
    expect(finding?.principals).toEqual([{ principal: 'group/all', subjects: 5, of: 7, directly: 5 }]);
  });

  it.each(['*', 'user'])(
    'are of everyone where everyone of "%s" is meant, but for those who could before',
    (entity) => {
      const [finding] = namesOf([...base, ...some], given('pages', 'everyone', entity));
      const principal = entity === '*' ? 'everyone' : 'everyone/user';
      expect(finding?.principals).toEqual([{ principal, subjects: 5, of: 7, directly: 5 }]);
    },
  );

  it('are of everyone of the type where something else is given to everyone, too', () => {
    const closed = record('policy', {
      ...{ name: 'closed', effect: 'DENY', resource_type: 'docs/page', actions: ['read'], condition: 'has(context.x)' },
    });
    const state = [...base, closed, given('closed', 'everyone', '*')];
    const [finding] = namesOf(state, given('pages', 'everyone', 'user'));
    expect(finding?.principals).toEqual([{ principal: 'everyone/user', subjects: 7, of: 7, directly: 7 }]);
  });

  it('say below what nothing is gained', () => {
    const [finding] = namesOf([...base, given('below', 'group', 'all')], given('pages', 'subject', 'user/ann'));
    expect(finding?.resources).toEqual([
      { type: 'docs/page', which: 'all', not_below: ['docs/folder/hr'], recorded: 0 },
    ]);
  });

  it('are of the highest of what resources lie below', () => {
    const [finding] = namesOf(base, given('below', 'subject', 'user/ann'));
    const pages = finding?.resources.filter(({ type }) => type === 'docs/page');
    expect(pages).toEqual([{ type: 'docs/page', which: 'unrecorded', below: 'docs/folder/hr', recorded: 0 }]);
  });
});
