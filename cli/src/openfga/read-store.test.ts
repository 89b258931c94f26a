import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readStore } from './read-store.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cli-store-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const MODEL = `model: |
  model
    schema 1.1
  type user
  type doc
    relations
      define viewer: [user with small]
  condition small(n: int) {
    n < 5
  }
`;
const CSV = 'user_type,user_id,user_relation,relation,object_type,object_id,condition_name,condition_context\n';

function read(tuples: string, csv?: string) {
  const file = join(folder, 'store.fga.yaml');
  writeFileSync(file, `${MODEL}${tuples}`);
  if (csv !== undefined)
    writeFileSync(join(folder, 't.csv'), `${CSV}user,a,,viewer,doc,1,small,"${csv.replaceAll('"', '""')}"\n`);
  return readStore(file);
}
const inYaml = (n: string) =>
  read(
    `tuples:\n  - { user: "user:a", relation: viewer, object: "doc:1", condition: { name: small, context: { n: ${n} } } }\n`,
  );
const inCsv = (context: string) => read('tuple_file: t.csv\n', context);

describe('a number in the context of a tuple', () => {
  it('is read as it is written', async () => {
    const expected = [{ condition: { name: 'small', context: { n: 3 } } }];
    expect((await inYaml('3')).tuples).toMatchObject(expected);
    expect((await inCsv('{"n": 3}')).tuples).toMatchObject(expected);
  });

  it.each(['175928847299117063', '1e400', '1e-400', '-9007199254740993'])(
    'is refused at its place where it would be another one: %s',
    async (n) => {
      await expect(inYaml(n)).rejects.toThrow(
        new RegExp(`store\\.fga\\.yaml:12:\\d+: ${n} is too (large|small) to be kept`),
      );
      await expect(inCsv(`{"n": ${n}}`)).rejects.toThrow(
        /t\.csv:2:1: the condition_context has a number at \/n that is too/,
      );
    },
  );

  it.each(['{"n": 1, "n": 2}', '[1]', 'nothing'])('is read from one JSON object: %s', async (context) => {
    await expect(inCsv(context)).rejects.toThrow(/t\.csv:2:1: the condition_context/);
  });
});
