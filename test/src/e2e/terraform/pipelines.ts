import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const exec = promisify(execFile);

export type Host = 'github' | 'gitlab';
export type Notation = 'yaml' | 'hcl' | 'cdktf';
export type Job = 'plan' | 'apply';
type Variables = Record<string, string>;

interface Pipeline {
  /** Those that may fail, before the others: they say more about the run in its environment. */
  notes: string[];
  commands: string[];
  /** Those that run whether or not the others succeed. */
  always: string[];
  env: Variables;
}

function fileOf(host: Host, notation: Notation) {
  return parse(readFileSync(join(root, 'examples/ci', host, `${notation}.yml`), 'utf8'));
}

/** The environment of the host that a job runs in, if it does. */
export function environmentOf(host: Host, notation: Notation, job: Job): string | undefined {
  const file = fileOf(host, notation);
  return (host === 'github' ? file.jobs : file)[job].environment;
}

/** The commands of a job, as the file has them, and its variables that are no expressions of the host. */
export function pipelineOf(host: Host, notation: Notation, job: Job): Pipeline {
  const file = fileOf(host, notation);
  const steps: { run?: string; if?: string; 'continue-on-error'?: boolean }[] =
    host === 'github'
      ? file.jobs[job].steps
      : [
          ...file[job].script.map((run: string) => ({ run })),
          ...(file[job].after_script ?? []).map((run: string) => ({ run, if: 'always' })),
        ];
  const runs = steps.flatMap((step) =>
    step.run === undefined
      ? []
      : [{ run: step.run, always: step.if !== undefined, isNote: !!step['continue-on-error'] }],
  );
  const notes = runs.filter(({ isNote }) => isNote).map(({ run }) => run);
  const of = (always: boolean) => runs.filter((one) => one.always === always && !one.isNote).map(({ run }) => run);
  const variables: Variables = (host === 'github' ? file.env : file.variables) ?? {};
  const env = Object.entries(variables).filter(([, value]) => !value.includes('${{'));
  return { notes, commands: of(false), always: of(true), env: Object.fromEntries(env) };
}

/** Runs commands as a shell of a host does, until one fails; gives it with its output. */
async function failureIn(
  commands: readonly string[],
  options: { cwd: string; env: Variables },
): Promise<string | undefined> {
  for (const command of commands) {
    try {
      await exec('bash', ['-e', '-c', command], { ...options, timeout: 60_000 });
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      return `${command}\n${stdout}${stderr}`;
    }
  }
  return undefined;
}

/** A repository with a bare origin, and the machines of a host, a new one for each job. */
export class Pipelines {
  private jobs = 0;

  private constructor(
    private readonly folder: string,
    /** The credentials of jobs on main, and of those on branches. */
    private readonly secrets: { [J in Job]: Variables },
  ) {}

  static async make(apply: Variables, plan: Variables): Promise<Pipelines> {
    const pipelines = new Pipelines(mkdtempSync(join(tmpdir(), 'pipelines-')), { apply, plan });
    await pipelines.git('.', 'init', '--quiet', '--bare', '--initial-branch=main', 'origin');
    await pipelines.git('.', 'clone', '--quiet', 'origin', 'desk');
    mkdirSync(pipelines.path('bin'));
    // Packages are there already; comments on the pull request are kept in files by their numbers, instead of sent.
    pipelines.program('npm', '[ "$*" = ci ]');
    mkdirSync(pipelines.path('comments'));
    pipelines.program(
      'gh',
      `cd "${pipelines.path('comments')}" || exit 1
      case "$*" in
        "pr comment 7 --body-file comment.md") cp "$OLDPWD/comment.md" "$(ls | wc -l)" ;;
        "api --paginate repos/acme/tenant/issues/7/comments --jq "*startswith*) grep -l '^<!-- plan of the tenant -->' * ;;
        "api --silent --method PATCH repos/acme/tenant/issues/comments/"*" --field body=@comment.md")
          cp "$OLDPWD/comment.md" "$(basename "$5")" ;;
        "api repos/acme/tenant/commits/c0ffee1/pulls --jq "*) echo 7 ;;
        "api --paginate repos/acme/tenant/pulls/7/reviews --jq "*APPROVED*) printf 'eve\\nbob\\neve\\n' ;;
        *) exit 1 ;;
      esac`,
    );
    writeFileSync(join(pipelines.path('comments'), '0'), "Somebody's own words.\n");
    return pipelines;
  }

