import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Running, root, script, stop } from './processes.js';
import { median } from './random.js';
import { startDecisionPoint } from './sdk-server.js';

export interface SdkFigures {
  language: string;
  /** A decision through the SDK takes so many times a bare HTTP call. */
  overBare: number;
  /** By the kind of callers: 100 at once take so many times longer alone than joined. */
  joined: Record<string, number>;
}

const run = promisify(execFile);

/** Each SDK by a program of its own language, against one built agent. Go and Python must be installed. */
export async function measureSdks(): Promise<SdkFigures[]> {
  const folder = mkdtempSync(join(tmpdir(), 'authz-bench-'));
  const running: Running[] = [];
  try {
    const url = await startDecisionPoint(folder, running);
    return [await go(url), await python(url), await node(url)];
  } finally {
    await Promise.all(running.map(stop));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function go(url: string): Promise<SdkFigures> {
  const env = { ...process.env, GOFLAGS: '-mod=mod', GOPROXY: 'off', GOWORK: 'off', AUTHZ_LIVE_AGENT: url };
  const args = ['test', '-run', '^$', '-bench', '.', '-benchtime', '1s', '-count', '5', '.'];
  const { stdout } = await run('go', args, { cwd: join(root, 'sdk/go'), env });
  const figure = (unit: string) =>
    median([...stdout.matchAll(new RegExp(`([\\d.]+) ${unit}`, 'g'))].map((match) => Number(match[1])));
  return { language: 'Go', overBare: figure('over-bare'), joined: { goroutines: figure('single-over-joined') } };
}

async function python(url: string): Promise<SdkFigures> {
  const { stdout } = await run('/usr/bin/python3', [join(root, 'sdk/python/scripts/bench.py'), url]);
  const { overBare, threads, tasks } = JSON.parse(stdout) as Record<'overBare' | 'threads' | 'tasks', number>;
  return { language: 'Python', overBare, joined: { threads, tasks } };
}

async function node(url: string): Promise<SdkFigures> {
  const { stdout } = await run(process.execPath, [script('sdk-node'), url]);
  const { overBare, joined } = JSON.parse(stdout) as { overBare: number; joined: number };
  return { language: 'Node', overBare, joined: { promises: joined } };
}
