import type { Provenance } from '@authz-service/core/origin/provenance';
import type { Plan } from '@authz-service/core/plan/plan';
import { ProblemError } from '@authz-service/core/problem';
import type { SyncStatus } from '@authz-service/core/sync/sync-status';
import type { ServiceClient } from '@authz-service/sdk/client';
import { counted } from '../output/text.js';
import type { StackConfig } from './config/sync-config.js';
import { type Clone, Held, Unreachable } from './git/clone.js';
import type { Lease } from './lease.js';
import { type StackCommands, Stale } from './stack-commands.js';

/** How often a tenant may change during a turn before the turn is given up. */
const PLANS_MAX = 5;
/** The time after which a refused commit is tried again, though neither it nor the tenant has changed. */
const AGAIN_MS = 10 * 60_000;
const REASON_LENGTH_MAX = 4000;
const REMOVALS_SHOWN = 5;

interface StackSyncOptions {
  config: StackConfig;
  clone: Clone;
  commands: StackCommands;
  lease: Lease;
  client: ServiceClient;
  /** Returns who stands behind a commit. */
  provenance(commit: string, signal: AbortSignal): Promise<Provenance>;
  /** Called with each report that differs from the one before. */
  onReport(status: SyncStatus, previous: SyncStatus | undefined): Promise<void>;
  now(): number;
}

/** Another controller has taken the lease. */
export class LeaseLost extends Error {}

/** Brings the tenant to the newest commit of one stack, as long as this controller holds its lease. */
export class StackSync {
  readonly #options: StackSyncOptions;
  #status: SyncStatus | undefined;
  /** The status that others know. */
  #reported: SyncStatus | undefined;
  /** The tenant's revision when the commit was last judged, and when that was. */
  #judged: { revision: string; at: number } | undefined;

  constructor(options: StackSyncOptions) {
    this.#options = options;
  }

  get status(): SyncStatus | undefined {
    return this.#status;
  }

  /** Goes on from the report of the holder before. */
  begin(status: SyncStatus | undefined): void {
    const { repository, branch, tags } = this.#options.config;
    const isSame = status?.repository === shownRepository(repository) && status.ref === (branch ?? tags);
    this.#status = isSame ? status : undefined;
    this.#reported = this.#status;
    this.#judged = undefined;
  }