  /** Changes a new branch (or an empty main) and pushes it. */
  async commit(branch: string, change: (dir: string) => void): Promise<void> {
    const desk = this.path('desk');
    await this.git(
      'desk',
      'checkout',
      '--quiet',
      branch === 'main' ? '--orphan' : '-b',
      branch,
      ...(branch === 'main' ? [] : ['main']),
    );
    change(desk);
    await this.git('desk', 'add', '--all');
    await this.git('desk', 'commit', '--quiet', '--message', branch);
    await this.git('desk', 'push', '--quiet', 'origin', branch);
  }

  async merge(branch: string): Promise<void> {
    await this.git('desk', 'checkout', '--quiet', 'main');
    await this.git('desk', 'merge', '--quiet', branch);
    await this.git('desk', 'push', '--quiet', 'origin', 'main');
  }

  /**
   * Runs a job on a fresh checkout; gives the Markdown of its plan. Throws with all output where a command fails, once those
   * that run always have run.
   */
  async run(host: Host, notation: Notation, job: Job, branch: string, more: Variables = {}): Promise<{ plan: string }> {
    const { notes, commands, always, env: variables } = pipelineOf(host, notation, job);
    this.jobs += 1;
    const name = `job-${this.jobs}`;
    await this.git('.', 'clone', '--quiet', '--branch', branch, 'origin', name);
    const dir = this.path(name);
    symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'));
    const home = this.path(`${name}-home`);
    mkdirSync(home);
    writeFileSync(join(home, 'terraform.tfrc'), '');
    const env: Variables = {
      ...this.secrets[job],
      ...variables,
      PATH: `${this.path('bin')}:${process.env.PATH}`,
      HOME: home,
      TF_CLI_CONFIG_FILE: join(home, 'terraform.tfrc'),
      // The backend that all runs share.
      TF_CLI_ARGS_init: `-backend-config=path=${this.path('terraform.tfstate')}`,
      GITHUB_STEP_SUMMARY: this.path('summary.md'),
      PULL_REQUEST: '7',
      GITHUB_REPOSITORY: 'acme/tenant',
      GITHUB_SERVER_URL: 'https://github.example',
      GITHUB_RUN_ID: '12',
      GITHUB_SHA: 'c0ffee1',
      GITHUB_ENV: this.path(`${name}-env`),
      ...(host === 'github' && { GITHUB_ACTIONS: 'true' }),
      CI_JOB_URL: 'https://gitlab.example/acme/tenant/-/jobs/12',
      ...more,
    };
    await failureIn(notes, { cwd: dir, env });
    const noted = existsSync(this.path(`${name}-env`)) ? readFileSync(this.path(`${name}-env`), 'utf8') : '';
    for (const [, key = '', value = ''] of noted.matchAll(/^(\w+)=(.*)$/gm)) env[key] = value;
    const failures: string[] = [];
    for (const group of [commands, ...always.map((command) => [command])]) {
      const failure = await failureIn(group, { cwd: dir, env });
      if (failure !== undefined) failures.push(failure);
    }
    if (failures.length > 0) throw new Error(failures.join('\n'));
    const plan = join(dir, 'plan.md');
    return { plan: existsSync(plan) ? readFileSync(plan, 'utf8') : '' };
  }

  /** All comments on the pull request, in the order in which they were made. */
  comments(): string[] {
    return readdirSync(this.path('comments'))
      .sort()
      .map((name) => readFileSync(join(this.path('comments'), name), 'utf8'));
  }

  summary(): string {
    return readFileSync(this.path('summary.md'), 'utf8');
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private path(name: string): string {
    return join(this.folder, name);
  }

  private program(name: string, script: string): void {
    const file = join(this.path('bin'), name);
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
  }

  private async git(cwd: string, ...args: string[]): Promise<void> {
    const who = ['-c', 'user.name=Tester', '-c', 'user.email=tester@example.com'];
    await exec('git', [...who, ...args], {
      cwd: this.path(cwd),
      env: { PATH: process.env.PATH ?? '', HOME: this.folder },
    });
  }
}
