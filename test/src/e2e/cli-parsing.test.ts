import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { readManifest } from '@authz-service/core/manifest/read';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { randomTree } from '../../../core/testing/random-trees.js';
import { Workbench } from './cli/workbench.js';

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.create();
});
afterAll(() => bench.close());

/** Enough text for threads and the cache: comments, which declare nothing. */
const PADDING = `# ${'x'.repeat(97)}\n`.repeat(500);

interface Told {
  faults: unknown[];
  warnings: unknown[];
}

/** Validates a tree and tells what is wrong with it. */
async function validate(folder: string, env = {}): Promise<Told> {
  const { stdout, stderr } = await bench.run(['validate', folder, '--json'], { env });
  if (stdout === '') throw new Error(stderr);
  const { faults, warnings } = JSON.parse(stdout) as Told;
  return { faults, warnings };
}

const remembered = () => readdir(bench.path('.cache/service/parsed'));

describe('a tree of many long files', () => {
  it('has the same faults at the same places by threads, from the cache, and in one thread without it', async () => {
    const seed = Number(process.env.SERVICE_FAULT_SEED ?? Date.now() % 2 ** 31);
    const trees = fc.sample(randomTree, { numRuns: 12, seed });
    const files = trees.flat().map(({ text }, at) => ({ path: `random/${at}.yaml`, text: text + PADDING }));
    await bench.write(Object.fromEntries(files.map(({ path, text }) => [path, text])));
    const { faults, warnings } = readManifest(files, { now: Date.now() });
    const expected = JSON.parse(JSON.stringify({ faults, warnings }));
    const says = `the seed is ${seed}`;
    expect(await validate('random', { SERVICE_TREE_CACHE: 'false' }), says).toEqual(expected);
    expect(await validate('random'), says).toEqual(expected);
    const texts = new Set(files.map(({ text }) => text.replace(/^\uFEFF/, '')));
    expect((await remembered()).length, says).toBe(texts.size);
    expect(await validate('random'), says).toEqual(expected);
  });
});

describe('the cache', () => {
  const tree = { 'tree/a.yaml': `version: 1\ngroups: { a: {} }\n${PADDING.repeat(2)}` };
  const text = tree['tree/a.yaml'];
  const valid = { valid: true, records: 1 };

  it('is only kept where there is much to read', async () => {
    await rm(bench.path('.cache'), { recursive: true, force: true });
    await bench.write({ 'small/a.yaml': 'version: 1\ngroups: { a: {} }\n' });
    expect(await bench.json(['validate', 'small'])).toMatchObject(valid);
    await expect(remembered()).rejects.toThrow('ENOENT');
  });

  it('takes part in no reading that it can damage', async () => {
    await rm(bench.path('.cache'), { recursive: true, force: true });
    await bench.write(tree);
    expect(await bench.json(['validate', 'tree'])).toMatchObject(valid);
    const [name = ''] = await remembered();
    const path = bench.path('.cache/service/parsed', name);
    const sound = await readFile(path);
    await writeFile(path, sound.subarray(0, 40));
    expect(await bench.json(['validate', 'tree'])).toMatchObject(valid);
    expect(await readFile(path)).toEqual(sound);
    await writeFile(bench.path('tree/a.yaml'), text.replace('a: {}', 'a: { members: [user/x] }'));
    expect(await bench.json(['validate', 'tree'], { code: 1 })).toMatchObject({ valid: false, faults: [{ line: 2 }] });
  });

  it.each([
    ['there is no home', { HOME: '/dev/null' }],
    ['its folder cannot be made', { XDG_CACHE_HOME: '/dev/null/cache' }],
    ['it is turned off', { SERVICE_TREE_CACHE: 'false' }],
  ])('is not needed: %s', async (_, env) => {
    await rm(bench.path('.cache'), { recursive: true, force: true });
    await bench.write(tree);
    expect(await bench.json(['validate', 'tree'], { env })).toMatchObject(valid);
    await expect(remembered()).rejects.toThrow('ENOENT');
  });
});
