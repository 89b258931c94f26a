/**
 * The time it takes to know what a change does: access deltas of trees by the CLI, process starts included, and of a
 * million records in process, and tests of access.
 */
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeTree } from './impact-tree.js';
import { root, script, start, stop } from './processes.js';
import { median } from './random.js';

const SERVICE = join(root, 'cli/bin/service.js');
const ROUNDS = 3;

/** A run of the CLI: seconds from its start to its end, those of processors, and the most it had resident, in bytes. */
export interface Run {
  seconds: number;
  processor: number;
  resident: number;
}

export interface PlanFigures {
  /** About how many records the tree was to have, and how many it has. */
  sought: number;
  records: number;
  files: number;
  /** The change, in words. */
  change: string;
  /** Without its Access part, with nothing remembered of any file. */
  cold: Run;
  /** The same, with all but what has changed remembered; medians. */
  warm: Run;
  /** With it, and the same remembered; medians. */
  withAccess: Run;
}

export interface ImpactFigures {
  plans: PlanFigures[];
  /** `servicectl test` with a table, with its questions one by one, and with the table and `--mutate`. */
  tests: { questions: number; records: number; asked: Run; single: Run; mutated: Run };
}

export async function measureImpact(): Promise<ImpactFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-impact-'));
  try {
    const plans = [
      ...(await measurePlans(join(folder, 'ten'), { records: 10_000, files: 5 })),
      ...(await measurePlans(join(folder, 'hundred'), { records: 100_000, files: 20 })),
    ];
    return { plans, tests: await measureTests(join(folder, 'tests')) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The tree is applied to a cloud, then changed, and the change is planned. */
async function measurePlans(folder: string, size: { records: number; files: number }): Promise<PlanFigures[]> {
  const tree = join(folder, 'tree');
  mkdirSync(tree, { recursive: true });
  const client = { id: 'bench', secret: randomBytes(24).toString('hex') };
  const cloud = await start(
    process.execPath,
    [SERVICE, 'cloud', 'start', '--data-dir', join(folder, 'data'), '--listen-addr', '127.0.0.1:0'],
    { HOME: folder, SERVICE_BOOTSTRAP_CLIENT_ID: client.id, SERVICE_BOOTSTRAP_CLIENT_SECRET: client.secret },
  );
  const env = {
    ...{ HOME: folder, XDG_CACHE_HOME: join(folder, 'cache'), SERVICE_CLOUD_URL: cloud.url },
    ...{ SERVICE_CLIENT_ID: client.id, SERVICE_CLIENT_SECRET: client.secret },
  };
  try {
    const records = writeTree(tree, size);
    await run(['apply', tree, '--yes'], env);
    const before = join(folder, 'cache before');
    renameSync(env.XDG_CACHE_HOME, before);
    /** Plans with what was remembered of the tree as it was applied. */
    const plan = (...flags: string[]) => {
      rmSync(env.XDG_CACHE_HOME, { recursive: true, force: true });
      cpSync(before, env.XDG_CACHE_HOME, { recursive: true });
      return run(['plan', tree, ...flags], env);
    };
    const figures: PlanFigures[] = [];
    for (const change of ['one policy', 'one file'] as const) {
      writeTree(tree, { ...size, change });
      const cold = await run(['plan', tree, '--no-access'], {
        ...env,
        XDG_CACHE_HOME: join(folder, `cache of ${change}`),
      });
      const warm = await several(() => plan('--no-access'));
      const withAccess = await several(() => plan());
      figures.push({ sought: size.records, records, files: size.files, change, cold, warm, withAccess });
    }
    return figures;
  } finally {
    await stop(cloud);
  }
}

async function measureTests(folder: string): Promise<ImpactFigures['tests']> {
  mkdirSync(folder, { recursive: true });
  const records = writeTree(folder, { records: 700, files: 1 });
  const numbers = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix}${at}`);
  const [subjects, resources] = [numbers('user:s0-', 100), numbers('a0/doc:r0-', 50)];
  const table = { name: 'All read', subjects, actions: ['read', 'erase'], resources, allowed: [{ actions: ['read'] }] };
  writeFileSync(join(folder, 'all.test.yaml'), JSON.stringify({ context: { level: 3 }, tests: [table] }));
  const asked = await several(() => run(['test', folder], { HOME: folder }));
  const mutated = await run(['test', folder, '--mutate'], { HOME: folder });
  const one = (action: string, expect: string) =>
    subjects.flatMap((subject) =>
      resources.map((resource) => ({ name: `${action} ${subject} ${resource}`, subject, action, resource, expect })),
    );
  const tests = [...one('read', 'allow'), ...one('erase', 'deny')].map((test) => `  - ${JSON.stringify(test)}\n`);
  writeFileSync(join(folder, 'all.test.yaml'), `context: { level: 3 }\ntests:\n${tests.join('')}`);
  const single = await run(['test', folder], { HOME: folder });
  return { questions: tests.length, records, asked, single, mutated };
}

async function several(measure: () => Promise<Run>): Promise<Run> {
  const runs: Run[] = [];
  for (let round = 0; round < ROUNDS; round++) runs.push(await measure());
  return {
    seconds: median(runs.map(({ seconds }) => seconds)),
    processor: median(runs.map(({ processor }) => processor)),
    resident: Math.max(...runs.map(({ resident }) => resident)),
  };
}

/** Says at the end of a process the microseconds that it took of processors, and the KiB that it had resident at most. */
const REPORT = `data:text/javascript,process.on("exit",()=>{const{userCPUTime:u,systemCPUTime:s,maxRSS:m}=process.resourceUsage();console.error("took",u+s,m)})`;

function run(args: string[], env: Record<string, string>): Promise<Run> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const child = spawn(process.execPath, ['--import', REPORT, SERVICE, ...args], {
      env: { PATH: process.env.PATH ?? '', ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += chunk;
    });
    child.once('error', reject);
    child.once('close', (code) => {
      const seconds = (performance.now() - began) / 1000;
      const [, micros, kibibytes] = /^took (\d+) (\d+)$/m.exec(said) ?? [];
      if (code === 0 && kibibytes !== undefined)
        resolve({ seconds, processor: Number(micros) / 1e6, resident: Number(kibibytes) * 1024 });
      else reject(new Error(`servicectl ${args.join(' ')} ended with ${code}:\n${said.slice(-2000)}`));
    });
  });
}

/** A million records and one changed policy, in a process of its own. */
export function measureMillion(): MillionFigures {
  const million = script('impact-million');
  const output = execFileSync(process.execPath, ['--max-old-space-size=12000', million], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(output);
}

export interface MillionFigures {
  records: number;
  seconds: number;
  /** Seconds of processors. */
  processor: number;
  findings: number;
  triples: number;
}
