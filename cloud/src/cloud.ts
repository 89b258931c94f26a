import type { TimeSlicing } from '@authz-service/core/concurrency/time-slicing';
import type { RevisionWaits } from '@authz-service/pdp/revision/revision-waits';
import type { Tracing } from '@authz-service/pdp/tracing/tracing';
import type { Logger } from 'pino';
import type { Analyzer } from './analysis/analyzer.js';
import type { WriteHcl } from './analysis/draft-texts.js';
import type { ClientAddresses } from './auth/client-addresses.js';
import type { ClientSecrets } from './auth/client-secrets.js';
import type { CredentialIndex } from './auth/credential-index.js';
import type { CredentialUses } from './auth/credential-uses.js';
import type { Tokens } from './auth/tokens.js';
import type { BundleKeys } from './bundles/bundle-keys.js';
import type { NewestStatements } from './bundles/newest-statements.js';
import type { CloudConfig } from './config/config.js';
import type { Oidc } from './console/oidc.js';
import type { Sessions } from './console/sessions.js';
import type { AgentOwners } from './fleet/agent-owners.js';
import type { EnforcementWaits } from './fleet/enforcement-waits.js';
import type { Fleet } from './fleet/fleet.js';
import type { History } from './history/history.js';
import type { OlderRevisions } from './history/older-revisions.js';
import type { Limits } from './limits/limits.js';
import type { OutageLog } from './outages/outage-log.js';
import type { RevocationLog } from './revocations/revocation-log.js';
import type { Store } from './store/store.js';
import type { Health } from './telemetry/health.js';
import type { Metrics } from './telemetry/metrics.js';
import type { Tenant } from './tenants/tenant.js';
import type { Tenants } from './tenants/tenants.js';

/** Everything that routes and commands work with. */
export interface Cloud {
  store: Store;
  tenants: Tenants;
  credentials: CredentialIndex;
  credentialUses: CredentialUses;
  clientSecrets: ClientSecrets;
  clientAddresses: ClientAddresses;
  tokens: Tokens;
  sessions: Sessions;
  analyzer: Analyzer;
  /** Absent where this cloud was started without what writes it. */
  writeHcl?: WriteHcl;
  /** Absent where no identity provider is set up. */
  oidc?: Oidc;
  consoleSettings: CloudConfig['console'];
  bundleKeys: BundleKeys;
  newestStatements: NewestStatements;
  metrics: Metrics;
  health: Health;
  fleet: Fleet;
  agentOwners: AgentOwners;
  /** The requests that wait until a revision is enforced. */
  enforcementWaits: EnforcementWaits;
  limits: Limits;
  /** Whether each request for decisions is a line at the level info. */
  decisionLog: boolean;
  /** The records that a tenant may hold. */
  tenantRecordsMax: number;
  /** For how long a request with an idempotency key is not applied a second time. */
  idempotencyMs: number;
  history: History;
  outages: OutageLog;
  /** Absent where none is kept. */
  revocationLog?: RevocationLog;
  /** The requests that wait for a revision. */
  revisionWaits: RevisionWaits;
  olderRevisions: OlderRevisions;
  /** Absent unless requests are traced. */
  tracing?: Tracing;
  log: Logger;
  /** Runs long requests beside short ones. */
  slicing: TimeSlicing;
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * The URL under which callers reach this cloud, without a trailing slash: the configured one, or else where it
   * listens.
   */
  publicUrl(): string;
  /** The hosts that the console answers as, besides loopback names: `authz.example.com`, in lower case. */
  hosts(): ReadonlySet<string>;
  /** Returns the address on which it listens. */
  localUrl(): string;
  /** Learns what other processes have committed to the same database, if there can be others; all of it of these tenants. */
  refresh(...tenants: readonly Tenant[]): Promise<void>;
  /**
   * The latest time at which a tenant in memory was known to be at its newest revision, in milliseconds since the epoch;
   * undefined if that is not known yet.
   */
  newestAt(tenant: string): number | undefined;
  /** How many milliseconds ago that was; infinite if it is not known yet. */
  ageMs(tenant: string): number;
  /** Whether the database has not been heard of for so long that others may have changed much. */
  isCutOff(): boolean;
  /** Commits that this process has seen and the database lacks. */
  loss(): string | undefined;
  /** Throws `not_ready` if the database has not been heard of for so long that others may have changed much. */
  assertFollowing(): void;
  /** The names of the tenants that were used lately and are still being read, without which this process is not ready. */
  awaited(): string[];
  /** Whether callers should go elsewhere, though they are still answered. */
  draining(): boolean;
  /** Whether requests are accepted: not until everything is open, and not while it stops. */
  ready(): boolean;
}
