import { expect, it } from 'vitest';
import { given, policy, record } from '../../../testing/reviewed-records.js';
import { compileEngine } from '../../access/engine/compile-engine.js';
import { filterRows } from './row-filter.js';

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
  const question = { subject: { type: 'user', id: 'anne' }, action: { name: 'read' }, resource: { type: 'file' } };
  return filterRows(engine, question, 0).filter;
}
