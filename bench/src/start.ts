import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ServiceClient } from '@authz-service/sdk/client';
import { answering, type Running, root, start, stop } from './processes.js';
import { fill } from './propagation.js';
import { questions, type Size } from './tenant.js';

export interface StartFigures {
  records: number;
  /** Seconds from the start of the process until `/readyz` answers 200, and until the first decision after that. */
  ready: number;
  decided: number;
  /** Bytes resident a record, beyond those of a cloud with an empty tenant. */
  perRecord: number;
}

const SIZES: Size[] = [
  { subjects: 18_000, resources: 27_000, roles: 1800, policies: 9000, types: 90 },
  { subjects: 180_000, resources: 270_000, roles: 9000, policies: 90_000, types: 900 },
];
const SETTLE_MS = 10_000;
const ASKED = 100;
const CREDENTIALS = { clientId: 'bench', clientSecret: randomBytes(24).toString('base64url') };

/** The built cloud as a process that starts on a tenant in an SQLite file. */
export async function measureStart(): Promise<StartFigures[]> {
  const empty = await measure(undefined);
  const figures: StartFigures[] = [];
  for (const size of SIZES) {
    const { records, ready, decided, resident } = await measure(size);
    figures.push({ records, ready, decided, perRecord: (resident - empty.resident) / records });
  }
  return figures;
}

async function measure(
  size: Size | undefined,
): Promise<Pick<StartFigures, 'records' | 'ready' | 'decided'> & { resident: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'authz-bench-'));
  let running: Running | undefined;
  try {
    running = await startCloud(folder);
    const records = size === undefined ? 0 : await fill(clientOf(running), size);
    await stop(running);

    const began = performance.now();
    running = await startCloud(folder);
    await answering(`${running.url}/readyz`);
    const ready = performance.now();
    const client = clientOf(running);
    await client.whoami();
    const asked = performance.now();
    // The token costs the same whatever the size.
    const token = asked - ready;
    let decided = 0;
    for (const { subject, action, resource } of size === undefined ? [] : questions(size, ASKED)) {
      const { type, name = '' } = resource;
      await client.decide({ subject: { ...subject, id: subject.id ?? '' }, action, resource: { type, id: name } });
      decided ||= performance.now();
    }
    await wait(SETTLE_MS);
    return {
      records,
      ready: (ready - began) / 1000,
      decided: (decided - began - token) / 1000,
      resident: residentOf(running),
    };
  } finally {
    if (running) await stop(running);
    rmSync(folder, { recursive: true, force: true });
  }
}

function startCloud(folder: string): Promise<Running> {
  const args = ['cloud', 'start', '--data-dir', join(folder, 'cloud'), '--listen-addr', '127.0.0.1:0'];
  const env = {
    HOME: folder,
    SERVICE_BOOTSTRAP_CLIENT_ID: CREDENTIALS.clientId,
    SERVICE_BOOTSTRAP_CLIENT_SECRET: CREDENTIALS.clientSecret,
  };
  return start(process.execPath, ['--max-old-space-size=8000', join(root, 'cli/bin/service.js'), ...args], env);
}

function clientOf({ url }: Running): ServiceClient {
  return new ServiceClient({ url, credentials: CREDENTIALS });
}

/** Bytes, by the kernel. */
function residentOf({ child }: Running): number {
  const [, kib] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
  return Number(kib) * 1024;
}
