import type { EngineRecord } from '@authz-service/core/access/api/engine';
import { compileEngine } from '@authz-service/core/access/engine/compile-engine';
import type { CompiledEngine } from '@authz-service/core/access/engine/compiled-engine';
import type { Json, JsonObject } from '@authz-service/core/json/json';
import { ProblemError } from '@authz-service/core/problem';
import type { FilterCondition } from '@authz-service/core/questions/filter/filter-condition';
import { type FilterQuestion, filterRows } from '@authz-service/core/questions/filter/row-filter';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluate } from './evaluate.js';
import { alikeTenant, sparseTenantReading, tenant } from './generate.js';
import { CONTEXT_MEMBERS } from './contexts.js';
import { request } from './random-requests.js';

/** Conditions that read what rows have. */
const ABOUT_ROWS = [
  'resource.properties.n > 1',
  'resource.properties.n <= 2 && resource.properties.t != "prod"',
  '(resource.properties.b || resource.properties.t != "prod" || !has(resource.properties.t)) && resource.properties.t != "prod"',
  'resource.properties.b',
  '!resource.properties.b || context.b',
  'resource.properties.t == subject.id',
  'resource.properties.t in ["a", "b", 3]',
  '!(resource.properties.t in ["a", "b"])',
  'has(resource.properties.t)',
  '!("t" in resource.properties) || resource.properties.t.startsWith("pr")',
  'resource.properties.t.endsWith("d") || resource.properties.t.contains("_")',
  '!resource.properties.t.contains("%")',
  'resource.properties.t < "b"',
  '!(resource.properties.t >= "b") || resource.properties.n == 2',
  'resource.properties.n == resource.properties.k',
  'resource.properties.n < resource.properties.k',
  '!(resource.properties.n <= resource.properties.k)',
  'subject.id in resource.properties.l',
  '!("a" in resource.properties.l)',
  'resource.properties.l.exists(i, i in ["a", "b", 2])',
  'resource.properties.l.all(i, i == "a" || i == "b")',
  'resource.properties.l.all(i, i in ["a", "b"])',
  '!resource.properties.l.all(i, i == 2)',
  '["a", "b"].exists(i, resource.properties.t.startsWith(i))',
  '["a", "b"].all(i, i != resource.properties.t)',
  'context.a == 1 ? resource.properties.b : resource.properties.n > 1',
  'resource.properties.b ? resource.properties.n > 1 : context.a',
  'resource.properties.n > "x"',
  'resource.properties.n == "x" || resource.properties.b',
  'resource.properties.t == null',
  'resource.properties.n > context.a',
  'resource.properties.n > 1 / 0 || resource.properties.b',
  'resource.name.startsWith("1") || resource.name == "new"',
  'has(resource.id)',
  'resource.id == "id-7" || resource.properties.b',
  'resource.properties.up == "1"',
  'resource.properties.up != "2"',
  'resource.properties.up == null || resource.properties["in"] in ["1", null]',
  'has(resource.properties.up)',
  'resource.properties.up.startsWith("1")',
  'resource.ancestor("a/x").properties.n > 1',
  'resource.ancestors("a/x").exists(r, r.name == "1") && resource.properties.b',
  'subject.has_role("r") || resource.properties.n > 1',
  '!subject.has_role("a/q")',
  'subject.in_group("f") && resource.properties.b',
];

const TYPES = { n: 'number', k: 'number', t: 'string', b: 'boolean', l: 'list' };
const numbers = fc.constantFrom(1, 2, 3, -0.5);
const texts = fc.constantFrom('a', 'b', 's', 'prod', 'pr_d', 'p%', 'A', '', 'ä', '\u{1f600}');
const own = fc.record(
  { n: numbers, k: numbers, t: texts, b: fc.boolean(), l: fc.array(fc.constantFrom<Json>('a', 'b', 's', 2, true, null), { maxLength: 3 }) },
  { requiredKeys: [] },
);

interface Row {
  readonly name: string;
  readonly properties: JsonObject;
  /** By property: null where the row lies in none. */
  readonly parents: JsonObject;
}

const place = fc.constantFrom<Json>(null, null, '0', '1', '1', '2', '9', 'm1');
const row = fc.record({
  name: fc.constantFrom('0', '1', '2', '3', 'new', '1x', 'm0', 'm1', 'm2'),
  properties: own,
  parents: fc.record({ up: place, by: place, in: place }),
});

/** The tenant with typed properties, and with conditions on rows. */
function typed(records: readonly EngineRecord[], conditions: readonly (string | undefined)[], stored: readonly JsonObject[]) {
  let [policies, resources] = [0, 0];
  return records.map((record): EngineRecord => {
    const fields: JsonObject = { ...(record.fields as unknown as JsonObject) };
    if (record.kind === 'resource_type') fields.properties = TYPES;
    if (record.kind === 'resource') {
      fields.properties = stored[resources++ % stored.length] as JsonObject;
      if (Object.keys(fields.properties).length === 0) delete fields.properties;
    }
    if (record.kind === 'policy') {
      const condition = conditions[policies++ % conditions.length];
      if (condition !== undefined) fields.condition = condition;
      else if (String(fields.condition).includes('resource.properties')) delete fields.condition;
    }
    return { ...record, fields } as unknown as EngineRecord;
  });
}

