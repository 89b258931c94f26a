import { EventEmitter } from 'node:events';
import { compileEngine } from '@authz-service/core/access/engine/compile-engine';
import { TenantSearch } from '@authz-service/core/access/search/tenant-search';
import { faultText, type Manifest } from '@authz-service/core/manifest/manifest';
import { readManifest } from '@authz-service/core/manifest/read';
import { ProblemError } from '@authz-service/core/problem';
import type { StoredRecord } from '@authz-service/core/records/registry';
import { ServiceError } from '@authz-service/sdk';
import type { BundleState } from './bundle/bundle-state.js';
import { revisionToken } from './bundle/served.js';
import { type DecisionSource, LocalDecisionPoint, serviceErrorOf } from './local-decision-point.js';
import type { Logger } from './log.js';
import { inOptionNames } from './option-names.js';
import { type EmbeddedOptions, settingsOf } from './options.js';
import { type StatusReport, statusReport } from './status.js';
import { Synchronization } from './synchronization.js';
import { timeSlicing } from './time-slicing.js';
import { readTree } from './tree/read-tree.js';

/** The events of an embedded decision point. */
export interface EmbeddedEvents {
  /** Another revision is served. */
  revision: [revision: string];
  /** The cloud cannot be reached, or sends what is refused; what is served stays. */
  degraded: [error: { code: string; detail: string } | undefined];
  /** The cloud answers again. */
  recovered: [];
}

function withOptionNames<E extends { detail: string }>(error: E | undefined): E | undefined {
  return error && { ...error, detail: inOptionNames(error.detail) };
}

/** A log that throws must not end the sync. */
function logOf({ log = QUIET }: EmbeddedOptions): Logger {
  const line = (write: keyof Logger): Logger['info'] => {
    return (first, text) => {
      try {
        if (typeof first === 'string') log[write](inOptionNames(first));
        else log[write](inFields(first), text && inOptionNames(text));
      } catch {}
    };
  };
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
}

function inFields(fields: object): object {
  const { error } = fields as { error?: unknown };
  return typeof error === 'string' ? { ...fields, error: inOptionNames(error) } : fields;
}

const QUIET: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/**
 * A decision point inside the process: pulls the bundle as an agent does, decides in memory, and goes on without the cloud.
 *
 * ```ts
 * const pdp = await EmbeddedPdp.start({ cloudUrl, apiKey, cacheDir: './bundles' });
 * if (pdp.isAllowed({ subject: { type: 'user', id: 'alice' }, action: { name: 'read' }, resource: { type: 'invoice', id: 'INV-1' } })) …
 * await pdp.stop();
 * ```
 */
export class EmbeddedPdp extends LocalDecisionPoint {
  #sync: Synchronization | undefined;

  private constructor(
    source: DecisionSource,
    readonly events: EventEmitter<EmbeddedEvents>,
  ) {
    super(source);
  }