  /** Fetches, and does what there is to do. Returns whether it could. Throws `LeaseLost`, and what the signal says. */
  async turn(signal: AbortSignal): Promise<boolean> {
    let observed = this.#status?.observed;
    let isSeen = false;
    try {
      observed = await this.#options.clone.newest(signal);
      isSeen = true;
      const isNew = observed !== this.#status?.observed;
      const { revision } = await this.#options.client.agents({ signal });
      if (isNew || this.#isDue(revision)) await this.#bringTo(observed, revision, signal);
      await this.#report({ ...this.#base(), observed, ...(await this.#readiness(signal)) }, signal);
      return true;
    } catch (error) {
      if (signal.aborted || error instanceof LeaseLost) throw error;
      // Once Git answers again, the commit is looked at anew.
      if (!isSeen) this.#judged = undefined;
      const isHeld = error instanceof Held;
      // A status that stays would say that the stack is ready.
      const reason = textOf(error).slice(0, REASON_LENGTH_MAX);
      const state = isHeld ? ('held' as const) : ('failing' as const);
      await this.#report({ ...this.#base(), observed, state, ready: false, reason }, signal).catch((reported) => {
        if (isHeld || reported instanceof LeaseLost) throw reported;
      });
      return isHeld;
    }
  }

  /** Whether the same commit is to be judged again. */
  #isDue(revision: string): boolean {
    if (this.#judged === undefined || this.#status?.state === 'failing') return true;
    return numbered(revision) !== numbered(this.#judged.revision) || this.#options.now() - this.#judged.at > AGAIN_MS;
  }

  /** `revision` is that of the tenant just before. */
  async #bringTo(commit: string, revision: string, signal: AbortSignal): Promise<void> {
    const { config, clone, commands, provenance, now } = this.#options;
    const { applied } = this.#status ?? {};
    this.#judged = { revision, at: now() };
    if (commit !== this.#status?.observed)
      await this.#report({ ...this.#base(), observed: commit, state: 'progressing', ready: false }, signal);
    if (applied !== undefined && config.rewrites === 'hold' && !(await clone.isAncestor(applied, commit, signal)))
      throw new Held(
        `The history was rewritten: the applied commit ${short(applied)} is not below ${short(commit)}. Look at what was taken back; "rewrites: follow" applies it all the same.`,
      );
    if (config.signers !== undefined) await clone.verify(commit, config.signers, signal);
    await clone.checkOut(commit, signal);
    if (config.tests) await commands.test();
    for (let plans = 1; ; plans++) {
      const plan = await commands.plan();
      if (plan.changes.length === 0) return this.#isAt(commit, plan.base_revision);
      if (commit === applied && config.drift === 'report') {
        this.#isAt(commit, plan.base_revision);
        return await this.#report({ ...this.#base(), state: 'drifted', ready: false, reason: driftOf(plan) }, signal);
      }
      assertRemovals(plan, config);
      // After the plan: who has taken the lease since makes the plan stale, and who takes it now comes too late for it.
      if ((await this.#options.lease.renew(this.#status, signal)) === undefined) throw new LeaseLost();
      try {
        return this.#isAt(commit, await commands.apply(await provenance(commit, signal)));
      } catch (error) {
        if (!(error instanceof Stale)) throw error;
        if (plans === PLANS_MAX) throw new Unreachable(`The tenant changed during each of ${PLANS_MAX} plans.`);
      }
    }
  }

  #isAt(commit: string, revision: string): void {
    const { reason: _, ...base } = this.#base();
    this.#status = { ...base, state: 'synced', observed: commit, applied: commit, revision };
    this.#judged = { revision, at: this.#options.now() };
  }

  /** Whether every live agent enforces what is applied. */
  async #readiness(signal: AbortSignal): Promise<Partial<SyncStatus>> {
    const { state, revision } = this.#status ?? {};
    if (state !== 'synced' || revision === undefined) return { ready: false };
    const { pollMs } = this.#options.config;
    const list = await this.#options.client.enforced(revision, { timeoutMs: Math.min(pollMs, 10_000), signal });
    if (list.enforced) return { ready: true };
    const behind = list.total - list.enforcing - list.expired;
    const who =
      behind > 0
        ? `${behind} of ${counted(list.total, 'agent')} may decide by an earlier revision`
        : 'agents may be unlisted';
    return { ready: false, reason: `Applied; ${who}.` };
  }

  #base(): SyncStatus {
    const { repository, branch, tags, path, environment } = this.#options.config;
    return {
      state: 'progressing',
      ready: false,
      ...this.#status,
      repository: shownRepository(repository),
      ref: branch ?? tags ?? '',
      ...(path !== '.' && { path }),
      ...(environment !== undefined && { environment }),
      since: this.#status?.since ?? new Date(this.#options.now()).toISOString(),
    };
  }

  /** Keeps a report, and tells others if it says something new. Throws `LeaseLost`. */
  async #report(next: SyncStatus, signal: AbortSignal): Promise<void> {
    const previous = this.#reported;
    const status: SyncStatus = {
      ...withoutReason(next),
      ...(next.reason !== undefined && next.state !== 'progressing' && !next.ready && { reason: next.reason }),
      since: previous?.state === next.state ? previous.since : new Date(this.#options.now()).toISOString(),
    };
    this.#status = status;
    if (JSON.stringify(previous) === JSON.stringify(status)) return;
    this.#reported = status;
    await this.#options.onReport(status, previous);
    if ((await this.#options.lease.renew(status, signal)) === undefined) throw new LeaseLost();
  }
}

/** The text of what was thrown; of an unexpected error, that too, since only operators read it. */
export function textOf(error: unknown): string {
  if (error instanceof ProblemError) return error.detail;
  return error instanceof Error ? error.message : String(error);
}

/** A URL without a user; a folder of this machine as its name alone. */
export function shownRepository(repository: string): string {
  return repository.replace(/^([a-z+]+:\/\/)[^/@]*@/i, '$1');
}

function withoutReason({ reason: _, ...rest }: SyncStatus): SyncStatus {
  return rest;
}

/** A revision without its epoch. */
function numbered(revision: string): string {
  return revision.split('.').slice(0, 2).join('.');
}

function short(commit: string): string {
  return commit.slice(0, 12);
}

function assertRemovals(plan: Plan, { removals }: StackConfig): void {
  const removed = plan.changes.filter(({ action }) => action === 'delete').map(({ address }) => address);
  if (removed.length <= removals) return;
  const more = removed.length > REMOVALS_SHOWN ? ` and ${removed.length - REMOVALS_SHOWN} more` : '';
  throw new Held(
    `The commit removes ${counted(removed.length, 'record')} (${removed.slice(0, REMOVALS_SHOWN).join(', ')}${more}), and "removals" allows ${removals}.`,
  );
}

function driftOf({ counts, changes }: Plan): string {
  const { added, changed, removed } = counts;
  const first = changes.slice(0, REMOVALS_SHOWN).map(({ address }) => address);
  return `Others have changed records of the stack: ${added} to add, ${changed} to change, ${removed} to remove (${first.join(', ')}). "drift: revert" would take that back.`;
}
