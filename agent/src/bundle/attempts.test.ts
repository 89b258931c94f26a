import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Attempts } from './attempts.js';

let dir: string;
let file: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'agent-attempts-'));
  file = join(dir, 'activating.json');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** What a process leaves that ends in the midst of the work, for the `count`th time. */
async function ended(count: number): Promise<void> {
  for (let time = 0; time < count; time++) {
    let left = '';
    await new Attempts(dir).run(async () => {
      left = readFileSync(file, 'utf8');
    });
    writeFileSync(file, left);
  }
}

const tried = async () => await new Attempts(dir).run(async () => 'done');

describe('Attempts', () => {
  it('leaves nothing behind, whether the work succeeds or fails', async () => {
    expect(await tried()).toBe('done');
    const failing = new Attempts(dir).run(() => Promise.reject(new Error('failed')));
    await expect(failing).rejects.toThrow('failed');
    expect(existsSync(file)).toBe(false);
  });

  it('tries again after processes that ended, but not a fourth time, and says what to do', async () => {
    await ended(2);
    expect(await tried()).toBe('done');
    await ended(3);
    for (let time = 0; time < 2; time++) {
      await expect(tried()).rejects.toMatchObject({
        code: 'payload_too_large',
        detail: expect.stringMatching(/ended 3 times.*--max-old-space-size=MIB.*remove activating\.json/),
      });
    }
  });

  it('counts no process that ends as it should, and forgets none that did not', async () => {
    await ended(2);
    await new Attempts(dir).forget();
    expect(existsSync(file)).toBe(true);
    const stopped = new Attempts(dir);
    await stopped.run(() => stopped.forget().then(() => expect(existsSync(file)).toBe(false)));
  });

  it('tries once after a rest, and rests again', async () => {
    await ended(3);
    const longAgo = new Date(Date.now() - 16 * 60_000);
    utimesSync(file, longAgo, longAgo);
    await ended(1);
    await expect(tried()).rejects.toMatchObject({ code: 'payload_too_large' });
    utimesSync(file, longAgo, longAgo);
    expect(await tried()).toBe('done');
    expect(await tried()).toBe('done');
  });

  it('tries at once with another amount of memory', async () => {
    await ended(3);
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"heapMib":\d+/, '"heapMib":1'));
    expect(await tried()).toBe('done');
  });

  it.each(['', '{}', '{"inVain":"x"}', 'null'])('tries where the file says %j', async (text) => {
    writeFileSync(file, text);
    expect(await tried()).toBe('done');
  });

  it('tries where nothing can be written', async () => {
    rmSync(dir, { recursive: true });
    expect(await tried()).toBe('done');
  });
});
