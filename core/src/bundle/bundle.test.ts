import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { EngineRecord } from '../access/api/engine.js';
import { addressOf, definitions } from '../records/registry.js';
import { revisionText } from '../state/revision.js';
import { bundleRevision, digestRecords } from './digest.js';
import { decodeBundle, unpackBundle } from './read.js';
import type { Bundle, BundleTenant } from './types.js';
import { encodeBundle, packBundle } from './write.js';

const LIMITS = { compressed: 1_000_000, unpacked: 10_000_000 };

let ids = 0;
function record(kind: EngineRecord['kind'], fields: Record<string, unknown>): EngineRecord {
  return { kind, id: `id-${++ids}`, fields: definitions[kind].schema.parse(fields) } as EngineRecord;
}

const RECORDS: EngineRecord[] = [
  record('group_membership', { group: 'g', entity_type: 'subject', entity: 'user/ä"\n' }),
  record('role_assignment', {
    role: 'a/r',
    entity_type: 'group',
    entity: 'g',
    expires_at: '2027-01-01T00:00:00+01:00',
  }),
  record('policy_assignment', { policy: 'p', entity_type: 'role', entity: 'a/r' }),
  record('policy', {
    name: 'p',
    effect: 'ALLOW',
    resource_type: 'a/t',
    actions: ['read', '*'],
    condition: 'context.x == "\u2028"',
    modifiers: {
      ip_ranges: ['10.0.0.0/8'],
      mfa_required: true,
      time_windows: [{ start: '09:00', end: '17:00', days: ['mon'] }],
    },
  }),
  record('policy', {
    application: 'a',
    name: 'q',
    effect: 'ALLOW',
    resources: [{ resource: 'a/t/x', actions: ['read'] }],
  }),
  record('group', { name: 'g', description: '' }),
  record('role', { application: 'a', name: 'r' }),
  record('role', { name: 'r' }),
  record('subject', { type: 'user', id: 'ä"\n'.trim(), properties: { deep: { er: [null, true, 1.5, { x: '' }] } } }),
  record('resource', { type: 'a/t', name: 'x', properties: { amount: 1 } }),
  record('resource_type', { application: 'a', name: 't', actions: ['read'], properties: { amount: 'number' } }),
  record('application', { name: 'a' }),
];

function tenant(records: EngineRecord[] = RECORDS, more: Partial<BundleTenant> = {}): BundleTenant {
  const digest = digestRecords(records);
  return { id: 't1', name: 'acme', revision: revisionText(7, digest), digest, records, ...more };
}

function bundle(...tenants: BundleTenant[]): Bundle {
  return { format: 1, revision: bundleRevision(tenants), unreadable: [], tenants };
}

const contents = ({ tenants }: Bundle) =>
  tenants.map(({ id, name, revision, digest, records }) => [
    { id, name, revision, digest },
    new Map(records.map((item) => [addressOf(item.kind, item.fields), item])),
  ]);

