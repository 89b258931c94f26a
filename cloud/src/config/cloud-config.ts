import type { IpRange } from '@authz-service/core/values/ip-range';
import type { Secret } from '@authz-service/core/values/secret';
import type { OidcConfig } from '../console/oidc-config.js';
import type { Quotas, Scope } from '../limits/read-quotas.js';
import type { PostgresPlace } from '../store/postgres/postgres.js';
import type { LogLevel } from '../telemetry/log-levels.js';

/** The first is the default. */
export const LINKS = ['loopback', 'anywhere', 'off'] as const;

/** The cloud's settings. */
export interface CloudConfig {
  /** The folder that holds the SQLite database. */
  dataDir: string;
  /** The database on PostgreSQL; then the folder is not used. */
  postgres?: PostgresPlace;
  listen: { host: string; port: number };
  /** The URL under which callers reach it, without a trailing slash; absent means where it listens. */
  publicUrl?: string;
  logLevel: LogLevel;
  /** Whether each request for decisions is a line at the level info. */
  decisionLog: boolean;
  /** The proxies whose `X-Forwarded-For` is trusted. */
  trustedProxies: IpRange[];
  /** The first tenant of an empty database and its administrator. */
  bootstrap: {
    tenant: string;
    client?: { id: string; secret: Secret };
    /** Makes the client an operator although there is one already. */
    recover: boolean;
  };
  /** The steps of conditions that each tenant may use per second; absent means no limit. */
  work: { stepsPerSecond?: number };
  console: {
    /** From where one-time links are taken: on this machine alone, from anywhere, or not at all. */
    links: (typeof LINKS)[number];
    /** The tenant that people sign in to unless they name another. */
    tenant: string;
  };
  /** The identity provider of people; absent if there is none. */
  oidc?: OidcConfig;
  /** How many days past states can be asked for, and commits that only these need are listed; absent means without end. */
  history: { days?: number; auditDays?: number };
  /** After how long without use a tenant leaves memory; absent means never. */
  tenantIdleMs?: number;
  /** For how long a request with an idempotency key is not applied a second time. */
  idempotencyMs: number;
  /** The quotas of tenants, credentials and addresses. */
  limits: Record<Scope, Quotas>;
  /** How long after SIGTERM requests are still answered. */
  drainMs: number;
  /** The file that says, outside the database, which credentials are good; absent if none is kept. */
  revocationLog?: { file: string; key: Secret };
  /** The records that a tenant may hold; absent means any number. */
  tenantRecordsMax?: number;
  /** Logged once at the start. */
  warnings: string[];
}

/** Settings from the command line; each overrides its environment variable. */
export interface CloudFlags {
  dataDir?: string;
  listenAddr?: string;
  publicUrl?: string;
  logLevel?: string;
  trustedProxies?: string;
}
