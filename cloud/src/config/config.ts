import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { CONDITION_LIMITS } from '@authz-service/core/conditions/syntax/limits';
import { ProblemError, type ProblemItem } from '@authz-service/core/problem';
import { unknownVariables } from '@authz-service/core/settings/variables';
import { type IpRange, parseIpRange } from '@authz-service/core/values/ip-range';
import { Secret } from '@authz-service/core/values/secret';
import { DRAIN_TIME } from '@authz-service/pdp/transport/stop-signal';
import { readOidc } from '../console/read-oidc.js';
import { type Quotas, readQuotas } from '../limits/read-quotas.js';
import type { PostgresPlace } from '../store/postgres/postgres.js';
import type { PostgresAddress } from '../store/postgres/postgres-address.js';
import { AddressFault, readAddress } from '../store/postgres/read-address.js';
import { LOG_LEVELS, type LogLevel } from '../telemetry/log-levels.js';
import { type CloudConfig, type CloudFlags, LINKS } from './cloud-config.js';
import { isInside } from './is-inside.js';

/** At some 50 ns for the costliest steps, this is a quarter of a processor. */
const STEPS_PER_SECOND = 5_000_000;

/** A year, and some time to look back on it. */
const HISTORY_DAYS = 400;

export type { CloudConfig, CloudFlags } from './cloud-config.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads flags and environment. Throws `invalid_config` with all faults at once. */
export function readConfig(env: Environment, flags: CloudFlags = {}): CloudConfig {
  const reader = new Reader(env, {
    SERVICE_DATA_DIR: flags.dataDir,
    SERVICE_LISTEN_ADDR: flags.listenAddr,
    SERVICE_PUBLIC_URL: flags.publicUrl,
    SERVICE_LOG_LEVEL: flags.logLevel,
    SERVICE_TRUSTED_PROXIES: flags.trustedProxies,
  });
  const config: CloudConfig = {
    dataDir: reader.dataDir(),
    ...reader.postgres(),
    listen: reader.listen('SERVICE_LISTEN_ADDR'),
    ...reader.publicUrl('SERVICE_PUBLIC_URL'),
    logLevel: reader.logLevel('SERVICE_LOG_LEVEL'),
    decisionLog: reader.flag('SERVICE_DECISION_LOG'),
    trustedProxies: reader.ranges('SERVICE_TRUSTED_PROXIES'),
    work: reader.work('SERVICE_TENANT_STEPS_PER_SECOND'),
    history: reader.history(),
    idempotencyMs: reader.hours('SERVICE_IDEMPOTENCY_HOURS', 24) * 60 * 60 * 1000,
    limits: {
      tenant: reader.quotas('SERVICE_TENANT_LIMITS'),
      credential: reader.quotas('SERVICE_CREDENTIAL_LIMITS'),
      address: reader.quotas('SERVICE_ADDRESS_LIMITS'),
    },
    ...reader.tenants(),
    drainMs: reader.drainMs('SERVICE_DRAIN_TIME'),
    console: {
      links: reader.choice('SERVICE_CONSOLE_LINKS', LINKS),
      tenant: reader.text('SERVICE_BOOTSTRAP_TENANT') ?? 'default',
    },
    ...readOidc(reader),
    ...reader.revocationLog(),
    bootstrap: reader.bootstrap(),
    warnings: reader.warnings,
  };
  reader.raise();
  return config;
}

/** Only the data directory, for commands that work on it without starting a cloud. */
export function readDataDir(env: Environment, flag?: string): string {
  const reader = new Reader(env, { SERVICE_DATA_DIR: flag });
  reader.refusePostgres();
  const dataDir = reader.dataDir();
  reader.raise();
  return dataDir;
}

/** Only the PostgreSQL database, for commands that work on it without starting a cloud; undefined if none is named. */
export function readPostgres(env: Environment, flag?: string): PostgresPlace | undefined {
  const reader = new Reader(env, { DATABASE_URL: flag });
  const { postgres } = reader.postgres();
  if (flag !== undefined && postgres?.address.password !== undefined) reader.refusePassword();
  reader.raise();
  return postgres;
}

class Reader {
  readonly warnings: string[];
  readonly #faults: ProblemItem[] = [];

