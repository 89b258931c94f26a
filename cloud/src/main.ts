import { TimeSlicing } from '@authz-service/core/concurrency/time-slicing';
import { RevisionWaits } from '@authz-service/pdp/revision/revision-waits';
import type { Tracing } from '@authz-service/pdp/tracing/tracing';
import { Analyzer } from './analysis/analyzer.js';
import type { WriteHcl } from './analysis/draft-texts.js';
import { createApp } from './app.js';
import { ClientAddresses } from './auth/client-addresses.js';
import { ClientSecrets } from './auth/client-secrets.js';
import { CredentialUses } from './auth/credential-uses.js';
import { type Derive, derive } from './auth/scrypt.js';
import { NewestStatements } from './bundles/newest-statements.js';
import type { Cloud } from './cloud.js';
import type { CloudConfig } from './config/config.js';
import { Oidc } from './console/oidc.js';
import { Sessions } from './console/sessions.js';
import { AgentOwners } from './fleet/agent-owners.js';
import { EnforcementWaits } from './fleet/enforcement-waits.js';
import { Fleet } from './fleet/fleet.js';
import { FleetCounts } from './fleet/fleet-counts.js';
import { History } from './history/history.js';
import { OlderRevisions } from './history/older-revisions.js';
import { Limits } from './limits/limits.js';
import { OutageLog } from './outages/outage-log.js';
import { Follower } from './replica/follower.js';
import { LogKey } from './revocations/log-line.js';
import { RevocationLog } from './revocations/revocation-log.js';
import { listen } from './server.js';
import { bootstrap } from './start/bootstrap.js';
import { readStore } from './start/read-store.js';
import { openPostgresStore } from './store/postgres/postgres.js';
import { openSqliteStore } from './store/sqlite.js';
import type { ChangedStoreError, Store, TenantRow } from './store/store.js';
import { tracedStore } from './store/traced-store.js';
import { Health } from './telemetry/health.js';
import { createLogger } from './telemetry/log.js';
import { Metrics } from './telemetry/metrics.js';
import { nameRefusedForms } from './tenants/name-refused-forms.js';
import { StartLoading } from './tenants/start-loading.js';
import type { Tenant } from './tenants/tenant.js';
import { WorkBudget } from './tenants/work-budget.js';

export interface RunningCloud {
  /** The address on which it listens. */
  url: string;
  /** From now on, `/readyz` refuses and connections end with their next answer; all else is answered as before. */
  drain(): void;
  /** Stops gracefully: running requests end, then the database closes. Calling it twice is safe. */
  close(): Promise<void>;
  /** The number of requests that wait for a commit. */
  waiting(): number;
}

export interface StartOptions {
  /** Milliseconds since the epoch. */
  now?: () => number;
  /** Monotonic milliseconds, for the tenants' work budgets. */
  clock?: () => number;
  /** Receives what is shown once and must not appear in a log; by default, standard error. */
  announce?: (text: string) => void;
  /** Derives keys from chosen secrets; by default, scrypt. */
  derive?: Derive;
  /** Absent unless requests are traced. */
  tracing?: Tracing | undefined;
  /** Writes records as Terraform configuration, of which the cloud itself knows nothing. */
  writeHcl?: WriteHcl;
}

const MINUTE_MS = 60 * 1000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const CHECK_MS = 10_000;

/**
 * Opens the data directory or the PostgreSQL database and accepts requests. Throws `invalid_config` if the directory is in
 * use, the database cannot be used, a tenant is gone, or the address cannot be used. Tenants are read while requests are
 * answered already; see `StartLoading`.
 */