  /**
   * Starts from the cache if it is valid and young enough, else waits for the cloud. Rejects with `not_ready` where no bundle
   * comes in `readyMs`, and with `invalid_config`. Where the cache alone is there and too old, decisions say `too_old`.
   */
  static async start(options: EmbeddedOptions): Promise<EmbeddedPdp> {
    const events = new EventEmitter<EmbeddedEvents>();
    let served: string | undefined;
    let degraded = false;
    let wake = () => {};
    const settings = settingsOf(options);
    const log = logOf(options);
    // A listener that throws must not end the sync, in the middle of which it is told.
    const told = (event: keyof EmbeddedEvents, emit: () => void) => {
      try {
        emit();
      } catch (error) {
        log.error({ err: error }, `a listener of the event "${event}" threw`);
      }
    };
    const metrics = {
      becameReady: () => {},
      refusedOld: () => {},
      refusedBudgets: () => {},
      syncFailed: () => {},
      serves: () => {
        const revision = sync.state.servedToken;
        const isNew = revision !== undefined && revision !== served;
        served = revision;
        wake();
        if (isNew) told('revision', () => events.emit('revision', revision));
      },
      syncState: (shown: { degraded: boolean }) => {
        wake();
        if (shown.degraded === degraded) return;
        degraded = shown.degraded;
        if (degraded) told('degraded', () => events.emit('degraded', withOptionNames(sync.state.syncing.lastError)));
        else told('recovered', () => events.emit('recovered'));
      },
    };
    const sync: Synchronization = new Synchronization(settings, log, metrics);
    const { state } = sync;
    const pdp = new EmbeddedPdp(
      {
        now: () => state.now(),
        current: () => state.current(),
        run: (work) =>
          state.read(({ engine, search, tenant, revision }) =>
            timeSlicing.run(work({ id: tenant.id, revision, engine, search })),
          ),
        ageWithin: (budget) => {
          const ageMs = state.knownAgeMs;
          state.assertWithin(budget, ageMs);
          return ageMs;
        },
        get revision() {
          return state.served && revisionToken(state.served);
        },
      },
      events,
    );
    pdp.#sync = sync;
    try {
      await sync.start();
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, options.readyMs ?? 30_000);
        wake = () => {
          if (!decides(state)) return;
          clearTimeout(timer);
          resolve();
        };
        wake();
      });
      wake = () => {};
      if (state.served !== undefined) return pdp;
      const { lastError } = state.syncing;
      const why = lastError === undefined ? 'the cloud has not answered' : inOptionNames(lastError.detail);
      throw new ServiceError('not_ready', `There is no bundle to decide by: ${why}`);
    } catch (error) {
      await pdp.stop();
      throw serviceErrorOf(error);
    }
  }

  /**
   * Decides by the records of a folder of YAML files alone, in an environment of it if one is named, for tests: no cloud, no
   * cache, no network. Rejects with `invalid_records`, which lists each fault with its file and line.
   */
  static async fromTree(
    folder: string,
    { now = Date.now, environment }: { now?: () => number; environment?: string } = {},
  ): Promise<EmbeddedPdp> {
    try {
      const { faults, manifest } = readManifest(await readTree(folder, environment));
      if (manifest === undefined) {
        const errors = faults.map((fault) => ({ pointer: '', detail: faultText(fault) }));
        const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
        throw new ProblemError('invalid_records', `${errors[0]?.detail ?? 'There are no records.'}${more}`, errors);
      }
      return new EmbeddedPdp(sourceOf(storedIn(manifest), now), new EventEmitter());
    } catch (error) {
      throw serviceErrorOf(error);
    }
  }

  /** The state of the sync; undefined for a tree. */
  status(): StatusReport | undefined {
    const report = this.#sync && statusReport(this.#sync.state);
    return report && { ...report, last_error: withOptionNames(report.last_error ?? undefined) ?? null };
  }

  /** Ends polls and waits, and leaves the cache in peace. Decisions go on by what was served last. */
  async stop(): Promise<void> {
    const stopped = this.#sync?.stop();
    await stopped?.polls;
    await stopped?.ended();
  }
}

/** Whether decisions can be made of all types: those with a `max_age` need to know how old the records are. */
function decides(state: BundleState): boolean {
  try {
    state.current();
    return state.budgets.all.length === 0 || Number.isFinite(state.knownAgeMs);
  } catch {
    return false;
  }
}

/** The records as a service would store them: addresses stand for the ids that it would give. */
export function storedIn({ records, stack }: Manifest): StoredRecord[] {
  const server = { managed_by: stack, created_at: '', updated_at: '', revision: 0 };
  return records.map((record) => ({ ...record, ...server, id: record.address }) as StoredRecord);
}

/** Records that do not change, as what decisions are made by. */
export function sourceOf(records: readonly StoredRecord[], now: () => number): DecisionSource {
  const engine = compileEngine(records);
  const search = new TenantSearch(engine);
  return {
    now,
    current: () => ({ engine }),
    run: (work) => timeSlicing.run(work({ id: '', revision: '', engine, search })),
    ageWithin: () => undefined,
    revision: undefined,
  };
}
