import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readProfiles } from './profiles.js';
import { removeProfile, writeProfile } from './write-profiles.js';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cli-write-profiles-'));
  path = join(folder, '.service', 'config.yaml');
});
afterEach(() => rm(folder, { recursive: true }));

const ENTRY = { url: 'http://x', api_key: 'svc_k' };

describe('writeProfile', () => {
  it('makes the file, for its owner alone', async () => {
    await writeProfile('a', ENTRY, false, path);
    expect(await readProfiles(path)).toMatchObject({ profiles: new Map([['a', ENTRY]]), warnings: [] });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('leaves the rest as it is written, and closes a file that was open to others', async () => {
    await writeProfile('a', ENTRY, false, path);
    await writeFile(path, '# mine\nprofiles:\n  b: { url: "http://b" } # theirs\n', { mode: 0o644 });
    await writeProfile('a', ENTRY, false, path);
    expect(await readFile(path, 'utf8')).toBe(
      '# mine\nprofiles:\n  b: { url: "http://b" } # theirs\n  a:\n    url: http://x\n    api_key: svc_k\n',
    );
    expect((await stat(path)).mode & 0o077).toBe(0);
  });

  it('replaces a profile only where that is agreed to', async () => {
    await writeProfile('a', ENTRY, false, path);
    await expect(writeProfile('a', { url: 'http://y' }, false, path)).rejects.toThrow('--replace');
    await writeProfile('a', { url: 'http://y' }, true, path);
    expect((await readProfiles(path))?.profiles).toEqual(new Map([['a', { url: 'http://y' }]]));
  });

  it('knows names that objects have of their own', async () => {
    for (const name of ['constructor', 'toString']) {
      await expect(removeProfile(name, path)).rejects.toThrow(`There is no profile "${name}"`);
      await writeProfile(name, ENTRY, false, path);
      expect((await readProfiles(path))?.profiles.get(name)).toEqual(ENTRY);
      await removeProfile(name, path);
    }
    await expect(writeProfile('__proto__', ENTRY, false, path)).rejects.toThrow('"__proto__" is no name of a profile');
  });

  it('writes nothing over a file that is wrong', async () => {
    await writeProfile('a', ENTRY, false, path);
    await writeFile(path, 'profiles: [');
    await expect(writeProfile('b', ENTRY, false, path)).rejects.toThrow(/has faults/);
    expect(await readFile(path, 'utf8')).toBe('profiles: [');
  });
});

describe('removeProfile', () => {
  it('takes one out and leaves the others', async () => {
    await writeProfile('a', ENTRY, false, path);
    await writeProfile('b', ENTRY, false, path);
    await removeProfile('a', path);
    expect([...((await readProfiles(path))?.profiles.keys() ?? [])]).toEqual(['b']);
  });

  it('names those that there are', async () => {
    await expect(removeProfile('a', path)).rejects.toThrow('There is no profile "a". Existing profiles: none.');
    await writeProfile('b', ENTRY, false, path);
    await expect(removeProfile('a', path)).rejects.toThrow('Existing profiles: b.');
  });
});
