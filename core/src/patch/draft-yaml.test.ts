import { expect, it } from 'vitest';
import { readManifest } from '../manifest/read.js';
import { type DeclaredRecord, declare } from '../records/registry.js';
import { draftYaml } from './draft-yaml.js';

const tree = (text: string) => readManifest([{ path: 'a.yaml', text: `version: 1\nstack: s\n---\n${text}\n` }]);
const odd = 'a: "b" # \'c\'\n- $\u007bd} %{e} \\ ü';

const RECORDS: DeclaredRecord[] = [
  declare('application', { name: 'billing' }),
  declare('application', { name: 'odd: [app]' }),
  declare('resource_type', { application: 'billing', name: 'invoice', actions: ['read'] }),
  declare('role', { application: 'billing', name: 'clerk', description: odd }),
  declare('subject', { type: 'user', id: 'true', name: odd, properties: { n: 1.5, list: ['no', null, odd] } }),
  declare('group', { name: '- staff' }),
  declare('group_membership', { group: '-%20staff', entity_type: 'subject', entity: 'user/true' }),
];

it('is read back as the same records, whatever their texts hold', () => {
  const { manifest, faults } = tree(draftYaml(RECORDS.map((after) => ({ after }))));
  expect(faults).toEqual([]);
  const sorted = (records: readonly DeclaredRecord[]) =>
    new Map(records.map(({ address, fields }) => [address, fields]));
  expect(sorted(manifest?.records ?? [])).toEqual(sorted(RECORDS));
});

it('says nothing of what the records mention, names what goes, and renames', () => {
  const [role, group, member] = [RECORDS[3], RECORDS[5], RECORDS[6]] as DeclaredRecord[];
  const text = draftYaml([
    { after: member as DeclaredRecord },
    { before: group as DeclaredRecord },
    { from: 'role/billing/a "b"', before: role as DeclaredRecord, after: role as DeclaredRecord },
  ]);
  expect(text).not.toContain('external');
  expect(text).toMatch(/^# Remove group\/-%20staff\.\n/);
  expect(text).toContain('moved:\n  - { from: "role/billing/a \\"b\\"", to: "role/billing/clerk" }');
  expect(draftYaml([])).toBe('');
});
