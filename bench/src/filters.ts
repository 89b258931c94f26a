import type { EngineRecord } from '@authz-service/core/access/api/engine';
import { compileEngine } from '@authz-service/core/access/engine/compile-engine';
import { filterRows } from '@authz-service/core/questions/filter/row-filter';
import type { Kind } from '@authz-service/core/records/kinds';
import { declare, definitionOf } from '@authz-service/core/records/registry';
import { filterSql } from '@authz-service/sdk';
import pg from 'pg';
import { PostgresServer } from '../../cloud/testing/postgres-server.js';
import { median } from './random.js';

export interface FilterFigures {
  /** Milliseconds until a filter is found and said in SQL, in this process. */
  asked: number;
  /** Milliseconds of a first page: by the filter's query, by a query that somebody writes, by decisions on rows in their order. */
  filtered: number;
  byHand: number;
  byDecisions: number;
}

const ROWS = 1_000_000;
const OWNERS = 1_000;
const PAGE = 50;
const BATCH = 1_000;
const WAYS = ['asked', 'filtered', 'byHand'] as const;
const TURNS = 100;

/** The first page of a million rows in PostgreSQL, of which one in a thousand is allowed. */
export async function measureFilters(): Promise<FilterFigures> {
  const server = await PostgresServer.start();
  const client = new pg.Client(server.url('postgres'));
  try {
    await client.connect();
    await client.query('CREATE TABLE doc (name text PRIMARY KEY, owner text, title text)');
    await client.query(
      `INSERT INTO doc SELECT 'd' || lpad(n::text, 7, '0'), 'u' || n % ${OWNERS}, repeat('x', 100) FROM generate_series(1, ${ROWS}) AS n`,
    );
    await client.query('CREATE INDEX doc_owner ON doc (owner, name)');
    await client.query('VACUUM ANALYZE doc');
    const engine = compileEngine(RECORDS);
    const asked = { subject: { type: 'user', id: 'u7' }, action: { name: 'read' } };
    const names = async (where: string, params: readonly unknown[]) => {
      const { rows } = await client.query(`SELECT name FROM doc WHERE ${where} ORDER BY name LIMIT ${PAGE}`, [
        ...params,
      ]);
      return rows.map(({ name }) => name as string);
    };
    const filtered = () => {
      const { filter } = filterRows(engine, { ...asked, resource: { type: 'docs/document' } }, Date.now());
      return filterSql(filter, { name: 'doc.name', properties: { owner: 'doc.owner' } }, 'postgres');
    };
    const { sql, params } = filtered();
    const ways = {
      asked: async () => void filtered(),
      filtered: () => names(sql, params),
      byHand: () => names('owner = $1', ['u7']),
      byDecisions: async () => {
        const found: string[] = [];
        for (let after = ''; found.length < PAGE; ) {
          const batch = 'SELECT name, owner FROM doc WHERE name > $1 ORDER BY name LIMIT $2';
          const { rows } = await client.query<{ name: string; owner: string }>(batch, [after, BATCH]);
          if (rows.length === 0) break;
          for (const { name, owner } of rows) {
            const resource = { type: 'docs/document', name, properties: { owner } };
            if (engine.decide({ ...asked, resource }, Date.now()).decision) found.push(name);
          }
          after = rows.at(-1)?.name ?? '';
        }
        return found.slice(0, PAGE);
      },
    };
    const wanted = JSON.stringify(await ways.byHand());
    const times: Record<keyof typeof ways, number[]> = { asked: [], filtered: [], byHand: [], byDecisions: [] };
    const measure = async (name: keyof typeof ways) => {
      const began = performance.now();
      const page = await ways[name]();
      times[name].push(performance.now() - began);
      if (page !== undefined && JSON.stringify(page) !== wanted) throw new Error(`${name} found another page`);
    };
    // Decisions leave garbage behind, so they come last; of the queries, each is first in every other turn.
    for (let turn = 0; turn < TURNS; turn++)
      for (const name of turn % 2 === 0 ? WAYS : WAYS.toReversed()) await measure(name);
    for (let turn = 0; turn < TURNS; turn++) await measure('byDecisions');
    return {
      ...{ asked: median(times.asked), filtered: median(times.filtered) },
      ...{ byHand: median(times.byHand), byDecisions: median(times.byDecisions) },
    };
  } finally {
    await client.end();
    await server.stop();
  }
}

function record(kind: Kind, raw: object): EngineRecord {
  const declared = declare(kind, definitionOf(kind).schema.parse(raw) as never);
  return { ...declared, id: declared.address } as unknown as EngineRecord;
}

const RECORDS = [
  record('application', { name: 'docs' }),
  record('resource_type', {
    application: 'docs',
    name: 'document',
    actions: ['read'],
    properties: { owner: 'string' },
  }),
  record('subject', { type: 'user', id: 'u7', name: 'u7' }),
  record('policy', {
    ...{ application: 'docs', name: 'own', effect: 'ALLOW' },
    ...{ resource_type: 'docs/document', actions: ['read'], condition: 'resource.properties.owner == subject.id' },
  }),
  record('policy_assignment', { policy: 'docs/own', entity_type: 'subject', entity: 'user/u7' }),
];
