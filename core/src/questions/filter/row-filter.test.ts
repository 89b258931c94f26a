import { expect, it } from 'vitest';
import { given, policy, record } from '../../../testing/reviewed-records.js';
import type { EngineRecord } from '../../access/api/engine.js';
import { compileEngine } from '../../access/engine/compile-engine.js';
import type { JsonObject } from '../../json/json.js';
import type { FilterCondition } from './filter-condition.js';
import { filterRows } from './row-filter.js';
import type { AskedPart } from './row-parts.js';

const QUESTION = { subject: { type: 'user', id: 'anne' }, action: { name: 'read' }, resource: { type: 'file' } };

/** Drivers would send databases another character instead, which rows may have. */
it.each([
  ['half a character in a list', 'resource.properties.l.exists(i, i == "😀".substring(0, 1))'],
  ['half a character looked for in a list', '"😀".substring(0, 1) in resource.properties.l'],
  ['half a character in a text', 'resource.properties.t.contains("😀".substring(0, 1))'],
  ['half a character in the order of texts', 'resource.properties.t < "😀".substring(0, 1)'],
])('refuses %s', (_, condition) => {
  expect(() => asked(condition)).toThrow(expect.objectContaining({ code: 'not_filterable' }));
});

it('selects no row that is equal to half a character', () => {
  expect(asked('resource.properties.t == "😀".substring(0, 1)')).toEqual({ kind: 'none' });
});

it('is not refused for a clause of a policy on places in which no row may lie', () => {
  const engine = compileEngine([
    record('application', { name: 'docs' }),
    record('resource_type', { application: 'docs', name: 'folder', actions: ['read'] }),
    record('resource', { type: 'docs/folder', name: 'hr' }),
    record('resource_type', { application: 'docs', name: 'file', actions: ['read'], properties: { t: 'string' } }),
    record('subject', { type: 'user', id: 'anne', name: 'Anne' }),
    policy('own', { condition: 'resource.properties.t == subject.id' }),
    record('policy', {
      ...{ name: 'placed', effect: 'ALLOW', condition: 'resource.properties.undeclared == 1' },
      resources: [{ resource: 'docs/folder/hr', actions: ['read'], below: true }],
    }),
    given('own', 'subject', 'user/anne'),
    given('placed', 'subject', 'user/anne'),
  ]);
  const { filter, policies } = filterRows(engine, QUESTION, 0);
  expect(filter).toEqual({ kind: 'some', condition: { op: 'eq', attribute: 'properties.t', value: 'anne' } });
  expect(policies().map(({ policy }) => policy)).toEqual(['policy/own']);
});

it('gives rows that may lie in many places by several parents in parts, and names each place once', () => {
  const names = (name: string) => Array.from({ length: 120 }, (_, at) => `${name}${at}`);
  const place = (name: string) => [
    record('resource_type', { application: 'docs', name, actions: ['read'] }),
    ...names(name).map((one) => record('resource', { type: `docs/${name}`, name: one })),
  ];
  const parents = ['folder', 'shelf'].map((name) => ({ type: `docs/${name}`, property: name }));
  const engine = compileEngine([
    record('application', { name: 'docs' }),
    ...place('folder'),
    ...place('shelf'),
    record('resource_type', { application: 'docs', name: 'file', actions: ['read'], parents }),
    record('subject', { type: 'user', id: 'anne', name: 'Anne' }),
    policy('some', { condition: 'resource.ancestors("docs/folder").exists(one, one.name == "folder7")' }),
    given('some', 'subject', 'user/anne'),
  ]);
  expect(() => filterRows(engine, QUESTION, 0)).toThrow(
    'would list 120 places of rows in parents.folder, of which 99 are allowed',
  );
  const shelves: unknown[] = [];
  let intervals: AskedPart['intervals'] | undefined = [];
  while (intervals !== undefined) {
    const { filter, next } = filterRows(engine, QUESTION, 0, false, { limit: 10_000, intervals });
    if (filter.kind === 'some') shelves.push(...valuesOf(filter.condition, 'parents.shelf'));
    intervals = next;
  }
  expect(shelves.sort()).toEqual(names('shelf').sort());
});

