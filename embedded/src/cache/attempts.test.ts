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

/** Leaves what a process leaves that ends in the middle of the work, for the `count`th time. */
async function ended(count: number): Promise<void> {
  for (let time = 0; time < count; time++) {
    await new Attempts(dir).begin();
  }
}

async function tried(): Promise<void> {
  const attempts = new Attempts(dir);
  await attempts.begin();
  await attempts.end();
}

describe('Attempts', () => {
  it('leaves nothing behind', async () => {
    await tried();
    expect(existsSync(file)).toBe(false);
  });

  it('tries again after processes that ended, but not a fourth time, and says what to do', async () => {
    await ended(2);
    await tried();
    await ended(3);
    for (let time = 0; time < 2; time++) {
      await expect(tried()).rejects.toMatchObject({
        code: 'payload_too_large',
        detail: expect.stringMatching(/ended 3 times.*--max-old-space-size=MIB.*remove activating\.json/),
      });
    }
  });

  it('counts nothing that has ended, and forgets nothing of other processes', async () => {
    await ended(2);
    await new Attempts(dir).end();
    expect(existsSync(file)).toBe(true);
    await tried();
    expect(existsSync(file)).toBe(false);
  });

  it('tries once after a rest, and rests again', async () => {
    await ended(3);
    const longAgo = new Date(Date.now() - 16 * 60_000);
    utimesSync(file, longAgo, longAgo);
    await ended(1);
    await expect(tried()).rejects.toMatchObject({ code: 'payload_too_large' });
    utimesSync(file, longAgo, longAgo);
    await tried();
    await tried();
  });

  it('tries at once with another amount of memory', async () => {
    await ended(3);
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"heapMib":\d+/, '"heapMib":1'));
    await tried();
  });

  it.each(['', '{}', '{"inVain":"x"}', 'null'])('tries where the file says %j', async (text) => {
    writeFileSync(file, text);
    await tried();
  });

  it('tries where nothing can be written', async () => {
    rmSync(dir, { recursive: true });
    await tried();
  });
});
