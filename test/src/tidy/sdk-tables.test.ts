import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8');
const page = read('docs/sdks.md');
const LANGUAGES = ['Node', 'Python', 'Go'] as const;

/** The first groups of all matches. */
const found = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map((match) => match[1] ?? '');

/** What stands between two texts. */
function between(text: string, begin: string, end: string): string {
  const at = text.indexOf(begin);
  if (at < 0) throw new Error(`there is no "${begin}"`);
  return text.slice(at, text.indexOf(end, at));
}

const go = readdirSync(`${root}sdk/go`)
  .filter((name) => name.endsWith('.go') && !name.endsWith('_test.go'))
  .map((name) => read(`sdk/go/${name}`))
  .join('\n');

const python = read('sdk/python/src/authz_service/_async/client.py');

/** The rows of the table below a heading: the cells of each, in their order. */
function table(heading: string): string[][] {
  const section = between(`${page}\n## `, `## ${heading}\n`, '\n## ');
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  );
}

/** The names that the sources have, by language. */
const OPTIONS: Record<(typeof LANGUAGES)[number], string[]> = {
  Node: ['decision-client.ts DecisionClientOptions', 'connection.ts ConnectionOptions'].flatMap((place) => {
    const [file, name] = place.split(' ');
    return found(between(read(`sdk/node/src/${file}`), `export interface ${name} {`, '\n}'), /^ {2}(\w+)\??:/gm);
  }),
  Python: found(between(python, 'def __init__(', ') -> None'), /^ {8}(\w+):/gm),
  Go: ['New', 'Discover', ...found(go, /^func (With\w+)\(.*\) Option \{$/gm)],
};

describe.each([['Options of a client', OPTIONS]])('the page of the SDKs: %s', (heading, sources) => {
  const rows = table(heading);

  it.each(LANGUAGES.map((language, at) => [language, at + 1] as const))('names all that %s has', (language, column) => {
    const named = new Set(rows.flatMap((cells) => found(cells[column] ?? '', /`([^`]+)`/g)));
    expect([...named].sort()).toEqual([...new Set(sources[language])].sort());
  });

  it.each(rows.map((cells) => [cells[0], cells] as const))('has a reason where a language lacks it: %s', (_, cells) => {
    expect(cells).toHaveLength(5);
    if (cells.slice(1, 4).includes('')) expect(cells[4]).not.toBe('');
  });
});
