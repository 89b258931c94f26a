import { filterSql } from '@authz-service/sdk';
import { filterUcast } from '@authz-service/sdk/ucast';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { selects } from '../naive/filtered-rows.js';
import { ROW_DATABASES } from '../naive/row-databases.js';
import { RowTable } from '../naive/row-table.js';
import { saying, TESTS, valueIn } from './each-test.js';
import { selectsByUcast, throughDrizzle, throughKysely, throughTag, UCAST_FIELDS } from './translators.js';

describe.each(ROW_DATABASES)('filters in $label', ({ isThere, open }) => {
  let table: RowTable;
  beforeAll(async () => {
    if (isThere) table = await RowTable.in(await open());
  });
  afterAll(() => table?.close());

  it.skipIf(!isThere).each(TESTS)('says tests of %s as docs/filters.md means them', async (_, tests, rows) => {
    const wrong: unknown[] = [];
    await table.fill(rows);
    for (const variant of table.variants) {
      const held = rows.filter((row) => table.holds(row, variant));
      const columns = table.columns(new Map([['up', 'up']]), variant);
      for (const condition of tests.flatMap((test) => [...saying(test)])) {
        const wanted = held.filter((row) => selects(condition, valueIn(row)));
        for (const translate of variant === 0 ? [filterSql, throughKysely, throughDrizzle, throughTag] : [filterSql]) {
          const { sql, params } = translate({ kind: 'some', condition }, columns, table.dialect);
          const found = await table.selected(rows, { sql, params }).catch((error: Error) => error.message);
          const amiss =
            typeof found === 'string' ? found : held.filter((row) => wanted.includes(row) !== found.includes(row));
          if (amiss.length > 0) wrong.push({ variant, condition, sql, params, amiss });
        }
      }
    }
    expect(wrong.slice(0, 5)).toEqual([]);
  });
});

it.each(TESTS)('says tests of %s as conditions of UCAST', (_, tests, rows) => {
  for (const condition of tests.flatMap((test) => [...saying(test)])) {
    const chosen = rows.filter((row) => selects(condition, valueIn(row)));
    expect(rows.filter((row) => selectsByUcast(filterUcast(condition, UCAST_FIELDS), row))).toEqual(chosen);
  }
});