  /** `flags` override the variables under whose names they are listed. */
  constructor(
    private readonly env: Environment,
    private readonly flags: Environment,
  ) {
    this.warnings = unknownVariables(Object.keys(env)).map(({ text }) => text);
  }

  raise(): void {
    if (this.#faults.length === 0) return;
    const all = this.#faults.map(({ pointer, detail }) => `${pointer.slice(1)} ${detail}`).join('; ');
    throw new ProblemError('invalid_config', `The configuration is invalid: ${all}.`, this.#faults);
  }

  /** A setting. An empty one is a fault, since it is usually a variable that was meant to have a value. */
  text(name: string): string | undefined {
    const value = this.flags[name] ?? this.env[name];
    if (value?.trim() !== '') return value;
    this.fault(name, 'is empty: leave it out or give it a value');
    return undefined;
  }

  isGiven(name: string): boolean {
    return (this.env[name] ?? this.env[`${name}_FILE`]) !== undefined;
  }

  dataDir(): string {
    return this.text('SERVICE_DATA_DIR') ?? join(homedir(), '.service', 'cloud');
  }

  postgres(): { postgres?: PostgresPlace } {
    const address = this.#address('DATABASE_URL');
    const direct = this.#address('DATABASE_DIRECT_URL');
    if (address === undefined) {
      if (direct !== undefined) this.fault('DATABASE_DIRECT_URL', 'is given without DATABASE_URL: give both');
      return {};
    }
    if (this.text('SERVICE_DATA_DIR') !== undefined)
      this.fault('SERVICE_DATA_DIR', 'is given together with DATABASE_URL: give only one of them');
    return { postgres: { address, ...(direct && { direct }) } };
  }

  /** Other users of the machine see the arguments of a command. */
  refusePassword(): void {
    this.fault(
      'DATABASE_URL',
      'has a password, which others can see there: give the URL in DATABASE_URL or DATABASE_URL_FILE',
    );
  }

  /** For commands that work on SQLite alone: nobody should take a folder for the database that is in use. */
  refusePostgres(): void {
    if (this.text('SERVICE_DATA_DIR') !== undefined || this.#given('DATABASE_URL') === undefined) return;
    this.fault(
      'DATABASE_URL',
      'names a PostgreSQL database, which pg_dump backs up and pg_restore restores: name the folder of an SQLite database with --data-dir',
    );
  }

  /** The address of a database, from the variable or from the file that `<name>_FILE` names. */
  #address(name: string): PostgresAddress | undefined {
    const given = this.#given(name);
    try {
      return given && readAddress(given.value);
    } catch (error) {
      if (!(error instanceof AddressFault)) throw error;
      this.fault(given?.from ?? name, error.message);
      return undefined;
    }
  }

  listen(name: string): CloudConfig['listen'] {
    const fallback = { host: '127.0.0.1', port: 8080 };
    const value = this.text(name);
    if (value === undefined) return fallback;
    const [, ipv6, plain, port] = /^(?:\[([0-9a-f:.]+)\]|([^:[\]\s/]*)):(\d{1,5})$/i.exec(value) ?? [];
    if (port !== undefined && Number(port) <= 65_535) {
      return { host: ipv6 ?? (plain === '' || plain === undefined ? '0.0.0.0' : plain), port: Number(port) };
    }
    this.fault(name, `is "${value}": write HOST:PORT like "127.0.0.1:8080" (port 0 takes a free one)`);
    return fallback;
  }

  publicUrl(name: string): { publicUrl?: string } {
    const value = this.text(name);
    if (value === undefined) return {};
    const url = URL.canParse(value) ? new URL(value) : undefined;
    const plain = url && url.search === '' && url.hash === '' && url.username === '' && url.password === '';
    if (plain && (url.protocol === 'http:' || url.protocol === 'https:'))
      return { publicUrl: url.href.replace(/\/+$/, '') };
    this.fault(name, `is "${value}": write a plain URL like "https://authz.example.com"`);
    return {};
  }

  logLevel(name: string): LogLevel {
    const value = this.text(name)?.toLowerCase();
    const level = LOG_LEVELS.find((known) => known === value);
    if (value !== undefined && level === undefined) {
      this.fault(name, `is "${value}": write one of ${LOG_LEVELS.join(', ')}`);
    }
    return level ?? 'info';
  }

  drainMs(name: string): number {
    const value = this.text(name) ?? DRAIN_TIME.default;
    const ms = DRAIN_TIME.read(value);
    if (ms === undefined) this.fault(name, `is "${value}": write ${DRAIN_TIME.expected}`);
    return ms ?? 0;
  }

  ranges(name: string): IpRange[] {
    const value = this.text(name);
    return (value?.split(',') ?? []).flatMap((part) => {
      const text = part.trim();
      const range = parseIpRange(text);
      if (range === undefined) {
        this.fault(name, `holds "${text}": write addresses and ranges like "10.0.0.5,fd00::/8"`);
        return [];
      }
      if (range[1] === 0) this.fault(name, `holds "${text}", which trusts every caller: name the proxies' own network`);
      return [range];
    });
  }

  /** One of these words, the first unless given. */
  choice<Word extends string>(name: string, words: readonly [Word, ...Word[]]): Word {
    const value = this.text(name);
    const known = words.find((word) => word === value);
    if (value !== undefined && known === undefined) {
      this.fault(name, `is "${value}": write one of ${words.join(', ')}`);
    }
    return known ?? words[0];
  }

  work(name: string): CloudConfig['work'] {
    const value = this.text(name);
    if (value === 'unlimited') return {};
    if (value === undefined) return { stepsPerSecond: STEPS_PER_SECOND };
    if (/^\d{1,15}$/.test(value) && Number(value) >= CONDITION_LIMITS.decisionSteps)
      return { stepsPerSecond: Number(value) };
    const least = CONDITION_LIMITS.decisionSteps;
    this.fault(name, `is "${value}": write a number of at least ${least}, which one decision may take, or "unlimited"`);
    return {};
  }

  history(): CloudConfig['history'] {
    const days = this.#days('SERVICE_HISTORY_DAYS', HISTORY_DAYS);
    const auditDays = this.#days('SERVICE_AUDIT_DAYS', undefined);
    if (auditDays !== undefined && (days === undefined || auditDays < days))
      this.fault(
        'SERVICE_AUDIT_DAYS',
        `is "${auditDays}", but SERVICE_HISTORY_DAYS is "${days ?? 'unlimited'}": past states need their commits`,
      );
    return { ...(days !== undefined && { days }), ...(auditDays !== undefined && { auditDays }) };
  }

  /** Undefined for "unlimited". So many days ago there must have been a date. */
  #days(name: string, fallback: number | undefined): number | undefined {
    const value = this.text(name);
    if (value === undefined || value === 'unlimited' || /^[1-9]\d{0,4}$/.test(value))
      return this.count(name, 'of days', fallback);
    this.fault(name, `is "${value}": write a number of days from 1 to 99999, or "unlimited"`);
    return fallback;
  }

  /** A number of something; undefined for "unlimited". */
  count(name: string, what: string, fallback: number | undefined): number | undefined {
    const value = this.text(name);
    if (value === 'unlimited') return undefined;
    if (value === undefined) return fallback;
    if (/^[1-9]\d{0,8}$/.test(value)) return Number(value);
    this.fault(name, `is "${value}": write a number ${what} of at least 1, or "unlimited"`);
    return fallback;
  }

  revocationLog(): Pick<CloudConfig, 'revocationLog'> {
    const file = this.text('SERVICE_REVOCATION_LOG');
    const key = this.secret('SERVICE_REVOCATION_LOG_KEY');
    if (file !== undefined && isInside(file, this.dataDir()))
      this.fault(
        'SERVICE_REVOCATION_LOG',
        `is "${file}", inside the data directory: what is lost with the database helps nobody`,
      );
    if (file !== undefined && key !== undefined)
      return { revocationLog: { file: resolve(file), key: new Secret(key) } };
    if (file !== undefined) this.fault('SERVICE_REVOCATION_LOG_KEY', 'is missing, but SERVICE_REVOCATION_LOG is given');
    if (key !== undefined) this.fault('SERVICE_REVOCATION_LOG', 'is missing, but its key is given');
    return {};
  }

  hours(name: string, fallback: number): number {
    const value = this.text(name);
    if (value === undefined) return fallback;
    if (/^[1-9]\d{0,3}$/.test(value)) return Number(value);
    this.fault(name, `is "${value}": write a number of hours from 1 to 9999`);
    return fallback;
  }

  tenants(): { tenantRecordsMax?: number; tenantIdleMs?: number } {
    const tenantRecordsMax = this.count('SERVICE_TENANT_RECORDS_MAX', 'of records', undefined);
    const minutes = this.count('SERVICE_TENANT_IDLE_MINUTES', 'of minutes', 60);
    return { ...(tenantRecordsMax && { tenantRecordsMax }), ...(minutes && { tenantIdleMs: minutes * 60_000 }) };
  }

  quotas(name: string): Quotas {
    const text = this.text(name);
    return text === undefined ? {} : readQuotas(text, (detail) => this.fault(name, detail));
  }

  bootstrap(): CloudConfig['bootstrap'] {
    const tenant = this.text('SERVICE_BOOTSTRAP_TENANT') ?? 'default';
    const id = this.text('SERVICE_BOOTSTRAP_CLIENT_ID');
    const secret = this.secret('SERVICE_BOOTSTRAP_CLIENT_SECRET');
    if (id !== undefined && !/^[\x21-\x7e]{1,256}$/.test(id)) {
      this.fault('SERVICE_BOOTSTRAP_CLIENT_ID', 'must be 1 to 256 printable ASCII characters without spaces');
    }
    const recover = this.flag('SERVICE_BOOTSTRAP_RECOVER');
    if (recover && id === undefined) this.fault('SERVICE_BOOTSTRAP_RECOVER', 'needs SERVICE_BOOTSTRAP_CLIENT_ID, too');
    if (id !== undefined && secret !== undefined) {
      return { tenant, client: { id, secret: new Secret(secret) }, recover };
    }
    if (id !== undefined)
      this.fault('SERVICE_BOOTSTRAP_CLIENT_SECRET', 'is missing, but SERVICE_BOOTSTRAP_CLIENT_ID is given');
    if (secret !== undefined) this.fault('SERVICE_BOOTSTRAP_CLIENT_ID', 'is missing, but the secret is given');
    return { tenant, recover };
  }

  flag(name: string): boolean {
    const value = this.text(name);
    if (value !== undefined && value !== 'true' && value !== 'false')
      this.fault(name, `is "${value}": write true or false`);
    return value === 'true';
  }

  /** Returns what the variable holds, or the file that `<name>_FILE` names, and which of the two it was. */
  #given(name: string): { value: string; from: string } | undefined {
    const direct = this.text(name);
    const from = `${name}_FILE`;
    const file = this.flags[name] === undefined ? this.text(from) : undefined;
    if (direct !== undefined && file !== undefined)
      this.fault(name, `is given together with ${from}: give only one of them`);
    const value = file === undefined ? direct : this.#read(from, file);
    return value === undefined ? undefined : { value, from: file === undefined ? name : from };
  }

  /** A secret. Its value appears in no fault. */
  secret(name: string): string | undefined {
    const { value: secret, from = name } = this.#given(name) ?? {};
    if (secret !== undefined && secret.length < SECRET_LENGTH_MIN) {
      const had = `${secret.length} ${secret.length === 1 ? 'character' : 'characters'}`;
      this.fault(
        from,
        `holds a secret of ${had}: give one of at least ${SECRET_LENGTH_MIN}, as "openssl rand -hex 24" makes`,
      );
    }
    return secret;
  }

  #read(name: string, file: string): string | undefined {
    try {
      return readFileSync(file, 'utf8').trim();
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? 'error';
      this.fault(name, `names "${file}", which cannot be read (${code})`);
      return undefined;
    }
  }

  /** Named by the flag if that is what was given. */
  fault(name: string, detail: string): void {
    const flag = FLAGS[name] ?? `--${name.slice('SERVICE_'.length).toLowerCase().replaceAll('_', '-')}`;
    this.#faults.push({ pointer: `/${this.flags[name] === undefined ? name : flag}`, detail });
  }
}

const SECRET_LENGTH_MIN = 16;

/** The flags that are not called as their variables. */
const FLAGS: Record<string, string> = { DATABASE_URL: '--to' };
