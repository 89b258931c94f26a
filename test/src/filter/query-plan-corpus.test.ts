import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compileEngine } from '@authz-service/core/access/engine/compile-engine';
import type { CompiledEngine } from '@authz-service/core/access/engine/compiled-engine';
import type { JsonObject } from '@authz-service/core/json/json';
import { readManifest } from '@authz-service/core/manifest/read';
import { ProblemError } from '@authz-service/core/problem';
import { filterRows } from '@authz-service/core/questions/filter/row-filter';
import { filterFindings } from '@authz-service/core/questions/lint/filter-findings';
import type { DeclaredRecord } from '@authz-service/core/records/registry';
import { filterSql } from '@authz-service/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { ROW_DATABASES } from '../naive/row-databases.js';
import type { RowDatabase, SqlValue } from '../naive/row-table.js';

/** The folder `conformance` of a checkout of github.com/cerbos/query-plan-adapters: a corpus of hostile conditions and rows. */
const CORPUS = process.env.SERVICE_QUERY_PLAN_CORPUS;
if (CORPUS === undefined)
  process.stderr.write('\nSKIPPED: no corpus of query plans is asked: SERVICE_QUERY_PLAN_CORPUS names none.\n');

type Match = { expr: string } | { all: { of: Match[] } } | { any: { of: Match[] } } | { none: { of: Match[] } };

interface Rule {
  readonly actions: readonly [string];
  readonly condition: { readonly match: Match };
}

interface Seed {
  readonly id: string;
  readonly aBool: boolean;
  readonly aString: string;
  readonly aNumber: number;
  readonly aOptionalString: string | null;
  readonly tags: readonly { readonly id: string; readonly name: string | null }[];
  readonly subCategoryNames: readonly string[];
  readonly parentSeedId: string | null;
}

interface Derived {
  readonly [field: string]: unknown;
  readonly labels: readonly (string | null)[];
}

const SCALARS = { aBool: 'boolean', aString: 'string', aNumber: 'number', aOptionalString: 'string' } as const;
/** The columns of a row. What is reached over a relation to one other row stands in columns of the query that joins it. */
const TYPES: Readonly<Record<string, 'string' | 'number' | 'boolean' | 'list' | 'map'>> = {
  ...SCALARS,
  ...{
    createdBy: 'string',
    createdAt: 'string',
    aDouble: 'number',
    scope: 'string',
    owner: 'string',
    coOwner: 'string',
  },
  ...{ tags: 'list', tagNames: 'list', categories: 'list', mainCategory: 'map', obj_inner: 'string' },
  ...Object.fromEntries(
    ['parent', 'parent_inner'].flatMap((hop) =>
      Object.entries(SCALARS).map(([name, type]) => [`${hop}_${name}`, type]),
    ),
  ),
};
const NOW = Date.parse('2026-11-28T00:00:00Z');

/** A condition of the corpus as one of ours. */
function rewritten(match: Match): string {
  if ('expr' in match)
    return `(${match.expr})`
      .replaceAll(
        /\bR\.attr\.((?:obj|parent)(?:\.inner)?)\.(\w+)/g,
        (_, hops: string, name: string) => `R.attr.${hops.replace('.', '_')}_${name}`,
      )
      .replaceAll(/\bhasIntersection\((\[.*?\]), (\S*?)\)/g, '$2.exists(i, i in $1)')
      .replaceAll(/\bhasIntersection\((.*?), (\[.*?\])\)/g, '$1.exists(i, i in $2)')
      .replaceAll(/\bR\.attr\b/g, 'resource.properties')
      .replaceAll(/\bP\.attr\b/g, 'subject.properties')
      .replaceAll(/\bR\.id\b/g, 'resource.name')
      .replaceAll(/\bP\.id\b/g, 'subject.id');
  const [kind, { of }] = Object.entries(match)[0] as [string, { of: Match[] }];
  const parts = of.map(rewritten);
  return kind === 'all' ? `(${parts.join(' && ')})` : `${kind === 'none' ? '!' : ''}(${parts.join(' || ')})`;
}

/** A document of the corpus as the properties of one of our requests: a NULL is left out. */
function propertiesOf(seed: Seed, derived: Derived, seeds: ReadonlyMap<string, Seed>): JsonObject {
  const { labels, ...fields } = derived;
  const parent = seeds.get(seed.parentSeedId ?? '');
  const inner = seeds.get(parent?.parentSeedId ?? '');
  const scalars = (one: Seed | undefined, prefix: string) =>
    one === undefined
      ? {}
      : Object.fromEntries(Object.keys(SCALARS).map((name) => [prefix + name, one[name as keyof typeof SCALARS]]));
  const subCategories = seed.subCategoryNames.map((name) => ({ name }));
  const all = {
    ...scalars(seed, ''),
    ...fields,
    ...{ owner: seed.aOptionalString, coOwner: derived.scope, obj_inner: seed.aString },
    tags: seed.tags.map(({ id, name }) => ({ id, ...(name !== null && { name }) })),
    tagNames: seed.tags.map(({ name }) => name),
    categories: subCategories.map(({ name }) => ({
      name: 'business',
      subCategories: [{ name, labels: labels.map((label) => (label === null ? {} : { name: label })) }],
    })),
    mainCategory:
      subCategories.length === 0
        ? null
        : { name: 'business', subCategories, subNames: seed.subCategoryNames as string[] },
    ...scalars(parent, 'parent_'),
    ...scalars(inner, 'parent_inner_'),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null)) as JsonObject;
}

