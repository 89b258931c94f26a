import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pullRequestIn } from '@authz-service/core/origin/pipeline-provenance';
import type { Provenance } from '@authz-service/core/origin/provenance';
import { ProblemError } from '@authz-service/core/problem';
import type { SyncStatus } from '@authz-service/core/sync/sync-status';
import type { ServiceClient } from '@authz-service/sdk/client';
import type { Logger } from 'pino';
import type { senderOf } from '../config/connect.js';
import type { StackConfig } from './config/sync-config.js';
import type { CommitState, Forge } from './forges/forge.js';
import { forgeOf, gitTokens } from './forges/forge-of.js';
import { Clone } from './git/clone.js';
import { gitEnvironment } from './git/git-access.js';
import { Lease, listLeases, type ShownLease } from './lease.js';
import { PullRequests } from './pull-requests.js';
import type { RunCommand } from './run-command.js';
import { StackCommands } from './stack-commands.js';
import { LeaseLost, StackSync, textOf } from './stack-sync.js';
import type { SyncMetrics } from './sync-metrics.js';

/** A third of the time that a lease lasts. */
const HEARTBEAT_MS = 5_000;
const BACKOFF_MS_MAX = 5 * 60_000;
/** How soon the agents are asked about again, where some do not enforce what is applied. */
const ENFORCING_MS = 5000;
/** The time that giving back a lease may take at the end. */
const RELEASE_MS = 5000;

interface ControllerOptions {
  config: StackConfig;
  holder: string;
  dataDir: string;
  run: RunCommand;
  client: ServiceClient;
  sender: Awaited<ReturnType<typeof senderOf>>;
  metrics: SyncMetrics;
  log: Logger;
}

/** Follows one stack: waits for its turn, for the poll or for a webhook, and for the lease. */
export class Controller {
  readonly #options: ControllerOptions;
  readonly #lease: Lease;
  readonly #sync: StackSync;
  readonly #pulls: PullRequests | undefined;
  readonly #forge: Forge | undefined;
  /** Set by a trigger, until each of the two loops has looked. */
  readonly #told = { stack: false, pulls: false };
  readonly #wake = new Set<() => void>();
  #followed: ShownLease | undefined;