describe('encodeBundle and decodeBundle', () => {
  it.each<[string, Bundle]>([
    ['all kinds of records', bundle(tenant())],
    ['an empty tenant', bundle(tenant([]))],
    [
      'several tenants',
      bundle(tenant(), tenant([], { id: 't2', name: 'globex' }), tenant(RECORDS, { id: 't3', name: 'x' })),
    ],
    ['no tenant', bundle()],
  ])('give back %s', (_, original) => {
    const decoded = decodeBundle(encodeBundle(original));
    expect(contents(decoded)).toEqual(contents(original));
    expect(decoded.revision).toBe(original.revision);
  });

  it('write valid JSON with one record per line', () => {
    const text = encodeBundle(bundle(tenant())).toString();
    expect(JSON.parse(text)).toMatchObject({ format: 1, tenants: [{ name: 'acme' }] });
    const lines = text.split('\n').filter((line) => line.startsWith('{"kind":'));
    expect(lines).toHaveLength(RECORDS.length);
    for (const line of lines) expect(JSON.parse(line.replace(/,$/, ''))).toHaveProperty('fields');
  });

  it('write the same bytes for the same records in any order', () => {
    const members = (item: EngineRecord) =>
      ({ ...item, fields: Object.fromEntries(Object.entries(item.fields).toReversed()) }) as EngineRecord;
    const other = bundle(tenant(RECORDS.toReversed().map(members)));
    expect(encodeBundle(other)).toEqual(encodeBundle(bundle(tenant())));
  });

  it('leave credentials out', () => {
    const key = record('api_key', { name: 'k', scopes: ['bundle'] });
    expect(encodeBundle(bundle(tenant([key, ...RECORDS])))).toEqual(encodeBundle(bundle(tenant())));
    expect(digestRecords([key, ...RECORDS])).toBe(digestRecords(RECORDS));
  });

  it('read the same JSON however it is laid out', () => {
    const text = encodeBundle(bundle(tenant(), tenant([], { id: 't2', name: 'globex' }))).toString();
    for (const layout of [JSON.stringify(JSON.parse(text)), JSON.stringify(JSON.parse(text), undefined, 2)]) {
      expect(contents(decodeBundle(Buffer.from(layout)))).toEqual(contents(decodeBundle(Buffer.from(text))));
    }
  });

  it('go through several slices', () => {
    const many = Array.from({ length: 20_000 }, (_, index) =>
      record('resource', { type: 'a/t', name: `n${index}`, description: 'ü'.repeat(100) }),
    );
    const one = record('resource', { type: 'a/t', name: 'big', properties: { text: 'x'.repeat(3_000_000) } });
    const original = bundle(tenant([...RECORDS, ...many, one]));
    expect(contents(decodeBundle(encodeBundle(original)))).toEqual(contents(original));
  });

  it('end anywhere in a slice, and in it records, too', () => {
    // The first record moves what comes after it over the 32,768th byte of the list, byte by byte.
    const long = (length: number) =>
      record('resource', { type: 'a/t', name: 'a', properties: { text: 'x'.repeat(length) } });
    const after = ['b', 'c'].map((name) => record('resource', { type: 'a/t', name }));
    for (let length = 32_100; length < 32_800; length++) {
      const original = bundle(tenant([long(length), ...after]), tenant([], { id: 't2', name: 'globex' }));
      const { tenants } = decodeBundle(encodeBundle(original));
      expect(tenants.map(({ records, digest }) => [records.length, digest])).toEqual(
        original.tenants.map(({ records, digest }) => [records.length, digest]),
      );
    }
  });
});

