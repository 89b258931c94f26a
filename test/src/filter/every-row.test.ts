import { compileEngine } from '@authz-service/core/access/engine/compile-engine';
import type { Json, JsonObject } from '@authz-service/core/json/json';
import { readManifest } from '@authz-service/core/manifest/read';
import { ProblemError } from '@authz-service/core/problem';
import { filterRows } from '@authz-service/core/questions/filter/row-filter';
import { filterSql } from '@authz-service/sdk';
import { expect, it } from 'vitest';
import { ROW_DATABASES } from '../naive/row-databases.js';

/** The rows of the table: `SERVICE_FILTER_ROWS=1000000` asks a decision on each of a million. */
const ROWS = Number(process.env.SERVICE_FILTER_ROWS ?? 2000);
const NOW = Date.parse('2026-11-28T00:00:00Z');

const TENANT = `version: 1
applications:
  docs:
    resource_types:
      folder: { actions: [read], parents: [{ type: folder, property: within }] }
      document:
        actions: [read]
        filterable: true
        properties: { owner: string, status: string, size: number, draft: boolean, tags: list }
        parents: [{ type: folder, property: folder }]
    resources:
      root: { type: folder }
      hr: { type: folder, parents: [folder/root] }
      pay: { type: folder, parents: [folder/hr] }
      it: { type: folder }
      d77: { type: document, properties: { status: open, owner: alice }, parents: [folder/it] }
      d78: { type: document, properties: { draft: true } }
    roles:
      reader: { from_requests: false, assigned_to: [{ to: user/alice, resource: folder/hr }] }
      late: { from_requests: false, assigned_to: [{ to: user/alice, resource: folder/it, starts_at: "2027-01-01T00:00:00Z" }] }
    policies:
      own: { effect: ALLOW, resource_type: document, actions: [read], condition: resource.properties.owner == subject.id, assigned_to: [everyone] }
      placed: { effect: ALLOW, resource_type: document, actions: [read], condition: '!(resource.properties.status == "50%_a") && resource.properties.size < 8', assigned_to: [role/docs/reader, role/docs/late] }
      tagged: { effect: ALLOW, resource_type: document, actions: [read], condition: 'subject.id in resource.properties.tags && resource.properties.status.startsWith("50%")', assigned_to: [everyone] }
      drafts: { effect: DENY, resource_type: document, actions: [read], condition: resource.properties.draft && resource.properties.owner != subject.id, assigned_to: [everyone] }
      large: { effect: DENY, priority: 1, resource_type: document, actions: [read], condition: has(resource.properties.size) && resource.properties.size >= 9, unless: { mfa_required: true }, assigned_to: [everyone] }
      held: { effect: DENY, resource_type: document, actions: [read], condition: 'has(resource.properties.status) && resource.properties.status.contains("held")', assigned_to: [everyone] }
subjects: { user/alice: {} }
`;
const VALUES: { readonly [column: string]: readonly Json[] } = {
  owner: ['alice', 'Alice', 'alice ', 'bob', '', null],
  status: ['open', 'OPEN', '50%_a', '50xa', '50%', 'on held', 'Held', null],
  size: [0, -1.5, 7.999, 8, 9, 10, null],
  draft: [true, false, null],
  tags: [['alice'], ['Alice', 1, null], [], ['bob', 'alice'], null],
  folder: ['hr', 'pay', 'it', 'root', 'gone', null],
};
const COLUMNS = Object.keys(VALUES);

/** The row of a number: any values beside each other, and always the same. */
function rowAt(at: number): JsonObject {
  const mixed = (seed: number) => {
    const one = Math.imul((at + 1) ^ (seed * 0x9e3779b9), 0x85ebca6b);
    return Math.imul(one ^ (one >>> 13), 0xc2b2ae35) >>> 8;
  };
  return Object.fromEntries(
    COLUMNS.map((column, seed) => {
      const values = VALUES[column] as readonly Json[];
      return [column, values[mixed(seed) % values.length] as Json];
    }),
  );
}

it(`selects of ${ROWS} rows those that are allowed when asked one by one`, { timeout: 3_600_000 }, async () => {
  const { manifest, faults } = readManifest([{ path: 'tenant.yaml', text: TENANT }]);
  expect(faults).toEqual([]);
  const engine = compileEngine((manifest?.records ?? []).map((record) => ({ ...record, id: record.address })));
  const asked = { subject: { type: 'user', id: 'alice' }, action: { name: 'read' } };
  const isAllowed = (name: string, { folder, ...values }: JsonObject) => {
    const present = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
    const properties = { ...present, folder: folder ?? null } as JsonObject;
    try {
      return engine.decide({ ...asked, resource: { type: 'document', name, properties } }, NOW).decision;
    } catch (error) {
      if (error instanceof ProblemError) return false;
      throw error;
    }
  };
  const database = await ROW_DATABASES[0]?.open();
  if (database === undefined) throw new Error('SQLite is missing');
  await database.run(`CREATE TABLE doc (at INTEGER, name TEXT COLLATE NOCASE, ${COLUMNS.join(', ')})`);
  const allowed: number[] = [];
  const width = COLUMNS.length + 2;
  for (let from = 0; from < ROWS; from += 500) {
    const values = Array.from({ length: Math.min(500, ROWS - from) }, (_, one) => {
      const row = rowAt(from + one);
      const name = `d${from + one}`;
      if (isAllowed(name, row)) allowed.push(from + one);
      const columns = COLUMNS.map((column) => {
        const value = row[column] as Json;
        if (typeof value === 'boolean') return Number(value);
        return value !== null && typeof value === 'object' ? JSON.stringify(value) : value;
      });
      return [from + one, name, ...columns];
    });
    const places = `(${Array.from({ length: width }, () => '?').join(', ')})`;
    await database.run(`INSERT INTO doc VALUES ${values.map(() => places).join(', ')}`, values.flat());
  }
  const { filter } = filterRows(engine, { ...asked, resource: { type: 'document' } }, NOW);
  const properties = Object.fromEntries(COLUMNS.map((column) => [column, `doc.${column}`]));
  const columns = { name: 'doc.name', properties, parents: { folder: 'doc.folder' } };
  const { sql, params } = filterSql(filter, columns, 'sqlite');
  const selected = await database.numbers(`SELECT at FROM doc WHERE ${sql} ORDER BY at`, params);
  await database.close();
  expect(allowed.length).toBeGreaterThan(ROWS / 50);
  expect(selected.length).toBe(allowed.length);
  expect(selected.every((at, index) => at === allowed[index])).toBe(true);
});
