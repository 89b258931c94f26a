import type { EngineRecord } from '@authz-service/core/access/api/engine';
import { compileEngine } from '@authz-service/core/access/engine/compile-engine';
import type { CompiledEngine } from '@authz-service/core/access/engine/compiled-engine';
import type { Json, JsonObject } from '@authz-service/core/json/json';
import { ProblemError } from '@authz-service/core/problem';
import { type FilterQuestion, filterRows } from '@authz-service/core/questions/filter/row-filter';
import type { AskedPart } from '@authz-service/core/questions/filter/row-parts';
import { filterFindings } from '@authz-service/core/questions/lint/filter-findings';
import { addressOf, type DeclaredRecord } from '@authz-service/core/records/registry';
import { filterSql } from '@authz-service/sdk';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONTEXT_MEMBERS } from './contexts.js';
import { ABOUT_ROWS, ROW_TYPES, type Row, row, rowProperties, selects, sentForAll } from './filtered-rows.js';
import { alikeTenant, sparseTenantReading, tenant } from './generate.js';
import { request } from './random-requests.js';
import { ROW_DATABASES } from './row-databases.js';
import { RowTable } from './row-table.js';

/** The tenant with typed properties, and with conditions on rows. */
function typed(
  records: readonly EngineRecord[],
  conditions: readonly (string | undefined)[],
  stored: readonly JsonObject[],
  suspended: JsonObject,
): EngineRecord[] {
  let [policies, resources] = [0, 0];
  return records.map((record): EngineRecord => {
    const fields: JsonObject = { ...(record.fields as unknown as JsonObject) };
    if (record.kind === 'resource_type') fields.properties = ROW_TYPES;
    if (record.kind === 'resource') fields.properties = stored[resources++ % stored.length] as JsonObject;
    if (record.kind === 'subject') Object.assign(fields, suspended);
    if (record.kind === 'policy') {
      const condition = conditions[policies++ % conditions.length];
      if (condition !== undefined) fields.condition = condition;
      // What is stored has other types now.
      else if (String(fields.condition).includes('resource.properties')) delete fields.condition;
    }
    return { ...record, fields } as unknown as EngineRecord;
  });
}

const cases = (tenants: fc.Arbitrary<EngineRecord[]>) =>
  fc
    .record({
      records: tenants,
      conditions: fc.array(fc.option(fc.constantFrom(...ABOUT_ROWS), { nil: undefined, freq: 3 }), {
        minLength: 5,
        maxLength: 9,
      }),
      stored: fc.array(rowProperties, { minLength: 3, maxLength: 6 }),
      request,
      before: fc.array(request, { minLength: 2, maxLength: 4 }),
      sent: fc.option(sentForAll, { nil: undefined, freq: 2 }),
      rows: fc.array(row, { minLength: 12, maxLength: 12 }),
      suspended: fc.constantFrom<JsonObject>(
        ...[{}, {}, {}, {}, { suspended: true }, { suspended_until: new Date(1000).toISOString() }],
      ),
      now: fc.constantFrom(0, 999, 1000, 1500, 2000, 3000),
    })
    .map(({ records, conditions, stored, request: asked, before, sent, suspended, ...rest }) => {
      const any = { type: asked.resource.type, ...(sent && { properties: sent }) };
      const question = ({ subject, action, context }: typeof asked) => ({ subject, action, context, resource: any });
      return {
        ...rest,
        question: question(asked),
        before: before.map(question),
        records: typed(records, conditions, stored, suspended),
      };
    })
    .filter((one) => one.now === 999 || !selectsNothing(one));

/** Most random subjects may do nothing: some of such questions are enough. */
function selectsNothing({
  records,
  question,
  now,
}: {
  records: EngineRecord[];
  question: FilterQuestion;
  now: number;
}) {
  try {
    return filterRows(compileEngine(records), question, now).filter.kind === 'none';
  } catch {
    return false;
  }
}

/** The columns of the declared parents, by their property, as filters name them. */
function parentColumns(engine: CompiledEngine, type: string): ReadonlyMap<string, string> {
  const parents = (engine.types.get(type) ?? engine.types.named(type)[0]?.entry)?.parents ?? [];
  return new Map(
    parents.map(({ property, type: { name } }) => {
      const alike = parents.filter((other) => other.type.name === name || other.property === name);
      return [property, alike.length === 1 || alike.every((other) => other.property === property) ? name : property];
    }),
  );
}

function isAllowed(engine: CompiledEngine, question: FilterQuestion, { name, properties, parents }: Row, now: number) {
  const lies = [...parentColumns(engine, question.resource.type).keys()].map((one) => [one, parents[one] ?? null]);
  const said = { ...properties, ...Object.fromEntries(lies), ...question.resource.properties };
  try {
    return engine.decide({ ...question, resource: { type: question.resource.type, name, properties: said } }, now)
      .decision;
  } catch (error) {
    if (error instanceof ProblemError) return false;
    throw error;
  }
}

/** The policies of which lint says that filters are refused for them, of a tenant in which each type is filterable. */
function refusedBeforehand(tenant: readonly EngineRecord[], now: number): string[] {
  const records = tenant.map(({ kind, fields }) => {
    const all = kind === 'resource_type' ? { ...fields, filterable: true } : fields;
    return { kind, fields: all, address: addressOf(kind, fields) } as DeclaredRecord;
  });
  return filterFindings(records, now).map(({ address }) => address);
}