describe('decodeBundle', () => {
  type Raw = Record<string, unknown> & {
    tenants: (Record<string, unknown> & { records: Record<string, unknown>[] })[];
  };
  const raw = (): Raw => JSON.parse(encodeBundle(bundle(tenant())).toString());
  const edited = (edit: (value: Raw) => unknown): Buffer => {
    const value = raw();
    return Buffer.from(JSON.stringify(edit(value) ?? value));
  };
  const editedTenant = (edit: (value: Raw['tenants'][number]) => unknown) =>
    edited((value) => {
      const [first] = value.tenants;
      if (first) edit(first);
    });
  const editedRecord = (kind: string, edit: (value: Record<string, unknown>) => unknown) =>
    editedTenant(({ records }) => {
      const found = records.find((item) => item.kind === kind);
      if (found) edit(found);
    });
  const fieldsOf = (value: Record<string, unknown>) => value.fields as Record<string, unknown>;
  const text = () => encodeBundle(bundle(tenant())).toString();

  it.each<[string, () => Buffer, string]>([
    ['nothing', () => Buffer.alloc(0), 'not valid JSON'],
    ['text', () => Buffer.from('<html>'), 'not valid JSON'],
    ['a list', () => Buffer.from('[]'), 'not a JSON object'],
    ['null', () => Buffer.from('null'), 'not a JSON object'],
    [
      'another format',
      () => edited((value) => ({ ...value, format: 6 })),
      'format 6; this program reads formats 1 to 5',
    ],
    ['no tenants', () => Buffer.from('{"format":1,"revision":"x"}'), 'no list of tenants'],
    ['a tenant that is no object', () => edited((value) => ({ ...value, tenants: [null] })), 'A tenant is not'],
    ['a tenant without a name', () => editedTenant((value) => delete value.name), 'no name'],
    [
      'a tenant without records',
      () => editedTenant((value) => Object.assign(value, { records: {} })),
      'no list of records',
    ],
    ['a tenant twice', () => encodeBundle(bundle(tenant(), tenant(RECORDS, { name: 'other' }))), 'twice'],
    ['a bundle revision of its own', () => edited((value) => ({ ...value, revision: '7.0' })), 'states revision'],
    [
      'a revision that is not of the digest',
      () => editedTenant((value) => Object.assign(value, { revision: '7.0123456789abcdef' })),
      'does not fit',
    ],
    [
      'a revision without a number',
      () => editedTenant((value) => Object.assign(value, { revision: `x${String(value.revision)}` })),
      'does not fit',
    ],
    [
      'a wrong digest',
      () => editedTenant((value) => Object.assign(value, { digest: '0'.repeat(64) })),
      'have the digest',
    ],
    ['a digest of nothing', () => editedTenant((value) => delete value.digest), 'have the digest'],
    [
      'a changed field',
      () => editedRecord('policy', (value) => Object.assign(fieldsOf(value), { effect: 'DENY' })),
      'have the digest',
    ],
    ['a record left out', () => editedTenant(({ records }) => records.pop()), 'have the digest'],
    [
      'a record twice',
      () => editedTenant(({ records }) => records.push(records.at(-1) ?? {})),
      'repeated or out of order',
    ],
    ['records out of order', () => editedTenant(({ records }) => records.reverse()), 'repeated or out of order'],
    ['a record that is null', () => editedTenant(({ records }) => records.splice(2, 1, null as never)), 'Record 2'],
    ['an unknown kind', () => editedRecord('role', (value) => Object.assign(value, { kind: 'wizard' })), '"wizard"'],
    [
      'a credential',
      () => editedRecord('role', (value) => Object.assign(value, { kind: 'api_key' })),
      'no bundle may contain',
    ],
    [
      'a schema',
      () => editedRecord('role', (value) => Object.assign(value, { kind: 'directory' })),
      'no bundle may contain',
    ],
    ['a record without an id', () => editedRecord('role', (value) => Object.assign(value, { id: '' })), 'no id'],
    ['a record without fields', () => editedRecord('role', (value) => delete value.fields), 'a role, has fields'],
    [
      'a name that is no text',
      () => editedRecord('group', (value) => Object.assign(fieldsOf(value), { name: 7 })),
      'a group, has fields',
    ],
    [
      'an unknown field',
      () => editedRecord('policy', (value) => Object.assign(fieldsOf(value), { unless: 'x' })),
      'a policy, has fields',
    ],
    [
      'an unknown modifier',
      () => editedRecord('policy', (value) => Object.assign(fieldsOf(value), { modifiers: { moon: 'full' } })),
      'a policy',
    ],
    [
      'an unknown effect',
      () => editedRecord('policy', (value) => Object.assign(fieldsOf(value), { effect: 'MAYBE' })),
      'a policy, has',
    ],
    [
      'actions that are no list',
      () => editedRecord('policy', (value) => Object.assign(fieldsOf(value), { actions: 'read' })),
      'a policy, has',
    ],
    ['a missing field', () => editedRecord('policy', (value) => delete fieldsOf(value).priority), 'a policy, has'],
    ['a cut-off text', () => Buffer.from(text().slice(0, -3)), 'not valid JSON'],
    ['a text cut off in a record', () => Buffer.from(text().slice(0, 700)), 'not valid JSON'],
    [
      'a text cut off after a record',
      () => Buffer.from(text().slice(0, text().lastIndexOf('\n]}\n]}'))),
      'not valid JSON',
    ],
    ['a text that goes on', () => Buffer.from(`${text()}{}`), 'not valid JSON'],
    [
      'a tenant without a comma',
      () => Buffer.from(text().replace(/\n\]\}\n\]\}\n$/, '\n]}\n{"id":"x","records":[\n]}\n]}\n')),
      'not valid JSON',
    ],
    [
      'a record without a comma',
      () => Buffer.from(text().replace(',\n{"kind":"role"', '\n{"kind":"role"')),
      'not valid JSON',
    ],
  ])('refuses %s', (_, bytes, detail) => {
    expect(() => decodeBundle(bytes())).toThrow(
      expect.objectContaining({ code: 'invalid_bundle', detail: expect.stringContaining(detail) }),
    );
  });

  it('refuses any bundle with one byte changed, and nothing else happens', () => {
    const bytes = encodeBundle(bundle(tenant()));
    const good = contents(decodeBundle(bytes));
    for (let place = 0; place < bytes.length; place += 1) {
      const damaged = Buffer.from(bytes);
      damaged[place] = (damaged[place] ?? 0) ^ 1;
      try {
        // What still decodes says the same records: ids and the tenant's names are not part of the digest.
        const [[, records] = []] = contents(decodeBundle(damaged));
        const fields = (items: unknown) =>
          [...(items as Map<string, EngineRecord>)].map(([key, item]) => [key, item.fields]);
        expect(fields(records)).toEqual(fields(good[0]?.[1]));
      } catch (error) {
        expect(error).toMatchObject({ code: 'invalid_bundle' });
      }
    }
  });
});

