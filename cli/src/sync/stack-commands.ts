import { rm, stat } from 'node:fs/promises';
import type { Provenance } from '@authz-service/core/origin/provenance';
import type { Plan } from '@authz-service/core/plan/plan';
import type { Failure } from '../errors/failure.js';
import { counted } from '../output/text.js';
import type { StackConfig } from './config/sync-config.js';
import { Held, Unreachable } from './git/clone.js';
import { type CommandRun, failureOfRun, type RunCommand } from './run-command.js';

const FAULTS_SHOWN = 5;

/** Failures of the service or the way to it: the same may succeed later, with nothing changed. */
const PASSING: ReadonlySet<string> = new Set<Failure['code']>([
  'internal',
  'invalid_client',
  'network',
  'not_ready',
  'storage_failed',
  'timeout',
  'too_many_requests',
  'unauthorized',
]);

/** The part of what `servicectl test --json` prints that tells what went wrong. */
interface TestReport {
  failed?: number;
  faults?: Failure['errors'];
  results?: readonly { test: string; question: string; passed: boolean }[];
}

/** A plan that was made for a revision that the tenant has left. */
export class Stale extends Error {}

/** The commands of a pipeline, for one stack and its checkout. Each throws `Held` or `Unreachable` where it does not succeed. */
export class StackCommands {
  constructor(
    private readonly config: StackConfig,
    private readonly run: RunCommand,
    private readonly cwd: string,
    private readonly planFile: string,
  ) {}

  /** Runs the tests beside the records, if there are any. */
  async test(): Promise<void> {
    const run = await this.#run(['test', this.config.path, ...this.#environment, '--json']);
    const failure = failureOfRun(run);
    // The only wrong usage that is left is a tree without tests.
    if (failure?.code === 'usage') return;
    const { failed = 0, faults = [], results = [] } = run.json as TestReport;
    if (failure !== undefined) throw problemOf({ ...failure, errors: [...failure.errors, ...faults] });
    if (run.exitCode === 0) return;
    const [first] = results.filter(({ passed }) => !passed);
    throw new Held(
      `${counted(failed, 'test')} beside the records failed, the first of them "${first?.test}" (${first?.question}). "servicectl test" says why.`,
    );
  }

  /** Saves the plan, and returns it. */
  async plan(): Promise<Plan> {
    await rm(this.planFile, { force: true });
    const run = await this.#run(['plan', this.config.path, ...this.#environment, '--json', '--out', this.planFile]);
    const failure = failureOfRun(run);
    if (failure !== undefined) throw problemOf(failure);
    const plan = run.json as Plan;
    if (plan.stack !== this.config.name)
      throw new Held(
        `The tree is of the stack "${plan.stack}", and not "${this.config.name}": give both the same name.`,
      );
    const isSaved = (await stat(this.planFile).catch(() => undefined)) !== undefined;
    if (!isSaved) throw new Held(gatesOf(plan) || lastLine(run));
    return plan;
  }

  /** The plan as a comment for a pull request, and whether everything holds that it asks for. */
  async comment(): Promise<{ markdown: string; holds: boolean }> {
    const run = await this.#run(['plan', this.config.path, ...this.#environment, '--markdown']);
    if (run.stdout.trim() === '') throw new Unreachable(lastLine(run));
    return { markdown: run.stdout, holds: run.exitCode === 0 };
  }

  /** Applies the saved plan, and returns the revision. Throws `Stale` as well. */
  async apply(provenance: Provenance): Promise<string> {
    const prune = this.config.removals > 0 ? ['--prune'] : [];
    const run = await this.#run(['apply', this.planFile, '--yes', ...prune, '--json'], {
      SERVICE_PROVENANCE: JSON.stringify(provenance),
    });
    const failure = failureOfRun(run);
    if (failure === undefined) return (run.json as { revision: string }).revision;
    if (failure.code === 'stale_base') throw new Stale(failure.detail);
    throw problemOf(failure);
  }

  get #environment(): string[] {
    const { environment } = this.config;
    return environment === undefined ? [] : ['--environment', environment];
  }

  #run(args: readonly string[], env: Record<string, string> = {}): Promise<CommandRun> {
    return this.run(args, { cwd: this.cwd, env });
  }
}

function problemOf({ code, detail, errors }: Pick<Failure, 'code' | 'detail' | 'errors'>): Error {
  const shown = errors.slice(0, FAULTS_SHOWN).map(({ file, line, column, detail: text }) => {
    const place = [file, line, column].filter((part) => part !== undefined).join(':');
    return place === '' ? text : `${place}: ${text}`;
  });
  const more = errors.length > FAULTS_SHOWN ? [`And ${errors.length - FAULTS_SHOWN} more.`] : [];
  const text = [detail, ...shown.filter((one) => one !== detail), ...more].join('\n');
  return PASSING.has(code) ? new Unreachable(text) : new Held(text);
}

function gatesOf({ access }: Plan): string {
  if (access === undefined || 'unavailable' in access) return access?.unavailable ?? '';
  const failed = (access.gates ?? []).filter(({ passed }) => !passed);
  return failed.map(({ gate, detail }) => `The gate ${gate} does not hold. ${detail}`).join('\n');
}

function lastLine({ stderr, exitCode }: CommandRun): string {
  return stderr.trim().split('\n').at(-1) || `The command ended with exit code ${exitCode}.`;
}
