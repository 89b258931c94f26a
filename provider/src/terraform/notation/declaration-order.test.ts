import { type DeclaredRecord, declare, definitionOf } from '@authz-service/core/records/registry';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { declarationOrder, namesBefore } from './declaration-order.js';

const type = (name: string, parents: readonly string[]): DeclaredRecord =>
  declare(
    'resource_type',
    definitionOf('resource_type').schema.parse({
      ...{ application: 'a', name, actions: ['r'] },
      ...(parents.length > 0 && { parents: parents.map((one) => ({ type: `a/${one}`, property: `in_${one}` })) }),
    }) as never,
  ) as DeclaredRecord;

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];
/** Types with their parents. */
const graphs = fc.array(fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 3 }), { minLength: 6, maxLength: 6 });

it('puts each record after those that it mentions, wherever they do not mention each other in a circle', () => {
  fc.assert(
    fc.property(graphs, (parents) => {
      const records = NAMES.map((name, at) => type(name, parents[at] ?? []));
      const ordered = declarationOrder(records).map(({ address }) => address.slice(-1));
      expect([...ordered].sort()).toEqual(NAMES);
      const above = (name: string, seen = new Set<string>()): Set<string> => {
        for (const one of parents[NAMES.indexOf(name)] ?? []) if (!seen.has(one)) above(one, seen.add(one));
        return seen;
      };
      for (const [at, name] of NAMES.entries())
        for (const parent of parents[at] ?? [])
          if (!above(parent).has(name)) expect(ordered.indexOf(parent)).toBeLessThan(ordered.indexOf(name));
    }),
  );
});

it('lets no two records refer to each other', () => {
  const records = [type('a', ['b']), type('b', ['a', 'b'])];
  const ordered = declarationOrder(records);
  const nameOf = namesBefore(ordered, new Map(records.map(({ address }) => [address, address])));
  expect(ordered.map((record) => records.filter(({ address }) => nameOf(record)(address)).length)).toEqual([0, 1]);
});