describe('packBundle', () => {
  it('makes an archive that unpacks to the encoded bundle, with the same bytes each time', async () => {
    const packed = await packBundle(bundle(tenant()));
    expect(await unpackBundle(packed, LIMITS)).toEqual({ json: encodeBundle(bundle(tenant())), jws: undefined });
    expect(await packBundle(bundle(tenant(RECORDS.toReversed())))).toEqual(packed);
    expect(gunzipSync(packed).length % 512).toBe(0);
  });
});

describe('bundleRevision', () => {
  it('is that of the only tenant, else one over all in any order', () => {
    const [one, two] = [tenant(), tenant([], { id: 't2', name: 'globex' })];
    expect(bundleRevision([one])).toBe(one.revision);
    expect(bundleRevision([one, two])).toBe(bundleRevision([two, one]));
    expect(bundleRevision([one, two])).toMatch(/^[0-9a-f]{64}$/);
    expect(bundleRevision([one, { ...two, revision: '8.0' }])).not.toBe(bundleRevision([one, two]));
  });

  it('is another one where a tenant cannot be read, though only one is there', () => {
    const [one, two] = [tenant(), { id: 't2', name: 'globex' }];
    const revision = bundleRevision([one], [two]);
    expect(revision).toMatch(/^[0-9a-f]{64}$/);
    expect(bundleRevision([one], [{ id: 't3' }])).not.toBe(revision);
    const made = encodeBundle({ revision, unreadable: [two], tenants: [one] });
    expect(decodeBundle(made)).toMatchObject({ revision, unreadable: [two], tenants: [{ id: 't1' }] });
    const forged = (from: string, to: string) => () => decodeBundle(Buffer.from(made.toString().replace(from, to)));
    expect(forged('"unreadable":[{"id":"t2","name":"globex"}],', '')).toThrow(/states revision/);
    expect(forged('"id":"t2"', '"id":"t1"')).toThrow(/the tenant "acme" twice/);
    expect(forged('{"id":"t2","name":"globex"}', '{"id":"t2"}')).toThrow(/has no id or no name/);
    expect(forged('[{"id":"t2","name":"globex"}]', '7')).toThrow(/no list of the tenants that cannot be read/);
  });
});