export async function startCloud(config: CloudConfig, options: StartOptions = {}): Promise<RunningCloud> {
  const { log, flush } = createLogger(config.logLevel);
  for (const warning of config.warnings) log.warn(warning);
  const opened = await (config.postgres
    ? openPostgresStore(config.postgres)
    : openSqliteStore(config.dataDir, (path) => log.warn({ path }, 'what an unfinished restore left was removed')));
  const { tracing } = options;
  const store = tracing === undefined ? opened : tracedStore(opened, tracing);
  try {
    const { close, ...running } = await start(config, store, log, options);
    return { ...running, close: () => close().finally(flush) };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function start(
  config: CloudConfig,
  store: Store,
  log: Cloud['log'],
  {
    now = Date.now,
    clock = () => performance.now(),
    announce = (text) => void process.stderr.write(text),
    derive: deriveKey = derive,
    tracing,
    writeHcl,
  }: StartOptions,
): Promise<RunningCloud> {
  const slicing = new TimeSlicing(() => performance.now());
  const { stepsPerSecond } = config.work;
  const budget = stepsPerSecond === undefined ? undefined : () => new WorkBudget(stepsPerSecond, clock);
  const position = await store.position();
  const onLoad = (tenant: Tenant) => nameRefusedForms(tenant, log);
  const onBroken = ({ id, name }: TenantRow, { message: reason, cause }: ChangedStoreError) =>
    log.error(
      { tenant: id, tenant_name: name, reason, ...(cause !== undefined && { err: cause }) },
      'a tenant is not as it was committed: it is not served',
    );
  const onFailed = ({ id, name }: TenantRow, err: unknown) =>
    log.error({ tenant: id, tenant_name: name, err }, 'a tenant cannot be read from the database');
  const onMended = ({ id, name }: TenantRow) =>
    log.info({ tenant: id, tenant_name: name }, 'a tenant that could not be served is served again');
  const sharing = { slicing, budget, onLoad, onBroken, onFailed, onMended };
  const { tenants, credentials, tokens, bundleKeys } = await readStore(store, sharing, now, clock);
  const loading = new StartLoading(tenants, tenants.recent(now()), clock, log);

  let ready = false;
  let draining = false;
  let publicUrl = config.publicUrl ?? '';
  let localUrl = '';
  let hosts: ReadonlySet<string> = new Set();
  const revocationLog =
    config.revocationLog &&
    (await RevocationLog.open(config.revocationLog.file, new LogKey(config.revocationLog.key), {
      ...{ credentials, store, log, now },
    }));
  const health = new Health(store, tenants, now, log, revocationLog);
  const metrics = new Metrics({
    tenants: () => tenants.size,
    brokenTenants: () => tenants.broken().length,
    writable: async () => (await health.writability()).writable,
    clockBehindSeconds: () => health.clockBehindSeconds(),
    replica: () => ({ state: follower.state, silentSeconds: follower.silentSeconds }),
    setBack: () => revocationLog?.isSetBack === true || follower.loss !== undefined,
    revocationLogWritable: () => revocationLog && revocationLog.reason === undefined,
    fleet: () => counts.read(),
  });
  metrics.epoch.set(bundleKeys.epoch?.number ?? 0);
  const outages = new OutageLog(log);
  const fleet = new Fleet(store, metrics, outages, now);
  const counts = new FleetCounts(store, fleet, outages, now);
  const sessions = new Sessions(store, credentials, tenants, config.oidc);
  const analyzer = new Analyzer(slicing);
  const credentialUses = new CredentialUses(store, credentials, outages, now);
  const history = new History(store, slicing);
  const followed = {
    store,
    tenants,
    credentials,
    tokens,
    bundleKeys,
    history,
    analyzer,
    metrics,
    log,
    ...(revocationLog && { revocationLog }),
  };
  const follower = new Follower(followed, () => performance.now(), now);
  const cloud: Cloud = {
    store,
    tenants,
    credentials,
    credentialUses,
    clientSecrets: new ClientSecrets(now, deriveKey),
    clientAddresses: new ClientAddresses(config.trustedProxies),
    tokens,
    bundleKeys,
    newestStatements: new NewestStatements(bundleKeys),
    metrics,
    olderRevisions: new OlderRevisions(store),
    revisionWaits: new RevisionWaits((outcome) => metrics.revisionWaits.inc({ outcome })),
    health,
    fleet,
    agentOwners: new AgentOwners(store, fleet, log, outages),
    enforcementWaits: new EnforcementWaits(store, fleet, now),
    limits: new Limits(config.limits, clock, (scope, unit) => metrics.limited.inc({ scope, unit })),
    tenantRecordsMax: config.tenantRecordsMax ?? Number.POSITIVE_INFINITY,
    idempotencyMs: config.idempotencyMs,
    history,
    outages,
    decisionLog: config.decisionLog,
    log,
    ...(tracing && { tracing }),
    ...(writeHcl && { writeHcl }),
    ...(revocationLog && { revocationLog }),
    slicing,
    now,
    sessions,
    analyzer,
    consoleSettings: config.console,
    ...(config.oidc && { oidc: new Oidc(config.oidc, () => `${publicUrl}/console/oidc/callback`) }),
    publicUrl: () => publicUrl,
    localUrl: () => localUrl,
    hosts: () => hosts,
    ready: () => ready,
    draining: () => draining,
    awaited: () => loading.awaited,
    refresh: (...tenants) => follower.refresh(...tenants),
    newestAt: (tenant) => follower.newestAt(tenant),
    ageMs: (tenant) => follower.ageMs(tenant),
    isCutOff: () => follower.isCutOff,
    loss: () => follower.loss,
    assertFollowing: () => follower.assertFollowing(),
  };
  const { days, auditDays } = config.history;
  const forget = async () => {
    await store.purgeIdempotent(new Date(now() - config.idempotencyMs).toISOString());
    await sessions.purge(now());
    await store.forgetAgents(now() - DAY_MS);
    await tokens.rotateIfOld();
    const since = (kept: number) => new Date(now() - kept * DAY_MS).toISOString();
    if (days !== undefined) await store.pruneHistory(since(days));
    if (auditDays !== undefined) await store.pruneAudit(since(auditDays));
  };
  await forget();
  const server = await listen(config.listen, createApp(cloud));
  const url = `http://${hostOf(config.listen.host)}:${server.port}`;
  localUrl = url;
  if (publicUrl === '') publicUrl = url;
  hosts = new Set([publicUrl, localUrl].map((one) => new URL(one).host));
  // This comes after everything that may fail: a failed start must not show the secret that is shown only once.
  const first = async () => {
    await follower.refresh();
    await bootstrap(cloud, config.bootstrap, announce);
  };
  await store.alone(first).catch(async (error: unknown) => {
    await server.stop();
    throw error;
  });
  follower.start(position);
  ready = true;
  server.open();
  const began = performance.now();
  void loading.run().then(() => {
    if (!ready) return;
    const seconds = Math.round(performance.now() - began) / 1000;
    log.info(
      { tenants: tenants.size, loaded: [...tenants.loaded()].length, seconds },
      'the tenants used lately are loaded',
    );
  });

  const noteUse = () =>
    tenants.uses
      .save(store, now())
      .catch((err: unknown) => outages.failed('noting which tenants are used failed', { err }));
  const tending = setInterval(() => {
    void noteUse();
    void tenants.readBroken();
    revocationLog?.alive().catch(() => undefined);
    if (config.tenantIdleMs === undefined) return;
    for (const id of tenants.unloadIdle(config.tenantIdleMs)) {
      history.forget(id);
      analyzer.forget(id);
      log.info({ tenant: id }, 'a tenant that nobody uses has left memory');
    }
  }, MINUTE_MS);
  tending.unref();

  const forgetting = setInterval(() => {
    forget().catch((error: unknown) =>
      log.error({ err: error }, 'forgetting idempotency keys, sessions, agents, keys and history failed'),
    );
  }, HOUR_MS);
  forgetting.unref();
  // This writes the log entry even if nobody asks for the health.
  const checking = setInterval(() => {
    health.clockBehindSeconds();
    health.writability().catch((err: unknown) => outages.failed('checking the database failed', { err }));
  }, CHECK_MS);
  checking.unref();
  health.clockBehindSeconds();
  log.info({ url, tenants: tenants.size }, 'cloud is listening');

  let closing: Promise<void> | undefined;
  const close = async () => {
    ready = false;
    loading.stop();
    clearInterval(forgetting);
    clearInterval(checking);
    clearInterval(tending);
    log.info('cloud is stopping');
    // Requests that wait for a commit are answered now.
    tenants.watch.close();
    await server.stop();
    await analyzer.close();
    await fleet.close();
    await credentialUses.close();
    await follower.close();
    await tenants.close();
    await revocationLog?.close();
    await noteUse();
    // A running health check must not take the files of a closed database for lost.
    await health.writability();
    outages.end();
    await store.close();
    log.info('cloud has stopped');
  };
  return {
    url,
    waiting: () => tenants.watch.size,
    drain: () => {
      draining = true;
      log.info('cloud is draining');
    },
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/** A host as written in URLs; one that stands for all addresses is reached at the loopback address. */
function hostOf(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
