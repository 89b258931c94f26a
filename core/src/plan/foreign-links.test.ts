import { describe, expect, it } from 'vitest';
import type { DeclaredRecord } from '../records/registry.js';
import { declare, type StoredRecord } from '../records/registry.js';
import type { Move } from '../state/renames.js';
import { plan } from './diff.js';
import { renderMarkdown } from './render-markdown.js';
import { renderText } from './render-text.js';
import { parsePlan } from './saved.js';

const role = (name: string) => declare('role', { name });
const holds = (name: string, entity = 'g') =>
  declare('role_assignment', { role: name, entity_type: 'group', entity }) as DeclaredRecord;
const stored = (declared: DeclaredRecord, managed_by = 'main') =>
  ({ ...declared, id: declared.address, managed_by, created_at: '', updated_at: '', revision: 1 }) as StoredRecord;

function planned(
  records: DeclaredRecord[],
  held: StoredRecord[],
  options: { moves?: Move[]; exclusive?: boolean; takeOwnership?: boolean } = {},
) {
  const { moves = [], ...rest } = options;
  const tenant = { tenant: 'acme', revision: '3.0123456789abcdef', records: held };
  return plan({ records, moves, stack: 'main' }, tenant, rest);
}

const HELD = [
  stored(role('a')),
  stored(role('theirs'), 'api'),
  stored(holds('a'), 'api'),
  stored(holds('theirs'), 'hr'),
];

describe('links of other stacks', () => {
  it("are shown where they grant what is this stack's, and left alone", () => {
    const result = planned([role('a')], HELD);
    expect(result).toMatchObject({
      changes: [],
      foreign_links: [
        { kind: 'role_assignment', address: 'role_assignment/a//group/g', managed_by: 'api', grants: 'role/a' },
      ],
      counts: { added: 0, changed: 0, removed: 0, unchanged: 1 },
    });
    expect(renderText(result)).toBe(`\
No changes: everything is as declared (tenant "acme", stack "main", at revision 3.0123456789abcdef).

Other stacks grant what is this stack's (left alone; --exclusive removes it):
  ! role_assignment/a//group/g, which belongs to "api"

Plan: 0 to add, 0 to change, 0 to remove, 1 unchanged.
`);
    expect(renderMarkdown(result)).toContain('! role_assignment/a//group/g, which belongs to "api"');
    expect(parsePlan(JSON.stringify(result)).plan).toEqual(result);
  });

  it('are removed by an exclusive plan, which says whose they are', () => {
    const result = planned([role('a')], HELD, { exclusive: true });
    expect(result.changes).toMatchObject([
      { action: 'delete', address: 'role_assignment/a//group/g', removed_from: 'api' },
    ]);
    expect(result.foreign_links).toBeUndefined();
    expect(result.counts).toEqual({ added: 0, changed: 0, removed: 1, unchanged: 1 });
    expect(renderText(result)).toContain('  - role_assignment/a//group/g, which belongs to "api"\n');
    expect(parsePlan(JSON.stringify(result)).plan).toEqual(result);
  });

  it.each([
    ['a role that the plan removes', [], {}],
    ['a role that the plan takes over', [role('theirs')], { takeOwnership: true }],
  ])('count where they grant %s', (_, records, options) => {
    const held = [stored(role('theirs'), records.length === 0 ? 'main' : 'hr'), stored(holds('theirs'), 'api')];
    expect(planned(records, held, options).foreign_links).toMatchObject([{ grants: 'role/theirs' }]);
  });

  it('follow a rename, and are removed at their new place', () => {
    const moves = [{ from: 'role/a', to: 'role/b' }];
    expect(planned([role('b')], HELD, { moves })).toMatchObject({
      foreign_links: [{ address: 'role_assignment/b//group/g', grants: 'role/b' }],
      followers: [{ address: 'role_assignment/b//group/g' }],
    });
    const { changes, followers } = planned([role('b')], HELD, { moves, exclusive: true });
    expect(changes.map(({ action, address }) => [action, address])).toEqual([
      ['move', 'role/b'],
      ['delete', 'role_assignment/b//group/g'],
    ]);
    expect(followers).toBeUndefined();
  });

  it("are those by which something of this stack's is given, not those that it receives", () => {
    const group = declare('group', { name: 'g' });
    const result = planned([group], [stored(group), stored(role('theirs'), 'hr'), stored(holds('theirs'), 'hr')]);
    expect(result.foreign_links).toBeUndefined();
  });
});
