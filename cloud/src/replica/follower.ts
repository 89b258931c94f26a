import { ProblemError } from '@authz-service/core/problem';
import { EVERY_TENANT } from '../bundles/watch.js';
import type { Cloud } from '../cloud.js';
import { forgetTenant } from '../commands/delete-tenant.js';
import { followTenant } from '../commands/follow-tenant.js';
import { Turns } from '../concurrency/turns.js';
import { RETRY_AFTER_SECONDS } from '../store/storage-fault.js';
import { type CommitNotice, NoTenantError, type Store, type StorePosition, type TenantEvent } from '../store/store.js';
import type { EventPoint } from '../store/tenant-events.js';
import type { ReplicaState } from '../telemetry/replica-state.js';
import type { Tenant } from '../tenants/tenant.js';
import { findLoss, lossText } from './database-loss.js';

/** From the beginning of one look to that of the next; both together stay below half a second. */
const INTERVAL_MS = 400;

/** Many commits at once cause one look. */
const GAP_MS = 5;

/**
 * The most tenants that are read anew at a time, beside those that are read for who asks: a database that was set back
 * concerns all.
 */
const READ_AT_ONCE = 2;

/** After so long without a look, others may have revoked what this process still accepts. */
export const SILENT_MS = 5000;

const LATER = { retryAfterSeconds: RETRY_AFTER_SECONDS };

/** One moment, by the wall clock and by the one that is never set: a set clock must not make anything young. */
interface Moment {
  wall: number;
  clock: number;
}

type Followed = Pick<
  Cloud,
  | 'store'
  | 'tenants'
  | 'credentials'
  | 'tokens'
  | 'bundleKeys'
  | 'history'
  | 'analyzer'
  | 'metrics'
  | 'log'
  | 'revocationLog'
>;

/**
 * Keeps the memory up to date with what other processes commit to the same database: by looking there again and again, and
 * soon after the database tells of a commit. Credentials come first, those of all tenants.
 */
export class Follower {
  #looking: Promise<void> | undefined;
  /** A hint that came while looking may tell of a commit that the look does not see any more. */
  #hinted = false;
  #timer: NodeJS.Timeout | undefined;
  /** When the timer looks, by the clock. */
  #dueAt = 0;
  #endListening: (() => Promise<void>) | undefined;
  readonly #reading = new Turns(READ_AT_ONCE);
  /** The tenants that follow right now. */
  readonly #behind = new Map<string, Promise<void>>();
  /** The revisions of those that were announced meanwhile. */
  readonly #announced = new Map<string, number>();
  /** The tenants that could not follow when they last tried. */
  readonly #failing = new Set<string>();
  /** The results of the last look: the revision of each tenant, and the digest of its rows. */
  readonly #found = new Map<string, { revision: number; rowDigest: string }>();
  /** The tenants whose past is not what it was: their database lost commits, and may have got others since. */
  readonly #diverged = new Set<string>();
  /** When each loaded tenant was last known to be at its newest revision. */
  readonly #newestAt = new Map<string, Moment>();
  /** The newest event that was followed. */
  #event: EventPoint = { number: 0, identity: '' };
  /** When the last look that succeeded began. */
  #heardAt: number;
  #silent = false;
  /** Commits that this process has seen and the database lacks. */
  #loss: string | undefined;
  #closed = false;

  /** `clock` returns monotonic milliseconds, and `now` those since the epoch. */
  constructor(
    private readonly cloud: Followed,
    private readonly clock: () => number,
    private readonly now: () => number = Date.now,
  ) {
    this.#heardAt = clock();
  }