/** The answer of an engine that has been asked other questions before. */
function warmAnswer(
  records: readonly EngineRecord[],
  before: readonly FilterQuestion[],
  question: FilterQuestion,
  now: number,
) {
  const engine = compileEngine(records);
  for (const one of before)
    try {
      filterRows(engine, one, now - 1, true);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
    }
  return filterRows(engine, question, now).filter;
}

/** The parts of an answer, whose lists are short. */
function* inParts(engine: CompiledEngine, question: FilterQuestion, now: number, limit: number) {
  let intervals: AskedPart['intervals'] | undefined = [];
  while (intervals !== undefined) {
    const part = filterRows(engine, question, now, false, { limit, intervals });
    yield part;
    intervals = part.next;
  }
}

/** The value of a row's column; undefined where it has none. */
function valueIn({ name, properties, parents }: Row, attribute: string, columns: ReadonlyMap<string, string>) {
  const [root, member = ''] = attribute.split(/\.(.*)/s);
  if (root === 'name') return name;
  if (root === 'properties') return properties[member];
  const property = [...columns].find(([, column]) => column === member)?.[0] ?? '';
  return (parents[property] as Json) ?? undefined;
}

const FACTOR = Number(process.env.SERVICE_PROPERTY_FACTOR ?? 1);
const REFUSED = ['ambiguous_name', 'invalid_request', 'not_filterable'];
/** Tables in the databases that are installed. */
const tables: RowTable[] = [];
beforeAll(async () => {
  for (const { isThere, open } of ROW_DATABASES) if (isThere) tables.push(await RowTable.in(await open()));
});
afterAll(async () => void (await Promise.all(tables.map((table) => table.close()))));

describe('a filter', () => {
  let cuts = 0;
  it.each([
    ['many policies', tenant, 100],
    ['few policies', sparseTenantReading(CONTEXT_MEMBERS), 300],
    ['many resources', alikeTenant, 200],
  ])('selects exactly the rows that a decision allows, with %s, by itself and in SQL', async (_, tenants, numRuns) => {
    const kinds = { some: 0, all: 0, none: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(cases(tenants), async ({ records, before, question, rows, now }) => {
        const engine = compileEngine(records);
        const known = (one: Row) => (attribute: string) => valueIn(one, attribute, columns);
        const columns = parentColumns(engine, question.resource.type);
        const chosenBy = ({ filter }: ReturnType<typeof filterRows>) =>
          rows.filter(
            (one) => filter.kind === 'all' || (filter.kind === 'some' && selects(filter.condition, known(one))),
          );
        let answer: ReturnType<typeof filterRows>;
        try {
          answer = filterRows(engine, question, now);
        } catch (error) {
          if (!(error instanceof ProblemError) || !REFUSED.includes(error.code)) throw error;
          kinds.refused++;
          if (error.code !== 'not_filterable') return;
          const [{ address } = {}] = error.errors;
          if (address !== undefined) expect(refusedBeforehand(records, now)).toContain(address);
          const bound = filterRows(engine, question, now, true);
          const left = rows.filter((one) => isAllowed(engine, question, one, now) && !chosenBy(bound).includes(one));
          expect({ bound, left }).toEqual({ bound, left: [] });
          return;
        }
        const { filter } = answer;
        kinds[filter.kind]++;
        expect(warmAnswer(records, before, question, now)).toEqual(filter);
        const allowed = rows.filter((one) => isAllowed(engine, question, one, now));
        const selected = chosenBy(answer);
        expect({ filter, selected }).toEqual({ filter, selected: allowed });
        for (const table of tables) await table.fill(rows);
        if (filter.kind === 'some' && kinds.some % 5 === 0) {
          const each: Row[] = [];
          const resources = records.filter(({ kind }) => kind === 'resource').length;
          for (const part of inParts(engine, question, now, Math.max(1, Math.floor(resources / 3)))) {
            const chosen = chosenBy(part);
            each.push(...chosen);
            if (part.next !== undefined) cuts++;
            const table = tables[cuts % tables.length] as RowTable;
            const found = await table.selected(rows, filterSql(part.filter, table.columns(columns), table.dialect));
            const held = (all: Row[]) => all.filter((one) => table.holds(one, 0));
            expect({ part, selected: held(found) }).toEqual({ part, selected: held(chosen) });
          }
          expect(rows.filter((one) => each.includes(one))).toEqual(allowed);
          expect(each).toHaveLength(allowed.length);
        }
        for (const table of tables) {
          const variant = kinds.some % table.variants.length;
          const sql = filterSql(filter, table.columns(columns, variant), table.dialect);
          const found = await table.selected(rows, sql);
          const held = (all: Row[]) => all.filter((one) => table.holds(one, variant));
          expect({ sql, selected: held(found) }).toEqual({ sql, selected: held(allowed) });
        }
      }),
      { numRuns: numRuns * FACTOR },
    );
    expect(kinds.some).toBeGreaterThan((numRuns * FACTOR) / 5);
  });

  it('has been cut into parts now and then', () => {
    expect(cuts).toBeGreaterThan(0);
  });
});
