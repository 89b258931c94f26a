import { expect, it } from 'vitest';
import { given, policy, record } from '../../../testing/reviewed-records.js';
import { compileEngine } from '../../access/engine/compile-engine.js';
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
