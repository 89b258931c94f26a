import { expect, it } from 'vitest';
import { forParts, inParts, insertions, PARAMETERS_MAX } from './batch.js';

const values = [...Array(2500).keys()];

it('inserts many rows by statements that the driver takes over within a turn', () => {
  const rows = values.map((value) => [value, 'a', null]);
  const statements = [...insertions('t', ['x', 'y', 'z'], rows, 'on conflict do nothing')];
  expect(statements.flatMap((statement) => statement.values)).toEqual(rows.flat());
  for (const { sql, values: given } of statements) {
    expect(given.length).toBeLessThanOrEqual(PARAMETERS_MAX);
    expect(sql.match(/\?/g)).toHaveLength(given.length);
    expect(sql).toMatch(/^insert into t \(x,y,z\) values \(\?,\?,\?\).* on conflict do nothing$/);
  }
});

it('repeats a statement for each part of many values', async () => {
  const statements = [...forParts(values, (list) => `delete from t where x in ${list}`)];
  const read: number[][] = [];
  await inParts(values, async (part) => void read.push(part));
  expect(statements.map((statement) => statement.values)).toEqual(read);
  expect(read.flat()).toEqual(values);
  expect(read.map(({ length }) => length)).toEqual([1000, 1000, 500]);
});