it('cuts a column again within a part of another one, and never refuses short lists', () => {
  const folders = ['0', '1', '2'];
  const parents = ['by', 'up'].map((property) => ({ type: 'docs/folder', property }));
  const engine = compileEngine([
    record('application', { name: 'docs' }),
    record('resource_type', { application: 'docs', name: 'folder', actions: ['read'] }),
    ...folders.map((name) => record('resource', { type: 'docs/folder', name })),
    record('resource_type', { application: 'docs', name: 'file', actions: ['read'], parents }),
    record('subject', { type: 'user', id: 'anne', name: 'Anne' }),
    record('policy', {
      ...{ name: 'some', effect: 'ALLOW' },
      resources: [{ resource: 'docs/folder/1', actions: ['read'], below: true }],
    }),
    given('some', 'subject', 'user/anne'),
  ]);
  const found: string[] = [];
  let intervals: AskedPart['intervals'] | undefined = [];
  while (intervals !== undefined) {
    const { filter, next } = filterRows(engine, QUESTION, 0, false, { limit: 1, intervals });
    for (const by of folders)
      for (const up of folders)
        if (filter.kind === 'some' && holds(filter.condition, { 'parents.by': by, 'parents.up': up }))
          found.push(`${by} ${up}`);
    intervals = next;
  }
  expect(found.sort()).toEqual(['0 1', '1 0', '1 1', '1 2', '2 1']);
});

it('answers as if nothing had been asked before, also after a change', () => {
  const typed = (properties: object) =>
    record('resource_type', { application: 'docs', name: 'file', actions: ['read'], properties });
  const conditions = [
    ...['resource.properties.t == subject.id', 'resource.properties.t in context.list', 'resource.properties.n < 5.0'],
    ...['resource.properties.n < 1.0 / context.n', 'resource.properties.t == "x" && subject.in_group("g")'],
  ];
  const records = [
    record('application', { name: 'docs' }),
    typed({ t: 'string', n: 'number' }),
    record('group', { name: 'g' }),
    ...['anne', 'bob'].map((id) => record('subject', { type: 'user', id, name: id })),
    record('group_membership', { group: 'g', entity_type: 'subject', entity: 'user/bob' }),
    ...conditions.map((condition, at) => policy(`p${at}`, { condition })),
    ...conditions.flatMap((_, at) => ['user/anne', 'user/bob'].map((entity) => given(`p${at}`, 'subject', entity))),
  ];
  const warm = compileEngine(records);
  const ask = (engine: ReturnType<typeof compileEngine>, id: string, context: JsonObject) => {
    try {
      return filterRows(engine, { ...QUESTION, subject: { type: 'user', id }, context }, 0).filter;
    } catch (error) {
      return (error as Error).message;
    }
  };
  const contexts: JsonObject[] = [
    { n: 1 },
    { n: -0 },
    { n: 0 },
    { list: ['a'] },
    { list: ['b'], n: 1 },
    { list: [-0] },
    { list: 'a' },
  ];
  for (const properties of [undefined, { t: 'number', n: 'number' }, { n: 'number' }]) {
    const type = properties && typed(properties);
    if (type !== undefined) warm.apply([{ before: records[1] as EngineRecord, after: type }]);
    if (type !== undefined) records[1] = type;
    for (const context of [...contexts, ...contexts])
      for (const id of ['anne', 'bob'])
        expect({ id, context, is: ask(warm, id, context) }).toEqual({
          ...{ id, context },
          is: ask(compileEngine(records), id, context),
        });
  }
});

/** Whether a condition holds for a row that has these texts. */
function holds(condition: FilterCondition, row: Readonly<Record<string, string>>): boolean {
  switch (condition.op) {
    case 'and':
      return condition.args.every((one) => holds(one, row));
    case 'or':
      return condition.args.some((one) => holds(one, row));
    case 'not':
      return !holds(condition.arg, row);
    case 'present':
      return row[condition.attribute] !== undefined;
    case 'in':
      return condition.values.includes(row[condition.attribute] ?? '');
    case 'eq':
      return row[condition.attribute] === condition.value;
    case 'lt':
      return (row[condition.attribute] ?? '') < condition.value;
    case 'ge':
      return (row[condition.attribute] ?? '') >= condition.value;
    default:
      throw new Error(condition.op);
  }
}

function valuesOf(condition: FilterCondition, attribute: string): unknown[] {
  if (condition.op === 'and' || condition.op === 'or') return condition.args.flatMap((one) => valuesOf(one, attribute));
  return condition.op === 'in' && condition.attribute === attribute ? [...condition.values] : [];
}

function asked(condition: string) {
  const engine = compileEngine([
    record('application', { name: 'docs' }),
    record('resource_type', {
      application: 'docs',
      name: 'file',
      actions: ['read'],
      properties: { l: 'list', t: 'string' },
    }),
    record('subject', { type: 'user', id: 'anne', name: 'Anne' }),
    policy('some', { condition }),
    given('some', 'subject', 'user/anne'),
  ]);
  return filterRows(engine, QUESTION, 0).filter;
}