  constructor(options: ControllerOptions) {
    this.#options = options;
    const { config, holder, dataDir, run, client, sender, log } = options;
    const tokens = gitTokens(config);
    const environment = () => gitEnvironment(config.access, tokens);
    const folder = (name: string) => join(dataDir, encodeURIComponent(config.name), name);
    const commandsIn = (name: string) => new StackCommands(config, run, folder(name), folder(`${name}.plan.json`));
    const clone = new Clone(config, folder('tree'), environment);
    this.#lease = new Lease(sender, config.name, holder);
    this.#forge = forgeOf(config, tokens);
    const now = Date.now;
    this.#sync = new StackSync({
      ...{ config, clone, commands: commandsIn('tree'), lease: this.#lease, client, now },
      provenance: (commit, signal) => this.#provenance(clone, commit, signal),
      onReport: (status, previous) => this.#onReport(status, previous),
    });
    if (this.#forge !== undefined && config.reports?.pull_requests && config.branch !== undefined)
      this.#pulls = new PullRequests({
        ...{ stack: config.name, branch: config.branch, forge: this.#forge, log, now },
        clone: new Clone(config, folder('pull-request'), environment),
        commands: commandsIn('pull-request'),
      });
  }

  get config(): StackConfig {
    return this.#options.config;
  }

  get isLeader(): boolean {
    return this.#lease.isHeld;
  }

  /** The last report: this controller's, or that of the one that holds the lease. */
  get status(): SyncStatus | undefined {
    return this.isLeader ? this.#sync.status : this.#followed?.status;
  }

  /** Looks at the repository at once. */
  trigger(): void {
    this.#told.stack = true;
    this.#told.pulls = true;
    for (const wake of this.#wake) wake();
  }

  /** Goes on until the signal aborts; a command that runs by then is waited for. */
  async follow(signal: AbortSignal): Promise<void> {
    const { config, metrics, log } = this.#options;
    const others = [this.#beat(signal), this.#review(signal)];
    for (let failures = 0; !signal.aborted; ) {
      if (this.isLeader) {
        const outcome = await this.#turn(signal);
        metrics.turned(config.name, outcome);
        failures = outcome === 'done' ? 0 : failures + 1;
      }
      const isEnforcing = this.#sync.status?.state === 'synced' && !this.#sync.status.ready;
      const poll = isEnforcing ? Math.min(config.pollMs, ENFORCING_MS) : config.pollMs;
      const delay = failures === 0 ? poll : Math.min(BACKOFF_MS_MAX, 1000 * 2 ** Math.min(failures, 10));
      await this.#pause('stack', delay, signal);
    }
    await Promise.all(others);
    await this.#lease.release(this.#sync.status, AbortSignal.timeout(RELEASE_MS)).catch((error: unknown) => {
      log.warn({ stack: config.name, error: textOf(error) }, 'the lease could not be given back');
    });
  }

  async #turn(signal: AbortSignal): Promise<'done' | 'failed' | 'crashed'> {
    const { config, log } = this.#options;
    this.#told.stack = false;
    try {
      return (await this.#sync.turn(signal)) ? 'done' : 'failed';
    } catch (error) {
      if (signal.aborted) return 'done';
      if (error instanceof LeaseLost) {
        log.warn({ stack: config.name }, 'another controller has taken the lease');
        return 'done';
      }
      log.error({ stack: config.name, error: textOf(error) }, 'the stack could not be looked at');
      return error instanceof ProblemError ? 'failed' : 'crashed';
    }
  }

  /** Plans the pull requests beside the stack, which must not wait for them: anybody may open one, with a tree that takes long. */
  async #review(signal: AbortSignal): Promise<void> {
    const { config, log } = this.#options;
    while (this.#pulls !== undefined && !signal.aborted) {
      const isTold = this.#told.pulls;
      this.#told.pulls = false;
      try {
        if (this.isLeader) await this.#pulls.look(isTold, signal);
      } catch (error) {
        if (!signal.aborted)
          log.error({ stack: config.name, error: textOf(error) }, 'the pull requests could not be looked at');
      }
      await this.#pause('pulls', config.pollMs, signal);
    }
  }

  /** Who stands behind a commit, as its forge says; else as Git does. */
  async #provenance(clone: Clone, commit: string, signal: AbortSignal): Promise<Provenance> {
    try {
      const known = await this.#forge?.provenance(commit, signal);
      if (known !== undefined) return known;
    } catch (error) {
      if (signal.aborted) throw error;
      this.#options.metrics.reportFailed(this.config.name);
      this.#options.log.warn({ stack: this.config.name, error: textOf(error) }, 'who approved the commit is not known');
    }
    const { author, message } = await clone.description(commit, signal);
    const pull = pullRequestIn(message);
    return { author, ...(pull !== undefined && { pull_request: pull }) };
  }

  /** Keeps the lease, or waits for it. */
  async #beat(signal: AbortSignal): Promise<void> {
    const { config, metrics, log, holder } = this.#options;
    while (!signal.aborted) {
      const wasLeader = this.isLeader;
      try {
        const lease = await this.#lease.claim(undefined, signal);
        if (lease === undefined) this.#followed = await this.#others(signal);
        else if (!wasLeader) {
          log.info({ stack: config.name, holder, term: lease.term }, 'this controller has the lease');
          this.#sync.begin(lease.status);
          this.trigger();
        }
      } catch (error) {
        if (signal.aborted) break;
        log.warn({ stack: config.name, error: textOf(error) }, 'the lease could not be claimed');
      }
      metrics.leads(config.name, this.isLeader);
      const status = this.status;
      if (status !== undefined) metrics.show(config.name, status);
      await pause(HEARTBEAT_MS, signal);
    }
  }

  async #others(signal: AbortSignal): Promise<ShownLease | undefined> {
    const leases = await listLeases(this.#options.sender, signal);
    return leases.find(({ stack }) => stack === this.config.name);
  }

  async #onReport(status: SyncStatus, previous: SyncStatus | undefined): Promise<void> {
    const { config, log, metrics } = this.#options;
    const { state, ready, reason, observed, applied, revision } = status;
    metrics.show(config.name, status);
    const level = state === 'held' || state === 'failing' || state === 'drifted' ? 'warn' : 'info';
    log[level]({ stack: config.name, state, ready, observed, applied, revision, reason }, 'stack');
    const shown = commitStateOf(status);
    if (this.#forge === undefined || observed === undefined || shown === undefined) return;
    if (previous?.observed === observed && commitStateOf(previous)?.description === shown.description) return;
    try {
      await this.#forge.setStatus(
        { commit: observed, context: `authz/${config.name}`, ...shown },
        AbortSignal.timeout(20_000),
      );
    } catch (error) {
      metrics.reportFailed(config.name);
      log.warn({ stack: config.name, error: textOf(error) }, 'the state of the commit could not be shown');
    }
  }

  /** Waits for the next poll, or a trigger. */
  async #pause(loop: 'stack' | 'pulls', ms: number, signal: AbortSignal): Promise<void> {
    if (this.#told[loop] && this.isLeader) return;
    const woken = new AbortController();
    const wake = () => woken.abort();
    this.#wake.add(wake);
    await pause(ms, AbortSignal.any([signal, woken.signal]));
    this.#wake.delete(wake);
  }
}

/** The state of a commit as its forge shows it; undefined where it says nothing about the commit. */
function commitStateOf({
  state,
  ready,
  reason,
  revision,
}: SyncStatus): { state: CommitState; description: string } | undefined {
  if (state === 'held') return { state: 'failure', description: reason ?? 'Not applied.' };
  if (state === 'progressing') return { state: 'pending', description: 'Being applied.' };
  if (state !== 'synced') return undefined;
  if (ready) return { state: 'success', description: `Revision ${revision}, enforced by every agent.` };
  return { state: 'pending', description: reason ?? `Revision ${revision}; waiting for the agents.` };
}

/** Waits; ends early when the signal aborts. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => {});
}
