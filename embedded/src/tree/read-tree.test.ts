import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ProblemError } from '@authz-service/core/problem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { environmentsIn, readTree } from './read-tree.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'read-tree-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const at = (name: string): string => path.join(root, name);

function put(name: string, content: string | Buffer = `# ${name}`): void {
  mkdirSync(path.dirname(at(name)), { recursive: true });
  writeFileSync(at(name), content);
}

/** A path that cannot be read like a file; its server is closed with the test. */
async function socket(): Promise<void> {
  const server = createServer().listen(at('a.yaml')).unref();
  await once(server, 'listening');
}

function circle(): void {
  put('a/x.yaml');
  symlinkSync('..', at('a/up'));
}

const names = async (folder = root): Promise<string[]> =>
  (await readTree(folder)).map((file) => path.posix.relative(root, file.path));

const refused = (folder = root): Promise<ProblemError> =>
  readTree(folder).then(
    () => expect.fail('it was read'),
    (error) => error,
  );

it('reads yaml files of any depth, sorted by path', async () => {
  for (const name of ['b.yml', 'a/z.yaml', 'a/b/c.yaml', 'a.yaml', 'c.YAML', 'd.test.YAML']) put(name);
  expect(await names()).toEqual(['a.yaml', 'a/b/c.yaml', 'a/z.yaml', 'b.yml', 'c.YAML']);
  expect((await readTree(root))[0]?.text).toBe('# a.yaml');
});

it('names files as its caller named the folder', async () => {
  put('tenant/a.yaml');
  const relative = path.relative(process.cwd(), at('tenant'));
  expect((await readTree(relative))[0]?.path).toBe(path.posix.join(relative, 'a.yaml'));
  expect((await readTree(`${at('tenant')}/`))[0]?.path).toBe(at('tenant/a.yaml'));
});

it('skips what is hidden, node_modules and other files', async () => {
  for (const name of ['.hidden.yaml', '.git/a.yaml', 'node_modules/x/a.yaml', 'README.md', 'a.json', 'ok.yaml'])
    put(name);
  expect(await names()).toEqual(['ok.yaml']);
});

it('reads a hidden folder when that is what is asked for', async () => {
  put('.service/a.yaml');
  expect(await names(at('.service'))).toEqual(['.service/a.yaml']);
});

it('reads a single file', async () => {
  put('a.yaml');
  put('b.yaml');
  expect(await names(at('a.yaml'))).toEqual(['a.yaml']);
});

it('takes the byte order mark away', async () => {
  put('a.yaml', Buffer.from('\uFEFFversion: 1'));
  expect((await readTree(root))[0]?.text).toBe('version: 1');
});

it('follows links within the folder', async () => {
  put('shared/a.yaml');
  put('b.yaml');
  symlinkSync('b.yaml', at('c.yaml'));
  symlinkSync('shared', at('linked'));
  expect(await names()).toEqual(['b.yaml', 'c.yaml', 'linked/a.yaml', 'shared/a.yaml']);
});

it('reads a tree whose folder is itself a link', async () => {
  put('real/a.yaml');
  put('real/b/c.yaml');
  symlinkSync('b', at('real/d'));
  symlinkSync('real', at('link'));
  expect(await names(at('link'))).toEqual(['link/a.yaml', 'link/b/c.yaml', 'link/d/c.yaml']);
});

it.each([
  ['an empty folder', () => {}, /There is no \*\.yaml or \*\.yml file in ".*" .*: check that it is the right folder/],
  ['a circle of links', () => circle(), /a\/up is a link to .* and part of a circle/],
  [
    'a link to itself',
    () => symlinkSync('self.yaml', at('self.yaml')),
    /self\.yaml cannot be read: its links lead in a circle/,
  ],
  ['a dangling link', () => symlinkSync('gone.yaml', at('a.yaml')), /a\.yaml cannot be read: there is no such file/],
  [
    'a link out of the folder',
    () => symlinkSync('/etc', at('out')),
    /out is a link that leads out of the folder, to \/etc/,
  ],
  ['text that is not UTF-8', () => put('a.yaml', Buffer.from([0x61, 0xff])), /a\.yaml cannot be read: it is not UTF-8/],
  [
    'an oversized file',
    () => {
      put('a.yaml');
      truncateSync(at('a.yaml'), 65 * 1024 * 1024);
    },
    /has more than \d+ bytes: split it/,
  ],
  ['a socket', () => socket(), /a\.yaml is not a regular file/],
])('%s is refused with what to do', async (_name, make, detail) => {
  await make();
  const error = await refused();
  expect(error).toMatchObject({ name: 'ProblemError', code: 'invalid_config' });
  expect(error.detail).toMatch(detail);
});

it('a folder that is not there is refused', async () => {
  expect(await refused(at('nowhere'))).toMatchObject({
    detail: `${at('nowhere')} cannot be read: there is no such file or folder.`,
  });
});

it('tells all faults at once', async () => {
  put('ok.yaml');
  symlinkSync('gone', at('a.yaml'));
  symlinkSync('gone', at('b.yaml'));
  const error = await refused();
  expect(error.errors.map((item) => path.basename(item.detail.split(' ')[0] ?? ''))).toEqual(['a.yaml', 'b.yaml']);
  expect(error.detail).toContain('And 1 more.');
});

it.skipIf(process.getuid?.() === 0)('a file that may not be read is refused', async () => {
  put('a.yaml');
  chmodSync(at('a.yaml'), 0);
  expect((await refused()).detail).toContain('the permission is missing');
});

describe('an environment', () => {
  const read = async (environment?: string) =>
    (await readTree(root, environment)).map((file) => [
      path.posix.relative(root, file.path),
      file.isEnvironment ?? false,
    ]);

  beforeEach(() => {
    for (const name of ['a.yaml', 'environments/prod.yaml', 'environments/dev.yml', 'environments/x.test.yaml'])
      put(name);
  });

  it('is read with the tree where it is named, and is no part of it elsewhere', async () => {
    expect(await read()).toEqual([['a.yaml', false]]);
    expect(await read('prod')).toEqual([
      ['a.yaml', false],
      ['environments/prod.yaml', true],
    ]);
    expect(await read('dev')).toContainEqual(['environments/dev.yml', true]);
    expect(await environmentsIn(root)).toEqual(['dev', 'prod']);
  });

  it.each(['prd', '../a', 'prod.yaml', ''])('called %j is refused', async (name) => {
    await expect(read(name)).rejects.toMatchObject({
      code: 'invalid_config',
      detail: expect.stringContaining('It has dev, prod.'),
    });
  });

  it('that is a link out of the folder is refused', async () => {
    symlinkSync('/etc/hostname', at('environments/out.yaml'));
    await expect(read('out')).rejects.toMatchObject({ detail: expect.stringContaining('leads out of the folder') });
  });
});
