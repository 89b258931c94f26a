import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { linesOf } from './lines-of.js';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'lines-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function read(file: string, max?: number): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of linesOf(file, max)) lines.push(line);
  return lines;
}

it.each<[string, string, string[]]>([
  ['nothing', '', []],
  ['an empty line', '\n', ['']],
  ['a last line without an end', 'a\r\n\nb', ['a', '', 'b']],
  ['a line that is too long', 'abcdefghij\nklm\n', ['abcde', 'klm']],
  ['a last line that is too long', `a\n${'x'.repeat(300_000)}`, ['a', 'xxxxx']],
])('reads %s', async (_, text, lines) => {
  await writeFile(join(dir, 'log'), text);
  expect(await read(join(dir, 'log'), 5)).toEqual(lines);
});

it('names the file that cannot be read', async () => {
  await expect(read(dir)).rejects.toMatchObject({ code: 'EISDIR', path: dir });
});