  /** Begins to follow what is committed after `position`. */
  start({ event }: StorePosition): void {
    this.#event = event;
    if (!this.cloud.store.shared) return;
    const onCommit = (notice?: CommitNotice) => {
      if (notice !== undefined && !notice.atLarge) this.#followNotice(notice);
      else if (this.#looking) this.#hinted = true;
      else this.#schedule(GAP_MS);
    };
    this.#endListening = this.cloud.store.listen(onCommit, (error) => {
      if (error === undefined) this.cloud.log.info('the database tells of commits again');
      else
        this.cloud.log.warn(
          { reason: error.detail },
          'the database at DATABASE_DIRECT_URL cannot tell of commits: those of other replicas are found by looking alone',
        );
    });
    this.#schedule(0);
  }

  /**
   * Follows a notice of a commit that touches no credential without looking at everything; a tenant that is not in memory
   * waits for the next look.
   */
  #followNotice({ tenant: id, revision }: Pick<CommitNotice, 'tenant' | 'revision'>): void {
    const tenant = this.cloud.tenants.held(id);
    if (tenant === undefined || tenant.revisionNumber >= revision) return;
    if (this.#behind.has(id)) this.#announced.set(id, revision);
    else void this.#catchUp(tenant, revision);
  }

  /**
   * Resolves once everything of all tenants' credentials is known that was committed before the call, and of these tenants
   * whatever else was.
   */
  async refresh(...tenants: readonly Tenant[]): Promise<void> {
    if (!this.cloud.store.shared) return;
    const askedAt = this.clock();
    await this.#looking?.catch(() => undefined);
    await this.#look();
    const follow = async (tenant: Tenant) => {
      const isNewest = () => (this.#newestAt.get(tenant.id)?.clock ?? Number.NEGATIVE_INFINITY) >= askedAt;
      if (!isNewest()) await this.#behind.get(tenant.id);
      if (!isNewest()) await this.#catchUp(tenant);
    };
    await Promise.all(tenants.map(follow));
  }

  /**
   * The latest time at which a tenant in memory was known to be at its newest revision, in milliseconds since the epoch;
   * undefined before the first look at it. A process that is alone always knows.
   */
  newestAt(tenant: string): number | undefined {
    return this.cloud.store.shared ? this.#newestAt.get(tenant)?.wall : this.now();
  }

  /** How many milliseconds ago that was, by the clock that says more; infinite before the first look at the tenant. */
  ageMs(tenant: string): number {
    if (!this.cloud.store.shared) return 0;
    const at = this.#newestAt.get(tenant);
    // The wall clock tells whole milliseconds.
    return at ? Math.max(this.now() - at.wall - 1, this.clock() - at.clock) : Number.POSITIVE_INFINITY;
  }

  /** Whether the database has not been heard of for too long. */
  get isCutOff(): boolean {
    return this.cloud.store.shared && this.clock() - this.#heardAt > SILENT_MS;
  }

  get state(): ReplicaState {
    if (this.isCutOff) return 'cut_off';
    return this.#behind.size + this.#failing.size + this.#diverged.size > 0 ? 'behind' : 'current';
  }

  /** The time since the last look at the database that succeeded. A process that is alone needs none. */
  get silentSeconds(): number {
    return this.cloud.store.shared ? (this.clock() - this.#heardAt) / 1000 : 0;
  }

  /** The commits that the database lacks and this process has seen, as a text. */
  get loss(): string | undefined {
    return this.#loss;
  }

  /** Throws `not_ready` if the database has not been heard of for too long. */
  assertFollowing(): void {
    if (!this.isCutOff) return;
    if (this.#loss !== undefined)
      throw new ProblemError('not_ready', `This replica of the service only decides. ${this.#loss}.`, [], LATER);
    const seconds = Math.floor((this.clock() - this.#heardAt) / 1000);
    throw new ProblemError(
      'not_ready',
      `This replica of the service has not heard of its database for ${seconds} seconds, so that it only decides: ` +
        'ask another replica, or ask again once the database can be reached.',
      [],
      LATER,
    );
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#endListening?.();
    await this.#looking?.catch(() => undefined);
  }

  /** Looks after so long, or earlier if that is due already: else steady hints would put off every look. */
  #schedule(ms: number): void {
    const dueAt = this.clock() + ms;
    if (this.#closed || (this.#timer !== undefined && this.#dueAt <= dueAt)) return;
    clearTimeout(this.#timer);
    this.#dueAt = dueAt;
    const run = () => {
      this.#timer = undefined;
      const next = () => this.#schedule(Math.max(GAP_MS, INTERVAL_MS - (this.clock() - began)));
      const began = this.clock();
      this.#look().then(next, next);
    };
    this.#timer = setTimeout(run, ms);
    this.#timer.unref();
  }

  /** One look at a time. */
  #look(): Promise<void> {
    this.#looking ??= this.#follow()
      .catch((error: unknown) => {
        if (this.isCutOff && !this.#silent) {
          this.#silent = true;
          this.cloud.log.error(
            error instanceof ProblemError ? { reason: error.detail } : { err: error },
            'the database has not been heard of: changes are refused, decisions go on',
          );
        }
        throw error;
      })
      .finally(() => {
        this.#looking = undefined;
        if (this.#hinted) this.#schedule(GAP_MS);
        this.#hinted = false;
      });
    return this.#looking;
  }

  async #follow(): Promise<void> {
    const { store, credentials, tokens, bundleKeys, tenants } = this.cloud;
    const began = this.#moment();
    const { listVersion } = tenants;
    const position = await store.position();
    // What a revoked key has signed is worthless, whatever else is the matter with the database.
    if (position.tokenKeys > tokens.version) await tokens.follow();
    await this.#refuseEarlier(position);
    this.#findDiverged(position);
    await this.#followTenants(position, listVersion);
    const moved = [...position.revisions].flatMap(([tenant, revision]) => {
      const since = this.#diverged.has(tenant) ? 0 : credentials.revisionOf(tenant);
      return since < revision ? [{ tenant, since }] : [];
    });
    if (moved.length > 0) {
      for (const known of await store.credentialsSince(moved))
        if (tenants.rows(known.tenant).length > 0) credentials.advance(known);
    }
    const isBehind = (tenant: Tenant): boolean =>
      this.#diverged.has(tenant.id) || tenant.revisionNumber < (position.revisions.get(tenant.id) ?? 0);
    const newEpoch = position.epoch > (bundleKeys.epoch?.number ?? 0);
    // Agents take what a later epoch signs for later: what is behind must not be signed by it.
    if (newEpoch) await Promise.all([...tenants.loaded()].filter(isBehind).map((tenant) => this.#catchUp(tenant)));
    const mayTake = !newEpoch || ![...tenants.loaded()].some(isBehind);
    if (mayTake && (newEpoch || position.bundleKeys > bundleKeys.set.version)) {
      await bundleKeys.follow();
      this.cloud.metrics.epoch.set(bundleKeys.epoch?.number ?? 0);
      tenants.watch.notify(EVERY_TENANT);
    }
    await this.#followEvents(position.event);
    const loaded = new Set<string>();
    for (const tenant of tenants.loaded()) {
      loaded.add(tenant.id);
      if (isBehind(tenant)) void this.#catchUp(tenant);
      else {
        this.#failing.delete(tenant.id);
        this.#isNewest(tenant, began);
      }
    }
    // Of the others, only the credentials are in memory.
    for (const ids of [this.#diverged, this.#failing]) for (const id of ids) if (!loaded.has(id)) ids.delete(id);
    for (const id of this.#newestAt.keys()) if (!loaded.has(id)) this.#newestAt.delete(id);
    this.#heardAt = began.clock;
    if (this.#silent) this.cloud.log.info('the database is heard of again');
    this.#silent = false;
  }

  /**
   * A database that was set back knows nothing of what it has lost: nothing of it is taken over, until somebody declares a new
   * epoch, by which all agents learn that it counts.
   */
  async #refuseEarlier(position: StorePosition): Promise<void> {
    const { credentials, bundleKeys, revocationLog, log } = this.cloud;
    const loss = await findLoss(this.cloud, position);
    const before = this.#loss;
    this.#loss = loss && lossText(loss);
    if (loss === undefined) return;
    for (const id of loss.tenants) this.#diverged.add(id);
    revocationLog?.proveSetBack(loss.text);
    if (before === undefined)
      log.error({ tenants: loss.tenants.length, reason: this.#loss }, 'the database was set back');
    if (position.epoch <= (bundleKeys.epoch?.number ?? 0)) throw new Error(this.#loss);
    for (const id of loss.tenants) credentials.forgetRevision(id);
    this.#loss = undefined;
  }

  /** A commit raises the number: other rows under the same number are those of another past. */
  #findDiverged({ revisions, rowDigests }: StorePosition): void {
    for (const [id, revision] of revisions) {
      const rowDigest = rowDigests.get(id) ?? '';
      const before = this.#found.get(id);
      if (before?.revision === revision && before.rowDigest !== rowDigest) {
        this.#diverged.add(id);
        this.cloud.log.warn(
          { tenant: id, revision },
          'the database has another past than this process: it is read anew',
        );
        const loss = `revision ${revision} of the tenant ${id} has another content than this process has seen`;
        this.cloud.revocationLog?.proveSetBack(loss);
      }
      this.#found.set(id, { revision, rowDigest });
    }
    for (const id of this.#found.keys()) if (!revisions.has(id)) this.#found.delete(id);
  }

  /** `listVersion` is what it was before the look: if tenants came or went here meanwhile, the next look sees it. */
  async #followTenants({ revisions }: StorePosition, listVersion: number): Promise<void> {
    const { store, tenants } = this.cloud;
    if (tenants.listVersion !== listVersion) return;
    for (const row of tenants.list()) if (!revisions.has(row.id)) forgetTenant(this.cloud, row);
    const after = tenants.listVersion;
    const isNew = ({ id }: { id: string }) => tenants.rows(id).length === 0;
    if (![...revisions.keys()].some((id) => isNew({ id }))) return;
    const rows = await store.tenants();
    if (tenants.listVersion === after) for (const row of rows.filter(isNew)) tenants.add(row);
  }

  /** Forgets what was erased from history elsewhere, and looks at credentials, which may have been switched. */
  async #followEvents(event: EventPoint): Promise<void> {
    const { store, tenants, history, analyzer } = this.cloud;
    if (event.number === this.#event.number && event.identity === this.#event.identity) return;
    const found = await store.tenantEventsAfter(this.#event);
    const all = new Set(tenants.list().map(({ id }) => id));
    const changedBy = (...ops: TenantEvent['op'][]) =>
      // What a database that was set back has lost may be anything.
      found ? new Set(found.events.flatMap(({ op, tenant }) => (ops.includes(op) ? [tenant.id] : []))) : all;
    if (!(await this.#rereadCredentials(changedBy('disable', 'enable')))) return;
    // What was said before of a database that was set back holds no more.
    if (changedBy('disable').size > 0) await this.cloud.revocationLog?.restate();
    const erased = changedBy('erase');
    for (const id of erased) {
      history.forget(id);
      analyzer.forget(id);
    }
    for (const loaded of tenants.loaded()) if (erased.has(loaded.id)) loaded.forgetCommits();
    this.#event = found?.newest ?? event;
  }

  /** Returns false if a commit was made here since they were read, so that the next look has to read them again. */
  async #rereadCredentials(ids: ReadonlySet<string>): Promise<boolean> {
    const { store, tenants, credentials } = this.cloud;
    if (ids.size === 0) return true;
    let complete = true;
    for (const known of await store.credentialsSince([...ids].map((tenant) => ({ tenant, since: 0 })))) {
      if (tenants.rows(known.tenant).length === 0) continue;
      if (known.revision < credentials.revisionOf(known.tenant)) complete = false;
      credentials.advance(known);
    }
    return complete;
  }

  /**
   * Runs beside the looks: work of one tenant does not delay the credentials of the others. When its turn comes, the tenant
   * may have reached the revision that is wanted, for it was committed here.
   */
  #catchUp(tenant: Tenant, wanted = Number.POSITIVE_INFINITY): Promise<void> {
    const working = this.#behind.get(tenant.id);
    if (working !== undefined) return working;
    const follow = () =>
      tenant.exclusive(async () => {
        if (tenant.revisionNumber >= wanted) return;
        const began = this.#moment();
        if (this.#diverged.has(tenant.id)) {
          await tenant.reload(this.cloud.store);
          this.#diverged.delete(tenant.id);
        } else {
          const { load, ...others } = this.cloud.store;
          const store: Store = { ...others, load: (...asked) => this.#reading.run(() => load(...asked)) };
          await followTenant({ ...this.cloud, store }, tenant);
        }
        this.#isNewest(tenant, began);
      });
    // Who commits to the tenant meanwhile reads it anew, and does not wait until those before it are read.
    const work = (this.#diverged.has(tenant.id) ? this.#reading.run(follow) : follow())
      .then(() => {
        this.#failing.delete(tenant.id);
      })
      .catch((error: unknown) => {
        if (error instanceof NoTenantError) {
          this.#failing.delete(tenant.id);
          return;
        }
        // Every look tries again; the log is told once.
        if (!this.#failing.has(tenant.id))
          this.cloud.log.error({ err: error, tenant: tenant.id }, 'following the commits of a tenant failed');
        this.#failing.add(tenant.id);
      })
      .finally(() => {
        this.#behind.delete(tenant.id);
        const revision = this.#announced.get(tenant.id);
        this.#announced.delete(tenant.id);
        if (revision !== undefined) this.#followNotice({ tenant: tenant.id, revision });
      });
    this.#behind.set(tenant.id, work);
    return work;
  }

  #moment(): Moment {
    return { wall: this.now(), clock: this.clock() };
  }

  /** Commits may follow each other so fast that looks find a tenant behind each time: following tells when, too. */
  #isNewest({ id }: Tenant, at: Moment): void {
    if ((this.#newestAt.get(id)?.clock ?? Number.NEGATIVE_INFINITY) < at.clock) this.#newestAt.set(id, at);
  }
}
