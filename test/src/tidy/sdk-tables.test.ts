import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8');
const page = read('docs/sdks.md');
const LANGUAGES = ['Node', 'Python', 'Go'] as const;

/** The first groups of all matches. */
const found = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map((match) => match[1] ?? '');

/** Returns the text between two texts. */
function between(text: string, begin: string, end: string): string {
  const at = text.indexOf(begin);
  if (at < 0) throw new Error(`there is no "${begin}"`);
  return text.slice(at, text.indexOf(end, at));
}

const goGenerated = read('sdk/go/records_gen.go');
const goByHand = readdirSync(`${root}sdk/go`)
  .filter((name) => name.endsWith('.go') && !name.endsWith('_test.go') && name !== 'records_gen.go')
  .map((name) => read(`sdk/go/${name}`))
  .join('\n');
const go = goByHand + goGenerated;

const python = read('sdk/python/src/authz_service/_async/client.py');
const pythonManagement = ['management', 'records']
  .map((name) => read(`sdk/python/src/authz_service/_async/${name}.py`))
  .join('\n');

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

/** The members of a TypeScript interface of the Node SDK. */
function members(file: string, name: string): string[] {
  const body = between(read(`sdk/node/src/${file}.ts`), `export interface ${name} `, '\n}');
  return found(body, /^ {2}(\w+)\??:/gm);
}

/** The public methods of a class of the Node SDK. */
function nodeMethods(file: string, name: string): string[] {
  const body = between(read(`sdk/node/src/${file}.ts`), `export class ${name}`, '\n}\n');
  return found(body, /^ {2}(?:async |get )?\*?(\w+)(?:<[^(]*>)?\(/gm).filter((method) => method !== 'constructor');
}

/** The public methods of a class of the Python SDK. */
function pythonMethods(file: string, name: string): string[] {
  const text = `${read(`sdk/python/src/authz_service/_async/${file}.py`)}\nclass `;
  return found(between(text, `\nclass ${name}`, '\n\n\n'), /^ {4}(?:async )?def ([a-z]\w*)\(/gm);
}

const below = (prefix: string, names: string[]): string[] => names.map((name) => `${prefix}.${name}`);

type Sources = Record<(typeof LANGUAGES)[number], string[]>;

/** The names that the sources have, by language. */
const OPTIONS: Sources = {
  Node: [...members('decision-client', 'DecisionClientOptions'), ...members('connection', 'ConnectionOptions')],
  Python: found(between(python, 'def __init__(', ') -> None'), /^ {8}(\w+):/gm),
  Go: ['New', 'Discover', ...found(go, /^func (With\w+)\(.*\) Option \{$/gm)],
};

const CALL_OPTIONS: Sources = {
  Node: [
    ...members('transport', 'CallOptions'),
    ...members('decision-client', 'DecideOptions'),
    ...members('search', 'SearchOptions'),
    ...members('records', 'WriteOptions'),
    ...members('records', 'MatchOptions'),
    ...['options', 'tenant', 'ifNoneMatch', 'idempotencyKey'],
  ],
  // Python has them in the signatures of its methods.
  Python: [
    ...['timeout', 'request_id', 'or_deny', 'explain', 'limit', 'on_left_out', 'stack', 'if_match', 'if_none_match'],
    ...['idempotency_key', 'tenant'],
  ].filter((name) => new RegExp(`^ {8}(?:self, .*)?${name}: `, 'm').test(python + pythonManagement)),
  Go: found(go, /^func (\w+)\(.*\) CallOption \{/gm),
};

const METHODS: Sources = {
  Node: [
    ...nodeMethods('decision-client', 'DecisionClient'),
    ...nodeMethods('client', 'ServiceClient'),
    ...below('tenants', nodeMethods('tenants', 'Tenants')),
    ...below('directories', nodeMethods('directories', 'Directories')),
    ...below('records', nodeMethods('records', 'RecordCollection')),
  ],
  Python: [
    'records',
    ...pythonMethods('client', 'AsyncClient'),
    ...pythonMethods('management', 'AsyncManagement'),
    ...below('tenants', pythonMethods('management', 'AsyncTenants')),
    ...below('directories', pythonMethods('management', 'AsyncDirectories')),
    ...below('records', pythonMethods('records', 'AsyncRecordCollection')),
  ],
  Go: [
    ...found(goByHand, /^func \(c \*Client\) ([A-Z]\w*)\(/gm),
    ...found(goGenerated, /^func \(c \*Client\) ([A-Z]\w*)\(/gm).filter((name) => name === 'Roles'),
    ...below('Collection', found(goByHand, /^func \(k \*Collection\[.*?\]\) ([A-Z]\w*)\(/gm)),
  ],
};

describe.each([
  ['Options of a client', OPTIONS],
  ['Options of a call', CALL_OPTIONS],
  ['Methods', METHODS],
])('the page of the SDKs: %s', (heading, sources) => {
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

it('has a vector for each method of management', () => {
  const { cases } = JSON.parse(read('test/vectors/management.json')) as { cases: { call: { op: string } }[] };
  const tried = new Set(cases.map(({ call }) => call.op));
  // Those of decisions have files of their own, changesets and the others are in that of the options.
  const others = new Set([...nodeMethods('decision-client', 'DecisionClient'), 'records', 'records.page', 'changeset']);
  expect(METHODS.Node.filter((name) => !tried.has(name) && !others.has(name))).toEqual([]);
});
