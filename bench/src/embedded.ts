import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Serving, serving } from './agent.js';
import type { Turns } from './embedded-process.js';
import { type Running, script, stop } from './processes.js';
import { declaredTenant, type Size } from './tenant.js';

/** A hundred thousand records. */
const SIZE: Size = { subjects: 6600, resources: 66_150, roles: 660, policies: 6600, types: 100 };
const SMALL_CHANGES = 50;

/** The longest turns of the event loop of a process with an embedded decision point, while a bundle and deltas are applied. */
export async function measureEmbedded(): Promise<{ records: number; turns: Turns[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'authz-bench-'));
  const running: Running[] = [];
  try {
    const { cloud, client, key, records } = await serving(declaredTenant(SIZE), join(folder, 'whole'), running);
    const turns = await measure(client, {
      ...{ CLOUD_URL: cloud.url, API_KEY: key, CACHE_DIR: join(folder, 'embedded') },
    });
    return { records, turns };
  } finally {
    await Promise.all(running.map(stop));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(client: Serving['client'], env: Record<string, string>): Promise<Turns[]> {
  const arguments_ = [...process.execArgv, script('embedded-process')];
  const child = spawn(process.execPath, arguments_, {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async <T>() => JSON.parse((await lines.next()).value ?? 'null') as T;
  const turns = [await next<Turns>()];
  let made = 0;
  const phase = async (name: string, commits: number[]) => {
    child.stdin.write(`${name}\n`);
    if (commits.length > 0) await next();
    let revision = '';
    for (const count of commits) {
      const changes = Array.from({ length: count }, () => ({
        ...{ op: 'create' as const, kind: 'subject' as const, fields: { type: 'user', id: `new-${made++}` } },
      }));
      ({ revision } = await client.changeset({ changes }));
    }
    if (commits.length > 0) child.stdin.write(`${revision}\n`);
    turns.push(await next<Turns>());
  };
  await phase(
    `${SMALL_CHANGES} small changes`,
    Array.from({ length: SMALL_CHANGES }, () => 1),
  );
  await phase('a change of 1,000 records', [1_000]);
  await phase('a change of 20,000 records', [20_000]);
  await phase('a start from the cache', []);
  child.stdin.end();
  return turns;
}
