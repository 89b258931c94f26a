import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect } from 'vitest';

/** Whether the real Terraform is on the PATH; without it, its tests are skipped, and a message says so. */
export const hasTerraform = spawnSync('terraform', ['version']).status === 0;
if (!hasTerraform)
  process.stderr.write('\nSKIPPED: there is no "terraform" on the PATH; the provider is not tested against it.\n\n');

/** Terraform's messages about a provider that breaks the protocol. No run may ever show one of these. */
const FAULTS =
  /produced inconsistent|produced an? (?:unexpected|invalid|inconsistent)|invalid result object|inconsistent final plan|Provider produced|Plugin did not respond|Unsupported plugin method|Unrecognized remote plugin message|Plugin error|panic:/;

/** The line that Terraform draws beside diagnostics. */
const FRAME = /^[│╷╵] ?/gm;

export interface Run {
  status: number | null;
  stdout: string;
  stderr: string;
  /** Both without colours and frames, for what may stand in either. */
  text: string;
}

export interface WorkspaceOptions {
  /** Provider executables by the name of the provider: `{ fixture: '/…/terraform-provider-fixture_v1.0.0.cjs' }`. */
  providers: Record<string, string>;
  env?: Record<string, string>;
}

/** A folder with a configuration, in which the real Terraform runs with locally built providers. */
export class Workspace {
  readonly dir = mkdtempSync(join(tmpdir(), 'terraform-'));
  readonly env: Record<string, string>;
  private readonly running = new Set<ChildProcess>();

  constructor(private readonly options: WorkspaceOptions) {
    const overrides = Object.entries(options.providers)
      .map(([name, file]) => `"authz-service/${name}" = "${file.slice(0, -basename(file).length - 1)}"`)
      .join('\n');
    writeFileSync(
      join(this.dir, 'cli.tfrc'),
      `disable_checkpoint = true\nprovider_installation {\n dev_overrides {\n${overrides}\n }\n direct {}\n}\n`,
    );
    this.env = {
      PATH: process.env.PATH ?? '',
      HOME: this.dir,
      TF_CLI_CONFIG_FILE: join(this.dir, 'cli.tfrc'),
      TF_IN_AUTOMATION: '1',
      CHECKPOINT_DISABLE: '1',
      ...options.env,
    };
  }

  /** Writes `main.tf`: the configuration below the block that requires the providers. */
  write(configuration: string, file = 'main.tf'): void {
    const required = Object.keys(this.options.providers)
      .map((name) => `${name} = { source = "authz-service/${name}" }`)
      .join('\n');
    mkdirSync(join(this.dir, file, '..'), { recursive: true });
    writeFileSync(join(this.dir, file), `terraform {\nrequired_providers {\n${required}\n}\n}\n${configuration}\n`);
  }

  /** Starts Terraform; `finished` resolves when it ends. */
  start(args: string[], env: Record<string, string> = {}): { process: ChildProcess; finished: Promise<Run> } {
    const child = spawn('terraform', args, {
      cwd: this.dir,
      env: { ...this.env, ...env },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.running.add(child);
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    const finished = new Promise<Run>((resolve) =>
      child.on('close', (status) => {
        this.running.delete(child);
        const text = stripVTControlCharacters(stdout + stderr).replace(FRAME, '');
        expect(text).not.toMatch(FAULTS);
        resolve({ status, stdout, stderr, text });
      }),
    );
    return { process: child, finished };
  }

  run(...args: string[]): Promise<Run> {
    return this.start(args).finished;
  }

  /** Runs and expects success; returns what Terraform printed. */
  async ok(...args: string[]): Promise<string> {
    const { status, text } = await this.run(...args);
    expect(status, text).toBe(0);
    return text;
  }

  apply(...args: string[]): Promise<string> {
    return this.ok('apply', '-auto-approve', ...args);
  }

  /** Runs and expects failure; returns what Terraform printed, its lines joined so that wrapping does not matter. */
  async fails(...args: string[]): Promise<string> {
    const { status, text } = await this.run(...args);
    expect(status, text).toBe(1);
    return unwrapped(text);
  }

  /** Expects a plan without changes. `args` may begin with options that precede the command. */
  async isSettled(...args: string[]): Promise<void> {
    const global = args.filter((arg) => arg.startsWith('-chdir='));
    const own = args.filter((arg) => !global.includes(arg));
    const { status, text } = await this.run(...global, 'plan', '-detailed-exitcode', ...own);
    expect(status, text).toBe(0);
    expect(text).toContain('No changes.');
  }

  /** The state file as text: for searching. */
  stateText(): string {
    return readFileSync(join(this.dir, 'terraform.tfstate'), 'utf8');
  }

  /** The attributes of one object in the state. */
  async attributes(address: string): Promise<Record<string, unknown>> {
    const shown = JSON.parse((await this.run('show', '-json')).stdout);
    const found = resourcesOf(shown.values?.root_module).find((item) => item.address === address);
    if (found === undefined) throw new Error(`${address} is not in the state`);
    return found.values;
  }

  async outputs(): Promise<Record<string, unknown>> {
    const outputs = JSON.parse((await this.run('output', '-json')).stdout) as Record<string, { value: unknown }>;
    return Object.fromEntries(Object.entries(outputs).map(([name, output]) => [name, output.value]));
  }

  /** Ends everything that still runs, for example after a failed test, and removes the folder. */
  remove(): void {
    for (const { pid } of this.running) if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    rmSync(this.dir, { recursive: true, force: true });
  }
}

interface Module {
  resources?: { address: string; values: Record<string, unknown> }[];
  child_modules?: Module[];
}

function resourcesOf(module: Module | undefined): { address: string; values: Record<string, unknown> }[] {
  return [...(module?.resources ?? []), ...(module?.child_modules ?? []).flatMap(resourcesOf)];
}

/** Diagnostics without the line breaks that Terraform puts into them. */
export function unwrapped(text: string): string {
  return text.replace(/\s+/g, ' ');
}
