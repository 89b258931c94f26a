/**
 * The provider under the real Terraform, beside the builtin `terraform_data` with the same number of resources; and its
 * start to the handshake beside bare Node.
 */
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, start, stop } from './processes.js';
import { median } from './random.js';

const ROUNDS = 5;
const STARTS = 15;
export const RESOURCES = 1000;

const BUILTIN = `
resource "terraform_data" "x" {
  count = ${RESOURCES}
  input = "v\${count.index}"
}`;
const OURS = `
terraform {
  required_providers {
    service = { source = "authz-service/service" }
  }
}
resource "service_subject" "x" {
  count = ${RESOURCES}
  type  = "user"
  id    = "u\${count.index}"
  name  = "v"
}`;

/** The commands in order: create plan, apply, no-op plan, destroy. */
const COMMANDS = {
  'create plan': ['plan'],
  apply: ['apply', '-auto-approve'],
  'no-op plan': ['plan'],
  destroy: ['destroy', '-auto-approve'],
} as const;
export type Command = keyof typeof COMMANDS;

/** Medians of seconds, and the median of the ratios within a round. */
export interface TerraformFigures {
  commands: { name: Command; builtin: number; ours: number; ratio: number }[];
  /** Medians of milliseconds from the start of the process to the handshake. */
  handshake: { bare: number; provider: number };
  /** The most that a process of the provider had resident while it applied, in bytes. */
  resident: number;
}

export async function measureTerraform(): Promise<TerraformFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-terraform-'));
  const client = { id: 'bench', secret: randomBytes(24).toString('hex') };
  const service = join(root, 'cli/bin/service.js');
  const cloud = await start(
    process.execPath,
    [service, 'cloud', 'start', '--data-dir', join(folder, 'data'), '--listen-addr', '127.0.0.1:0'],
    { SERVICE_BOOTSTRAP_CLIENT_ID: client.id, SERVICE_BOOTSTRAP_CLIENT_SECRET: client.secret },
  );
  try {
    const env = {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      CHECKPOINT_DISABLE: '1',
      SERVICE_CLOUD_URL: cloud.url,
      SERVICE_CLIENT_ID: client.id,
      SERVICE_CLIENT_SECRET: client.secret,
    };
    execFileSync(process.execPath, [service, 'provider', 'install'], { env, stdio: 'ignore' });
    const folders = { builtin: join(folder, 'builtin'), ours: join(folder, 'ours') };
    for (const [name, text] of [
      ['builtin', BUILTIN],
      ['ours', OURS],
    ] as const) {
      mkdirSync(folders[name]);
      writeFileSync(join(folders[name], 'main.tf'), text);
      execFileSync('terraform', ['init'], { cwd: folders[name], env, stdio: 'ignore' });
    }

    const seconds = new Map<Command, { builtin: number[]; ours: number[] }>();
    let resident = 0;
    for (let round = 0; round < ROUNDS; round++) {
      // Command by command: what is compared is seconds apart, not half a minute.
      for (const [name, args] of Object.entries(COMMANDS) as [Command, readonly string[]][]) {
        for (const which of ['builtin', 'ours'] as const) {
          const taken = await run(args, folders[which], env);
          const all = seconds.get(name) ?? { builtin: [], ours: [] };
          all[which].push(taken.seconds);
          seconds.set(name, all);
          if (which === 'ours' && name === 'apply') resident = Math.max(resident, taken.resident);
        }
      }
    }
    const commands = [...seconds].map(([name, { builtin, ours }]) => ({
      name,
      builtin: median(builtin),
      ours: median(ours),
      ratio: median(ours.map((value, round) => value / (builtin[round] ?? Number.NaN))),
    }));
    return { commands, handshake: await measureHandshake(folder), resident };
  } finally {
    await stop(cloud);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One command of Terraform's, and the most memory that a process of the provider has had meanwhile. */
function run(
  args: readonly string[],
  cwd: string,
  env: Record<string, string>,
): Promise<{ seconds: number; resident: number }> {
  const began = performance.now();
  const child = spawn('terraform', [...args, '-no-color', '-input=false'], {
    cwd,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let resident = 0;
  const watching = setInterval(() => {
    resident = Math.max(resident, ...providersResident());
  }, 250);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      clearInterval(watching);
      if (code === 0) resolve({ seconds: (performance.now() - began) / 1000, resident });
      else reject(new Error(`terraform ${args.join(' ')} ended with ${code}`));
    });
  });
}

/** Returns the most that each process of the provider has had resident, in bytes. */
function providersResident(): number[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('terraform-provider-service_')) return [];
      const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
      return kibibytes === undefined ? [] : [Number(kibibytes) * 1024];
    } catch {
      // No process, or one that has just ended.
      return [];
    }
  });
}

async function measureHandshake(folder: string): Promise<TerraformFigures['handshake']> {
  const bare = join(folder, 'bare.cjs');
  writeFileSync(bare, 'console.log(1); setInterval(() => {}, 1000);');
  const { version } = JSON.parse(readFileSync(join(root, 'provider/package.json'), 'utf8'));
  const provider = join(root, `provider/dist/bundle/terraform-provider-service_v${version}.cjs`);
  const certificate = execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-keyout',
      '/dev/null',
      '-nodes',
      '-subj',
      '/CN=localhost',
    ],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const env = {
    PATH: process.env.PATH ?? '',
    TF_PLUGIN_MAGIC_COOKIE: 'd602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2',
    PLUGIN_CLIENT_CERT: certificate,
  };
  const times: { bare: number[]; provider: number[] } = { bare: [], provider: [] };
  for (let round = 0; round < STARTS; round++) {
    times.bare.push(await firstLine(bare, env));
    times.provider.push(await firstLine(provider, env));
  }
  return { bare: median(times.bare), provider: median(times.provider) };
}

/** Milliseconds from the start of a script to what it says first. */
function firstLine(script: string, env: Record<string, string>): Promise<number> {
  const began = performance.now();
  const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.stdout.once('data', () => {
      const taken = performance.now() - began;
      child.once('exit', () => resolve(taken));
      // It is no child of Terraform's, so that nobody else would end it.
      child.kill('SIGKILL');
    });
  });
}