interface Case {
  readonly action: string;
  readonly condition: string;
}

/** The tenant of one condition; undefined where it is none of ours. */
function tenantOf({ condition }: Case): readonly DeclaredRecord[] | undefined {
  const policy = {
    effect: 'ALLOW',
    resource_type: 'adversarial',
    actions: ['act'],
    condition,
    assigned_to: ['everyone'],
  };
  const resource_types = { adversarial: { actions: ['act'], filterable: true, properties: TYPES } };
  const text = stringify({ version: 1, applications: { app: { resource_types, policies: { p: policy } } } });
  const { manifest, faults } = readManifest([{ path: 'tenant.yaml', text }]);
  return faults.length > 0 ? undefined : manifest?.records;
}

describe.skipIf(CORPUS === undefined)('the corpus of query plans', async () => {
  const read = async (name: string) => await readFile(join(CORPUS ?? '', name), 'utf8');
  if (CORPUS === undefined) return;
  const { resourcePolicy } = parse(await read('policies/adversarial.yaml')) as { resourcePolicy: { rules: Rule[] } };
  const { seeds, principal } = JSON.parse(await read('seeds.json')) as {
    seeds: Seed[];
    principal: { attr: JsonObject };
  };
  const { derived } = JSON.parse(await read('derived-fields.json')) as { derived: Record<string, Derived> };
  const byId = new Map(seeds.map((seed) => [seed.id, seed]));
  const rows = seeds.map((seed) => ({
    name: seed.id,
    properties: propertiesOf(seed, derived[seed.id] as Derived, byId),
  }));
  const cases = resourcePolicy.rules.map(
    ({ actions: [action], condition: { match } }): Case => ({
      action,
      condition: rewritten(match),
    }),
  );
  const columns = { name: 'name', properties: Object.fromEntries(Object.keys(TYPES).map((name) => [name, name])) };
  const counts = { equal: 0, 'equal, of some rows': 0, refused: 0, 'not in this language': 0 };
  const databases: RowDatabase[] = [];

  beforeAll(async () => {
    for (const { isThere, open } of ROW_DATABASES) if (isThere) databases.push(await filled(await open()));
  });
  afterAll(async () => {
    await Promise.all(databases.map((database) => database.close()));
    process.stderr.write(`\nThe corpus of query plans: ${JSON.stringify(counts)} of ${cases.length}\n`);
  });

  async function filled(database: RowDatabase): Promise<RowDatabase> {
    const sqlTypes = {
      sqlite: { string: 'TEXT', number: 'REAL', boolean: 'INTEGER', list: 'TEXT', map: 'TEXT' },
      postgres: { string: 'text', number: 'double precision', boolean: 'boolean', list: 'jsonb', map: 'jsonb' },
      mysql: { string: 'VARCHAR(200)', number: 'DOUBLE', boolean: 'BOOLEAN', list: 'JSON', map: 'JSON' },
    }[database.dialect];
    const names = Object.keys(TYPES);
    const declared = names.map((name) => `${name} ${sqlTypes[TYPES[name] as 'string']}`);
    await database.run(`CREATE TABLE doc (at INTEGER, name VARCHAR(200), ${declared.join(', ')})`);
    for (const [at, { name, properties }] of rows.entries()) {
      const values = names.map((one): SqlValue => {
        const value = properties[one] ?? null;
        if (typeof value === 'boolean' && database.dialect === 'sqlite') return Number(value);
        return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
      });
      const all = [at, name, ...values];
      const places = all.map((_, index) => (database.dialect === 'postgres' ? `$${index + 1}` : '?'));
      await database.run(`INSERT INTO doc VALUES (${places.join(', ')})`, all);
    }
    return database;
  }

  const asked = { subject: { type: 'user', id: 'u1', properties: principal.attr }, action: { name: 'act' } };
  const isAllowed = (engine: CompiledEngine, { name, properties }: (typeof rows)[number]) => {
    try {
      return engine.decide({ ...asked, resource: { type: 'adversarial', name, properties } }, NOW).decision;
    } catch (error) {
      if (error instanceof ProblemError) return false;
      throw error;
    }
  };

  it.each(cases)('is equal or refused: $action', async (one) => {
    const records = tenantOf(one);
    if (records === undefined) {
      counts['not in this language']++;
      return;
    }
    const engine = compileEngine(records.map((record) => ({ ...record, id: record.address })));
    const allowed = rows.flatMap((row, at) => (isAllowed(engine, row) ? [at] : []));
    const question = { ...asked, resource: { type: 'adversarial' } };
    const foundBeforehand = filterFindings(records, NOW).length > 0;
    let bound = false;
    let answer: ReturnType<typeof filterRows>;
    try {
      answer = filterRows(engine, question, NOW);
      counts.equal++;
      if (allowed.length > 0 && allowed.length < rows.length) counts['equal, of some rows']++;
    } catch (error) {
      expect(error).toMatchObject({ code: 'not_filterable', errors: [{ address: 'policy/app/p' }] });
      expect(foundBeforehand).toBe(true);
      counts.refused++;
      bound = true;
      answer = filterRows(engine, question, NOW, true);
    }
    for (const database of databases) {
      const { sql, params } = filterSql(answer.filter, columns, database.dialect);
      const selected = await database.numbers(`SELECT at FROM doc WHERE ${sql} ORDER BY at`, params);
      if (bound) expect(selected).toEqual(expect.arrayContaining(allowed));
      else expect({ sql, selected }).toEqual({ sql, selected: allowed });
    }
  });
});
