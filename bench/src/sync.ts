import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { ADMINISTRATOR, BenchCloud, share } from './clouds.js';
import { fillFleetTenant, type Load, startLoads, untilWaiting } from './fleet.js';
import { root } from './processes.js';

export interface SyncFigures {
  /** Milliseconds from a commit in Git until the controller knows that every agent enforces it. */
  poll: { p50: number; p99: number };
  webhook: { p50: number; p99: number };
}

const SECRET = 'the secret of the webhooks of the bench';

/** Commits to a repository that `servicectl sync` follows, so many times by a poll of a second and by webhooks, for so many agents. */
export async function measureSync(agents: number, rounds: number): Promise<SyncFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-sync-'));
  const cloud = await BenchCloud.start({ folder });
  const loads: Load[] = [];
  try {
    loads.push(...startLoads([cloud.url], agents, await fillFleetTenant(cloud.client())));
    await untilWaiting(loads, agents, 60);
    const repository = join(folder, 'repository');
    mkdirSync(repository);
    git(repository, 'init', '-q', '-b', 'main');
    writeFileSync(join(folder, 'secret'), SECRET);
    let number = 0;
    const commit = () => commitTo(repository, ++number);
    commit();
    const poll = await follow({ folder, repository, cloud, poll: '1s', rounds, commit });
    const webhook = await follow({ folder, repository, cloud, poll: '1h', rounds, commit });
    return { poll, webhook };
  } finally {
    await Promise.all(loads.map((load) => load.stop()));
    await cloud.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function follow({
  folder,
  repository,
  cloud,
  poll,
  rounds,
  commit,
}: {
  folder: string;
  repository: string;
  cloud: BenchCloud;
  poll: string;
  rounds: number;
  commit: () => string;
}): Promise<{ p50: number; p99: number }> {
  const stack = { repository, branch: 'main', path: 'tenant', poll, webhook_secret: 'secret' };
  writeFileSync(join(folder, 'sync.yaml'), JSON.stringify({ version: 1, stacks: { bench: stack } }));
  const args = ['cli/bin/service.js', 'sync', join(folder, 'sync.yaml'), '--data-dir', join(folder, 'clones')];
  const child = spawn(process.execPath, [...args, '--listen-addr', '127.0.0.1:0'], {
    cwd: root,
    env: {
      ...{ PATH: process.env.PATH ?? '', HOME: folder, SERVICE_CLOUD_URL: cloud.url },
      ...{ SERVICE_CLIENT_ID: ADMINISTRATOR.clientId, SERVICE_CLIENT_SECRET: ADMINISTRATOR.clientSecret },
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  try {
    const url = await new Promise<string>((resolve) => {
      createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line).url));
    });
    await untilReady(url, git(repository, 'rev-parse', 'HEAD'));
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      // At no fixed distance from the poll.
      await wait(200 + Math.random() * 1000);
      const begun = performance.now();
      const wanted = commit();
      if (poll !== '1s')
        await fetch(`${url}/hooks/bench`, { method: 'POST', headers: { 'x-gitlab-token': SECRET }, body: '{}' });
      await untilReady(url, wanted);
      times.push(performance.now() - begun);
    }
    return { p50: share(times, 0.5), p99: share(times, 0.99) };
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

async function untilReady(url: string, commit: string): Promise<void> {
  for (const endsAt = performance.now() + 60_000; performance.now() < endsAt; await wait(10)) {
    const answer = (await (await fetch(`${url}/v1/sync`)).json()) as {
      stacks: { status?: { ready: boolean; applied?: string } }[];
    };
    const status = answer.stacks[0]?.status;
    if (status?.ready && status.applied === commit) return;
  }
  throw new Error(`The commit ${commit} was not enforced within a minute.`);
}

function commitTo(repository: string, number: number): string {
  mkdirSync(join(repository, 'tenant'), { recursive: true });
  const tree = `version: 1\nstack: bench\nroles:\n  synced: { description: "${number}" }\n`;
  writeFileSync(join(repository, 'tenant', 'roles.yaml'), tree);
  git(repository, 'add', '-A');
  git(repository, 'commit', '-q', '-m', `Change ${number}`);
  return git(repository, 'rev-parse', 'HEAD');
}

function git(cwd: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=bench', '-c', 'user.email=bench@acme.example'];
  return execFileSync('git', [...identity, ...args], { cwd, encoding: 'utf8' }).trim();
}