const cases = (tenants: fc.Arbitrary<EngineRecord[]>) =>
  fc
    .record({
      records: tenants,
      conditions: fc.array(fc.option(fc.constantFrom(...ABOUT_ROWS), { nil: undefined, freq: 3 }), { minLength: 5, maxLength: 9 }),
      stored: fc.array(own, { minLength: 3, maxLength: 6 }),
      request,
      sent: fc.option(fc.record({ n: numbers, up: place }, { requiredKeys: [] }), { nil: undefined, freq: 2 }),
      rows: fc.array(row, { minLength: 12, maxLength: 12 }),
      now: fc.constantFrom(0, 999, 1000, 1500, 2000, 3000),
    })
    .map(({ records, conditions, stored, ...rest }) => ({ ...rest, records: typed(records, conditions, stored) }));

const REFUSED = ['ambiguous_name', 'invalid_request', 'not_filterable'];

function isAllowed(engine: CompiledEngine, question: FilterQuestion, row: Row, now: number): boolean {
  try {
    const properties = { ...row.properties, ...placesOf(engine, question, row), ...question.resource.properties };
    return engine.decide({ ...question, resource: { type: question.resource.type, name: row.name, properties } }, now).decision;
  } catch (error) {
    if (error instanceof ProblemError) return false;
    throw error;
  }
}

/** The declared parents' properties. */
function placesOf(engine: CompiledEngine, { resource: { type } }: FilterQuestion, { parents }: Row): JsonObject {
  const found = engine.types.get(type) ?? engine.types.named(type)[0]?.entry;
  return Object.fromEntries((found?.parents ?? []).map(({ property }) => [property, parents[property] as Json]));
}

function valueOf(engine: CompiledEngine, question: FilterQuestion, row: Row, attribute: string): Json | undefined {
  if (attribute === 'name') return row.name;
  const [root, ...rest] = attribute.split('.');
  const name = rest.join('.');
  if (root === 'properties') return row.properties[name];
  const { type } = question.resource;
  const found = engine.types.get(type) ?? engine.types.named(type)[0]?.entry;
  const parent = found?.parents.find(({ property, type: one }) => property === name || one.name === name);
  const alike = found?.parents.filter((other) => other.type.name === name) ?? [];
  const property = alike.length === 1 && alike[0]?.property !== undefined && !found?.parents.some((other) => other.property === name) ? alike[0].property : (parent?.property ?? name);
  return (row.parents[property] as Json) ?? undefined;
}

/** Whether a condition selects a row, by docs/filters.md alone. */
export function selects(condition: FilterCondition, value: (attribute: string) => Json | undefined): boolean {
  switch (condition.op) {
    case 'and':
      return condition.args.every((arg) => selects(arg, value));
    case 'or':
      return condition.args.some((arg) => selects(arg, value));
    case 'not':
      return !selects(condition.arg, value);
  }
  const found = value(condition.attribute);
  if (found === undefined) return false;
  switch (condition.op) {
    case 'present':
      return true;
    case 'eq':
      return found === condition.value;
    case 'in':
      return condition.values.includes(found as string);
    case 'hasAny':
      return (found as Json[]).some((item) => condition.values.includes(item as string));
    case 'hasOnly':
      return (found as Json[]).every((item) => condition.values.includes(item as string));
    case 'lt':
      return (found as number) < (condition.value as number);
    case 'le':
      return (found as number) <= (condition.value as number);
    case 'gt':
      return (found as number) > (condition.value as number);
    case 'ge':
      return (found as number) >= (condition.value as number);
    case 'startsWith':
      return (found as string).startsWith(condition.value);
    case 'endsWith':
      return (found as string).endsWith(condition.value);
    case 'contains':
      return (found as string).includes(condition.value);
    default: {
      const other = value(condition.other);
      if (other === undefined) return false;
      if (condition.op === 'same') return found === other;
      return condition.op === 'less' ? (found as number) < (other as number) : (found as number) <= (other as number);
    }
  }
}

const counts = { some: 0, all: 0, none: 0, refused: 0, allowed: 0, rows: 0 };

describe('a filter', () => {
  for (const [name, tenants] of [['tenant', tenant], ['sparse', sparseTenantReading(CONTEXT_MEMBERS)], ['alike', alikeTenant]] as const)
    it(`selects exactly the rows that a decision allows (${name})`, () => {
      fc.assert(
        fc.property(cases(tenants), ({ records, request: asked, sent, rows, now }) => {
          const engine = compileEngine(records);
          const { id: _, name: __, properties: ___, ...resource } = asked.resource;
          const question: FilterQuestion = { ...asked, resource: { ...resource, ...(sent && { properties: sent as JsonObject }) } };
          let answer: ReturnType<typeof filterRows>;
          try {
            answer = filterRows(engine, question, now);
          } catch (error) {
            if (!(error instanceof ProblemError) || !REFUSED.includes(error.code)) throw error;
            counts.refused++;
            return;
          }
          const { filter } = answer;
          counts[filter.kind]++;
          for (const one of rows) {
            const selected =
              filter.kind === 'all' || (filter.kind === 'some' && selects(filter.condition, (attribute) => valueOf(engine, question, one, attribute)));
            const allowed = isAllowed(engine, question, one, now);
            counts.rows++;
            if (allowed) counts.allowed++;
            if (selected !== allowed) {
              const lines = records.filter(({ kind }) => !['application', 'subject', 'group', 'resource_type'].includes(kind)).map(({ kind, id, fields }) => `${kind} ${id} ${JSON.stringify(fields)}`);
              throw new Error(`XX allowed ${allowed}\n${JSON.stringify(question)} ${now}\n${JSON.stringify(one)}\n${JSON.stringify(filter)}\n${lines.join('\n')}\nYY`);
            }
          }
        }),
        { numRuns: Number(process.env.RUNS ?? 300) },
      );
      console.log(counts);
    });
});
