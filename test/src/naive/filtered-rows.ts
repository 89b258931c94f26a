import type { Json, JsonObject } from '@authz-service/core/json/json';
import type { FilterCondition } from '@authz-service/core/questions/filter/filter-condition';
import fc from 'fast-check';

/** The types of properties that random rows have. */
export const ROW_TYPES = { n: 'number', k: 'number', t: 'string', u: 'string', b: 'boolean', l: 'list' };

/** Conditions that read what rows have. */
export const ABOUT_ROWS = [
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
  '!resource.properties.t.endsWith("d")',
  'resource.properties.t.startsWith("ä") || resource.properties.t.endsWith("\u{1f600}")',
  'resource.properties.t < "b"',
  '!(resource.properties.t >= "b") || resource.properties.n == 2',
  'resource.properties.n == resource.properties.k',
  'resource.properties.n < resource.properties.k',
  '!(resource.properties.n <= resource.properties.k)',
  'resource.properties.t == resource.properties.u',
  'resource.properties.t != resource.properties.u || resource.properties.b',
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
  '(resource.properties.b ? resource.properties.n : 0) >= 1',
  '1 < (context.a == 1 ? resource.properties.n : resource.properties.k)',
  'context.a < resource.properties.n',
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

const numbers = fc.constantFrom(1, 2, 3, -0.5);
const items = fc.array(fc.constantFrom<Json>('a', 'b', 's', 2, true, null), { maxLength: 3 });
/** Texts that LIKE, collations and the order of characters could mistake for each other. */
const texts = fc.constantFrom(
  'a',
  'b',
  's',
  'prod',
  'pr_d',
  'p%',
  'A',
  'B',
  'S',
  'PROD',
  'a ',
  '',
  'ä',
  '\u{1f600}',
  '\uffee',
);

export const rowProperties: fc.Arbitrary<JsonObject> = fc.record(
  { n: numbers, k: numbers, t: texts, u: texts, b: fc.boolean(), l: items },
  { requiredKeys: [] },
);

/** A row of an application's table. */
export interface Row {
  readonly name: string;
  /** Those that are left out are NULL. */
  readonly properties: JsonObject;
  /** By the declared property: null where the row lies in none. */
  readonly parents: JsonObject;
}

const place = fc.constantFrom<Json>(null, null, '0', '1', '1', '2', '9', 'm1');

export const row: fc.Arbitrary<Row> = fc.record({
  name: fc.constantFrom('0', '1', '2', '3', 'new', '1x', 'm0', 'm1', 'm2'),
  properties: rowProperties,
  parents: fc.record({ up: place, by: place, in: place }),
});

/** Properties that a request sends for all rows. */
export const sentForAll: fc.Arbitrary<JsonObject> = fc.record({ n: numbers, up: place }, { requiredKeys: [] });

/** Whether a condition selects a row, by docs/filters.md alone; `value` is undefined where there is none. */
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
  const among = (values: readonly Json[]) => (item: Json) => values.includes(item);
  switch (condition.op) {
    case 'present':
      return true;
    case 'eq':
      return found === condition.value;
    case 'in':
      return among(condition.values)(found);
    case 'hasAny':
      return (found as Json[]).some(among(condition.values));
    case 'hasOnly':
      return (found as Json[]).every(among(condition.values));
    case 'startsWith':
      return (found as string).startsWith(condition.value);
    case 'endsWith':
      return (found as string).endsWith(condition.value);
    case 'contains':
      return (found as string).includes(condition.value);
    case 'lt':
      return order(found, condition.value) < 0;
    case 'le':
      return order(found, condition.value) <= 0;
    case 'gt':
      return order(found, condition.value) > 0;
    case 'ge':
      return order(found, condition.value) >= 0;
    default: {
      const other = value(condition.other);
      if (other === undefined) return false;
      if (condition.op === 'same') return found === other;
      return condition.op === 'less' ? (found as number) < (other as number) : (found as number) <= (other as number);
    }
  }
}

/** The order of numbers, and that of texts by code points, which is that of their bytes. */
function order(left: Json, right: Json): number {
  if (typeof left === 'string' && typeof right === 'string')
    return Buffer.compare(Buffer.from(left), Buffer.from(right));
  return (left as number) - (right as number);
}
