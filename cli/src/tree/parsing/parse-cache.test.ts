import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parsedText } from '@authz-service/core/manifest/parsed-text';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ParseCache } from './parse-cache.js';

const TEXT = 'version: 1\ngroups: { a: { description: "\\u00e9\\ud800" }, b: !x 1 }\n';
const FOUND = parsedText(TEXT);

let home: string;
const entries = () => readdirSync(join(home, 'service/parsed')).map((name) => join(home, 'service/parsed', name));
const opened = (variables = {}): ParseCache => {
  const cache = ParseCache.open({ XDG_CACHE_HOME: home, ...variables });
  if (cache === undefined) throw new Error('there is no cache');
  return cache;
};
/** Returns what a new process finds for the text. */
const found = () => opened().read(opened().keyOf(TEXT));

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'parse-cache-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function write(text = TEXT): string {
  const cache = opened();
  const key = cache.keyOf(text);
  cache.write(key, parsedText(text));
  return join(cache.folder, key);
}

describe('what was parsed', () => {
  it('is remembered by its text', () => {
    const path = write();
    expect(found()).toEqual(FOUND);
    expect(entries()).toEqual([path]);
    expect(opened().read(opened().keyOf(`${TEXT}#`))).toBeUndefined();
  });

  it('can be read by nobody else', () => {
    expect(statSync(write()).mode & 0o777).toBe(0o600);
    expect(statSync(opened().folder).mode & 0o777).toBe(0o700);
  });

  it.each<[how: string, damage: (bytes: Buffer) => Buffer]>([
    ['cut off', (bytes) => bytes.subarray(0, bytes.length - 1)],
    ['empty', () => Buffer.alloc(0)],
    ['changed in one bit', (bytes) => bytes.fill((bytes.at(-1) ?? 0) ^ 1, bytes.length - 1)],
  ])('is not used where the entry is %s, and then written anew', (_, damage) => {
    const path = write();
    writeFileSync(path, damage(readFileSync(path)));
    expect(found()).toBeUndefined();
    write();
    expect(found()).toEqual(FOUND);
  });

  it('is not used for another text under whose name the entry lies', () => {
    const path = write('version: 1\n');
    copyFileSync(path, join(opened().folder, opened().keyOf(TEXT)));
    expect(found()).toBeUndefined();
  });

  it('is forgotten when there is too much, what was not used for the longest time first', () => {
    const paths = ['a: 1\n', 'b: 2\n', 'c: 3\n', 'd: 4\n'].map((text) => write(text));
    for (const [age, path] of paths.entries()) utimesSync(path, 1_000_000 - age, 1_000_000 - age);
    const cache = opened();
    cache.read(cache.keyOf('d: 4\n'));
    cache.write(cache.keyOf('a: 1\n'), parsedText('a: 1\n'));
    // An entry that is listed and not there, as when another process trims at the same time.
    symlinkSync('nothing', join(cache.folder, 'vanished'));
    cache.trim(3 * 4096, 2 * 4096);
    expect(entries().sort()).toEqual([paths[0], paths[3], join(cache.folder, 'vanished')].sort());
  });
});

describe('a cache', () => {
  it('is not there where SERVICE_TREE_CACHE is false', () => {
    expect(ParseCache.open({ XDG_CACHE_HOME: home, SERVICE_TREE_CACHE: 'false' })).toBeUndefined();
    expect(readdirSync(home)).toEqual([]);
  });

  it('is not there where its folder cannot be made', () => {
    writeFileSync(join(home, 'service'), '');
    expect(ParseCache.open({ XDG_CACHE_HOME: home })).toBeUndefined();
  });

  it.skipIf(process.platform === 'win32')('is not used where others may write in its folder', () => {
    write();
    chmodSync(join(home, 'service/parsed'), 0o770);
    expect(ParseCache.open({ XDG_CACHE_HOME: home })).toBeUndefined();
  });

  it('is not used where its folder is a link', () => {
    mkdirSync(join(home, 'service'));
    symlinkSync(tmpdir(), join(home, 'service/parsed'));
    expect(ParseCache.open({ XDG_CACHE_HOME: home })).toBeUndefined();
  });
});
