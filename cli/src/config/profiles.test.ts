import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProblemError } from '@authz-service/core/problem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseProfiles } from './parse-profiles.js';
import { openProfile, readProfiles } from './profiles.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cli-profiles-'));
});
afterAll(() => rm(folder, { recursive: true }));

const faultsOf = (text: string): string[] => {
  try {
    parseProfiles('config.yaml', text);
    return [];
  } catch (error) {
    return (error as ProblemError).errors.map(({ pointer, detail }) => `${pointer} ${detail}`);
  }
};

describe('parseProfiles', () => {
  it('reads what is right', () => {
    expect(parseProfiles('c', 'profiles:\n  default: { url: "http://x", api_key: svc_k }\n')).toEqual(
      new Map([['default', { url: 'http://x', api_key: 'svc_k' }]]),
    );
  });

  it.each([
    ['an empty file', ''],
    ['comments alone', '# nothing\n'],
  ])('takes %s for no profiles', (_, text) => {
    expect(parseProfiles('c', text)).toEqual(new Map());
  });

  it.each<[string, string, RegExp[]]>([
    ['a key nobody knows', 'profiles:\n  a: { client_ident: x }\n', [/^config.yaml:2:8 unknown key "client_ident"/]],
    ['a key that is nearly one', 'profiles:\n  a: { clientid: x }\n', [/did you mean "client_id"\?$/]],
    [
      'a wrong type',
      'profiles:\n  a:\n    url: 5\n',
      [/^config.yaml:3:5 url: is the number 5, a text is expected: write "5" in quotes$/],
    ],
    ['an address that is none', 'profiles:\n  a:\n    url: foo\n', [/^config.yaml:3:5 url "foo" is no URL/]],
    [
      'half a client',
      'profiles:\n  a: { client_id: x }\n',
      [/^config.yaml:2:3 the profile "a" needs client_id and client_secret/],
    ],
    [
      'two ways at once',
      'profiles:\n  a: { api_key: x, client_id: y, client_secret: z }\n',
      [/both an API key and an OAuth client/],
    ],
    [
      'a secret and its file',
      'profiles:\n  a: { api_key: x, api_key_file: y }\n',
      [/^config.yaml:2:20 api_key_file is given together with api_key/],
    ],
    ['YAML that does not parse', 'profiles: {', [/^config.yaml:1:/]],
    [
      'the one name that is none',
      'profiles:\n  a: { url: "http://x" }\n  __proto__: { url: "http://x" }\n',
      [/^config.yaml:3:3 "__proto__" is no name of a profile/],
    ],
    ['several at once', 'profiles:\n  a: { x: 1 }\n  b: { y: 2 }\n', [/^config.yaml:2:8/, /^config.yaml:3:8/]],
  ])('places %s', (_, text, expected) => {
    const found = faultsOf(text);
    expect(found).toHaveLength(expected.length);
    for (const [index, pattern] of expected.entries()) expect(found[index]).toMatch(pattern);
  });

  it('repeats no secret in a fault', () => {
    expect(
      faultsOf('profiles:\n  a: { api_key: hunter2, client_id: y, client_secret: [hunter3] }\n').join(),
    ).not.toMatch(/hunter/);
  });
});

describe('readProfiles', () => {
  it('finds none where there is no file', async () => {
    expect(await readProfiles(join(folder, 'none.yaml'))).toBeUndefined();
  });

  it.each([
    [0o600, 'profiles: { a: { api_key: k } }', 0],
    [0o640, 'profiles: { a: { api_key: k } }', 1],
    [0o644, 'profiles: { a: { url: "http://x" } }', 0],
  ])('mode %o of %s makes %i warnings', async (mode, text, count) => {
    const path = join(folder, 'config.yaml');
    await writeFile(path, text);
    await chmod(path, mode);
    expect((await readProfiles(path))?.warnings).toHaveLength(count);
  });

  it.each(['constructor', 'toString', 'valueOf', '__proto__', 'hasOwnProperty'])(
    'finds no profile "%s" where none is declared',
    async (name) => {
      const file = { path: join(folder, 'config.yaml'), warnings: [], profiles: new Map([['a', {}]]) };
      await expect(openProfile(file, name)).rejects.toThrow(`There is no profile "${name}"`);
    },
  );

  it('reads a secret from a file beside it', async () => {
    await writeFile(join(folder, 'secret'), 's3cret\n', { mode: 0o600 });
    const file = {
      path: join(folder, 'config.yaml'),
      warnings: [],
      profiles: new Map([['a', { client_id: 'x', client_secret_file: 'secret' }]]),
    };
    expect(await openProfile(file, 'a')).toEqual({ credentials: { clientId: 'x', clientSecret: 's3cret' } });
    expect(file.warnings).toEqual([]);
    await chmod(join(folder, 'secret'), 0o644);
    await openProfile(file, 'a');
    expect(file.warnings).toHaveLength(1);
  });
});
