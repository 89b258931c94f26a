import { expect, it } from 'vitest';
import type { EngineRecord } from '../api/engine.js';
import { compileEngine } from './compile-engine.js';

const typed = (name: string, max_age?: string, application = 'billing') =>
  ({
    kind: 'resource_type',
    id: `${application}-${name}`,
    fields: { application, name, actions: ['read'], ...(max_age !== undefined && { max_age }) },
  }) as EngineRecord;

const all = (engine: ReturnType<typeof compileEngine>) =>
  [...engine.budgets()].map(({ of, maxAgeMs }) => `${of} ${maxAgeMs}`).sort();

it('is what the type says by each of its names, and absent where nothing says it', () => {
  const engine = compileEngine([
    typed('payment', '30s'),
    typed('invoice'),
    typed('note', '1h30m'),
    typed('note', '2s', 'docs'),
    typed('a/b', '1s', 'docs'),
  ]);
  const payment = { of: 'resource_type/billing/payment', maxAgeMs: 30_000 };
  expect([engine.budgetOf('payment'), engine.budgetOf('billing/payment')]).toEqual([payment, payment]);
  expect(engine.budgetOf('billing/note')).toMatchObject({ maxAgeMs: 5_400_000 });
  expect(engine.budgetOf('docs/note')).toMatchObject({ maxAgeMs: 2000 });
  expect(engine.budgetOf('docs/a%2Fb')).toMatchObject({ maxAgeMs: 1000 });
  for (const name of ['invoice', 'none', 'note', 'other/payment']) expect(engine.budgetOf(name)).toBeUndefined();
});

it('follows changes', () => {
  const engine = compileEngine([typed('payment', '30s'), typed('invoice')]);
  engine.apply([{ before: typed('payment', '30s'), after: typed('payment', '20s') }]);
  engine.apply([{ before: typed('invoice'), after: typed('invoice', '10s') }]);
  expect(all(engine)).toEqual(['resource_type/billing/invoice 10000', 'resource_type/billing/payment 20000']);
  engine.apply([
    { before: typed('payment', '20s'), after: typed('payment') },
    { before: typed('invoice', '10s') },
    { after: typed('note', '5s') },
  ]);
  expect(all(engine)).toEqual(['resource_type/billing/note 5000']);
  engine.apply([{ before: typed('note', '5s') }]);
  engine.apply([{ after: typed('note') }]);
  expect(all(engine)).toEqual([]);
  expect(engine.budgetOf('note')).toBeUndefined();
});
