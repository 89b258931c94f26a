import { BUNDLE_LIMITS } from '@authz-service/core/bundle/limits';
import { Secret } from '@authz-service/core/values/secret';
import { reportText } from '@authz-service/pdp/contract/agent-report';
import { agentId, reportOf } from './bundle/agent-identity.js';
import { Budgets } from './bundle/budgets.js';
import { BundleState } from './bundle/bundle-state.js';
import { CloudSync } from './bundle/cloud-sync.js';
import { Intake, type IntakeParts } from './bundle/intake.js';
import { KnownRevisions } from './bundle/known-revisions.js';
import { Poller } from './bundle/poller.js';
import { Saver } from './bundle/saver.js';
import { StaticSync } from './bundle/static-sync.js';
import { SyncLog } from './bundle/sync-log.js';
import type { PinnedKeys } from './bundle/trust.js';
import { keptKeys, warmStart } from './bundle/warm-start.js';
import { Attempts } from './cache/attempts.js';
import { BundleCache } from './cache/cache.js';
import { KeptMaxAge } from './cache/kept-max-age.js';
import type { Logger } from './log.js';
import { type CloudSource, fetchKeys } from './source/cloud-source.js';
import type { FetchBounds } from './source/fetching.js';
import { fetchKeysFile } from './source/static-source.js';
import type { SyncMetrics } from './sync-metrics.js';

const BOUNDS: FetchBounds = { ...BUNDLE_LIMITS, idleMs: 10_000, totalMs: 60_000 };

/** The source of bundles, and how they are kept. Times are milliseconds. */
export interface SyncOptions {
  cloudUrl: URL;
  /** Absent with files of a web server. */
  apiKey?: Secret | undefined;
  /** The address of published files, in place of cloud and key. */
  bundleUrl?: URL | undefined;
  /** A header for that server, `Name: value`. */
  bundleHeader?: Secret | undefined;
  /** The tenant's id or name; by default the only one in the bundle. */
  tenantId?: string | undefined;
  pollIntervalMs: number;
  /** The age of what is known past which nothing is decided; undefined: none. */
  maxAgeMs?: number | undefined;
  cacheDir: string;
  /** The keys that sign bundles; by default those of the first contact. */
  bundleJwks?: PinnedKeys | undefined;
  allowRollback: boolean;
}

/** Keeps what is served in step with a cloud, or with published files: starts from the cache, then polls. */
export class Synchronization {
  readonly state: BundleState;
  readonly #attempts: Attempts;
  #known: KnownRevisions | undefined;
  readonly #apiKey: Secret;
  #poller: Poller | undefined;

  constructor(
    private readonly options: SyncOptions,
    private readonly log: Logger,
    metrics: SyncMetrics,
  ) {
    const { bundleUrl, cloudUrl, maxAgeMs, pollIntervalMs, cacheDir } = options;
    this.state = new BundleState(metrics, maxAgeMs, new Budgets(pollIntervalMs));
    const source =
      bundleUrl === undefined
        ? ({ kind: 'cloud', url: cloudUrl } as const)
        : ({ kind: 'static', url: bundleUrl } as const);
    this.state.syncing.source = { kind: source.kind, url: source.url.href };
    // A cache is told by the key that fetched it (`apiKeyHash`); of published files, their address stands in for it.
    this.#apiKey = options.apiKey ?? new Secret(bundleUrl?.href ?? '');
    this.#attempts = new Attempts(cacheDir);
  }

  /** Whether the cloud has a revision, if that can be known: files say nothing of revisions to come. */
  async exists(revision: Parameters<KnownRevisions['has']>[0]): Promise<boolean | undefined> {
    return this.#known?.has(revision);
  }

  /** Serves what the cache holds if it is all valid, and only then begins to poll. */
  async start(): Promise<void> {
    const { options, state, log } = this;
    const { bundleUrl, cacheDir, bundleJwks, maxAgeMs, pollIntervalMs } = options;
    const cache = new BundleCache(cacheDir, BOUNDS.unpacked);
    const trust = await keptKeys(bundleJwks, { cache, log });
    state.syncing.trust = trust;
    const keptMaxAge = new KeptMaxAge(cacheDir, log);
    state.formerMaxAgeMs = await keptMaxAge.begin(maxAgeMs);
    await warmStart({ ...options, apiKey: this.#apiKey }, { cache, state, log });
    const syncLog = new SyncLog(state, log);
    syncLog.logBudgets();
    const saver = new Saver(cache, this.#apiKey, trust, log);
    const parts = { state, cache, saver, attempts: this.#attempts, log };
    const sync = bundleUrl === undefined ? await this.#cloudSync(parts) : this.#staticSync(bundleUrl, parts);
    const poll = async (waitSeconds: number, stop: AbortSignal) => {
      if (state.answered) await keptMaxAge.keep(maxAgeMs);
      return await sync.poll(waitSeconds, stop);
    };
    this.#poller = new Poller({ pollIntervalMs, isStatic: bundleUrl !== undefined, poll }, state, syncLog);
    this.#poller.start();
  }

  /** Ends waits and polls; `ended` resolves once the cache is left in peace. */
  stop(): { polls: Promise<void>; ended: () => Promise<void> } {
    this.state.stop();
    return { polls: this.#poller?.stop() ?? Promise.resolve(), ended: () => this.#attempts.end() };
  }

  get #cloud(): CloudSource {
    return { cloudUrl: this.options.cloudUrl, apiKey: this.#apiKey };
  }

  async #cloudSync(parts: IntakeParts): Promise<CloudSync> {
    const { options } = this;
    const id = await agentId(options.cacheDir, parts.log);
    const report = () => reportText(reportOf(id, parts.state, options.tenantId));
    const source = { ...this.#cloud, report };
    this.#known = new KnownRevisions(source, parts.state);
    const keys = (stop: AbortSignal) => fetchKeys(options.cloudUrl, BOUNDS, stop);
    const intake = new Intake({ ...options, bounds: BOUNDS, fetchKeys: keys }, parts);
    return new CloudSync(source, intake, parts);
  }

  #staticSync(bundleUrl: URL, parts: IntakeParts): StaticSync {
    const { tenantId = '', bundleHeader } = this.options;
    const source = { tenantId, bundleUrl, ...(bundleHeader && { bundleHeader }) };
    const keys = (stop: AbortSignal) => fetchKeysFile(source, { bounds: BOUNDS, stop });
    return new StaticSync(source, new Intake({ ...this.options, bounds: BOUNDS, fetchKeys: keys }, parts), parts);
  }
}
