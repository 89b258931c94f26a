import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { ProblemError } from '@authz-service/core/problem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CloudFlags, readConfig, readDataDir } from './config.js';

const SECRET = 'a secret of some length';
let dir: string;

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'authz-config-'));
  writeFileSync(join(dir, 'secret'), `${SECRET}\n`);
});

afterAll(() => rmSync(dir, { recursive: true, force: true }));

const OIDC = {
  SERVICE_OIDC_ISSUER: 'https://id.example.com',
  SERVICE_OIDC_CLIENT_ID: 'console',
  SERVICE_OIDC_CLIENT_SECRET: SECRET,
};

describe('the configuration', () => {
  it('names an identity provider, with groups that may stand for several', () => {
    const groups = 'engineers = staff/eng, admins=editors,engineers=viewers';
    const { oidc } = readConfig({ ...OIDC, SERVICE_OIDC_GROUPS: groups, SERVICE_OIDC_SUBJECT: 'email' });
    expect(oidc).toMatchObject({
      issuer: 'https://id.example.com',
      scope: 'openid profile email',
      subject: { type: 'user', by: 'email' },
      groupsClaim: 'groups',
      groups: new Map([
        ['engineers', ['staff/eng', 'viewers']],
        ['admins', ['editors']],
      ]),
    });
    expect(inspect(oidc)).not.toContain(SECRET);
    expect(readConfig({ ...OIDC, SERVICE_OIDC_ISSUER: 'http://127.0.0.1:9' }).oidc?.issuer).toBe('http://127.0.0.1:9');
  });

  it('has a default for everything', () => {
    expect(readConfig({})).toEqual({
      dataDir: join(homedir(), '.service', 'cloud'),
      listen: { host: '127.0.0.1', port: 8080 },
      logLevel: 'info',
      decisionLog: false,
      trustedProxies: [],
      work: { stepsPerSecond: 5_000_000 },
      console: { links: 'loopback', tenant: 'default' },
      history: { days: 400 },
      tenantIdleMs: 3_600_000,
      idempotencyMs: 86_400_000,
      drainMs: 5_000,
      limits: { tenant: {}, credential: {}, address: {} },
      bootstrap: { tenant: 'default', recover: false },
      warnings: [],
    });
  });

  it('has the address of a PostgreSQL database, from a variable or a file, without showing its password', () => {
    const url = 'postgres://cloud:hunter2@db.example.com/authz';
    writeFileSync(join(dir, 'url'), `${url}\n`);
    const { postgres } = readConfig({
      DATABASE_URL_FILE: join(dir, 'url'),
      DATABASE_DIRECT_URL: `${url}?sslmode=require`,
    });
    expect(postgres).toMatchObject({
      address: { user: 'cloud', sslMode: 'verify-full' },
      direct: { sslMode: 'require' },
    });
    expect(inspect(postgres, { depth: 9 }) + JSON.stringify(postgres)).not.toContain('hunter2');
  });

  it.each([
    [{ DATABASE_URL: 'postgres://cloud:hunter2@db' }, 'DATABASE_URL names no database'],
    [{ DATABASE_URL: '' }, 'DATABASE_URL is empty'],
    [{ DATABASE_URL_FILE: '/nothing' }, 'DATABASE_URL_FILE names "/nothing", which cannot be read (ENOENT)'],
    [
      { DATABASE_URL: 'postgres://a@b/c', DATABASE_URL_FILE: '/x' },
      'DATABASE_URL is given together with DATABASE_URL_FILE',
    ],
    [{ DATABASE_DIRECT_URL: 'postgres://a@b/c' }, 'DATABASE_DIRECT_URL is given without DATABASE_URL'],
    [
      { DATABASE_URL: 'postgres://a@b/c', SERVICE_DATA_DIR: '/d' },
      'SERVICE_DATA_DIR is given together with DATABASE_URL',
    ],
  ])('with %j is refused', (env, detail) => {
    expect(() => readConfig(env as Record<string, string>)).toThrow(detail);
  });

  it('of commands for SQLite alone takes no folder for a database on PostgreSQL', () => {
    const env = { DATABASE_URL: 'postgres://a@b/c' };
    expect(() => readDataDir(env)).toThrow('DATABASE_URL names a PostgreSQL database, which pg_dump backs up');
    expect(readDataDir(env, '/d')).toBe('/d');
  });

  it('is read from the environment', () => {
    const config = readConfig({
      SERVICE_DATA_DIR: '/data',
      SERVICE_LISTEN_ADDR: '0.0.0.0:80',
      SERVICE_PUBLIC_URL: 'https://authz.example.com/base/',
      SERVICE_LOG_LEVEL: 'WARN',
      SERVICE_BOOTSTRAP_TENANT: 'acme',
      SERVICE_BOOTSTRAP_CLIENT_ID: 'admin',
      SERVICE_BOOTSTRAP_CLIENT_SECRET: SECRET,
    });
    expect(config).toMatchObject({
      dataDir: '/data',
      listen: { host: '0.0.0.0', port: 80 },
      publicUrl: 'https://authz.example.com/base',
      logLevel: 'warn',
      bootstrap: { tenant: 'acme', client: { id: 'admin' }, recover: false },
      warnings: [],
    });
    expect(config.bootstrap.client?.secret.reveal()).toBe(SECRET);
  });

  it('follows a flag before a variable', () => {
    const flags: CloudFlags = { dataDir: '/flag', listenAddr: '[::1]:0', logLevel: 'error', publicUrl: 'http://flag' };
    const config = readConfig({ SERVICE_DATA_DIR: '/data', SERVICE_LISTEN_ADDR: 'nonsense' }, flags);
    expect(config).toMatchObject({
      dataDir: '/flag',
      listen: { host: '::1', port: 0 },
      logLevel: 'error',
      publicUrl: 'http://flag',
    });
  });

  it.each([
    [undefined, { stepsPerSecond: 5_000_000 }],
    ['250000', { stepsPerSecond: 250_000 }],
    ['unlimited', {}],
  ])('bounds the work of tenants: %s', (value, work) => {
    const env = value === undefined ? {} : { SERVICE_TENANT_STEPS_PER_SECOND: value };
    expect(readConfig(env).work).toEqual(work);
  });

  it('trusts the proxies that are named', () => {
    const { trustedProxies } = readConfig({ SERVICE_TRUSTED_PROXIES: '10.0.0.5, fd00::/8' });
    expect(trustedProxies.map(([address, bits]) => `${address}/${bits}`)).toEqual(['10.0.0.5/32', 'fd00::/8']);
  });

  it('takes the secret from a file', () => {
    const config = readConfig({
      SERVICE_BOOTSTRAP_CLIENT_ID: 'admin',
      SERVICE_BOOTSTRAP_CLIENT_SECRET_FILE: join(dir, 'secret'),
    });
    expect(config.bootstrap.client?.secret.reveal()).toBe(SECRET);
  });

  it('shows its secret nowhere', () => {
    const config = readConfig({ SERVICE_BOOTSTRAP_CLIENT_ID: 'admin', SERVICE_BOOTSTRAP_CLIENT_SECRET: SECRET });
    for (const text of [
      JSON.stringify(config),
      inspect(config, { depth: 9 }),
      String(config.bootstrap.client?.secret),
    ]) {
      expect(text).not.toContain(SECRET);
    }
  });

  it('listens on all addresses where no host is named', () => {
    expect(readConfig({ SERVICE_LISTEN_ADDR: ':9000' }).listen).toEqual({ host: '0.0.0.0', port: 9000 });
  });

  const wrong: [behaviour: string, env: Record<string, string>, flags: CloudFlags, pointers: string[]][] = [
    ['an address without a port', { SERVICE_LISTEN_ADDR: 'localhost' }, {}, ['/SERVICE_LISTEN_ADDR']],
    ['a port out of range', {}, { listenAddr: '127.0.0.1:65536' }, ['/--listen-addr']],
    ['an unknown log level', { SERVICE_LOG_LEVEL: 'loud' }, {}, ['/SERVICE_LOG_LEVEL']],
    ['a public URL of another scheme', { SERVICE_PUBLIC_URL: 'ftp://x' }, {}, ['/SERVICE_PUBLIC_URL']],
    ['a public URL with a query', { SERVICE_PUBLIC_URL: 'http://x/?y' }, {}, ['/SERVICE_PUBLIC_URL']],
    ['a public URL that is none', { SERVICE_PUBLIC_URL: 'x' }, {}, ['/SERVICE_PUBLIC_URL']],
    ['a proxy by its name', { SERVICE_TRUSTED_PROXIES: '10.0.0.5,proxy' }, {}, ['/SERVICE_TRUSTED_PROXIES']],
    ['all the world as a proxy', {}, { trustedProxies: '0.0.0.0/0' }, ['/--trusted-proxies']],
    [
      'fewer steps than a decision may take',
      { SERVICE_TENANT_STEPS_PER_SECOND: '99999' },
      {},
      ['/SERVICE_TENANT_STEPS_PER_SECOND'],
    ],
    ['audit shorter than history', { SERVICE_AUDIT_DAYS: '30' }, {}, ['/SERVICE_AUDIT_DAYS']],
    [
      'audit where history is endless',
      { SERVICE_HISTORY_DAYS: 'unlimited', SERVICE_AUDIT_DAYS: '500' },
      {},
      ['/SERVICE_AUDIT_DAYS'],
    ],
    ['idempotency without end', { SERVICE_IDEMPOTENCY_HOURS: 'unlimited' }, {}, ['/SERVICE_IDEMPOTENCY_HOURS']],
    ['a limit of nothing known', { SERVICE_TENANT_LIMITS: 'decisions=5/1m' }, {}, ['/SERVICE_TENANT_LIMITS']],
    ['a limit without a time', { SERVICE_ADDRESS_LIMITS: 'requests=5' }, {}, ['/SERVICE_ADDRESS_LIMITS']],
    ['a tenant of no records', { SERVICE_TENANT_RECORDS_MAX: '0' }, {}, ['/SERVICE_TENANT_RECORDS_MAX']],
    ['history of no days', { SERVICE_HISTORY_DAYS: '0' }, {}, ['/SERVICE_HISTORY_DAYS']],
    ['history of more days than there were', { SERVICE_HISTORY_DAYS: '999999999' }, {}, ['/SERVICE_HISTORY_DAYS']],
    ['history of a duration', { SERVICE_HISTORY_DAYS: '90d' }, {}, ['/SERVICE_HISTORY_DAYS']],
    ['steps that are no number', { SERVICE_TENANT_STEPS_PER_SECOND: '5e6' }, {}, ['/SERVICE_TENANT_STEPS_PER_SECOND']],
    ['links from nowhere', { SERVICE_CONSOLE_LINKS: 'none' }, {}, ['/SERVICE_CONSOLE_LINKS']],
    [
      'half an identity provider',
      { SERVICE_OIDC_ISSUER: 'https://a' },
      {},
      ['/SERVICE_OIDC_CLIENT_ID', '/SERVICE_OIDC_CLIENT_SECRET'],
    ],
    ['a provider without TLS', { ...OIDC, SERVICE_OIDC_ISSUER: 'http://id.example.com' }, {}, ['/SERVICE_OIDC_ISSUER']],
    ['scopes without openid', { ...OIDC, SERVICE_OIDC_SCOPE: 'email' }, {}, ['/SERVICE_OIDC_SCOPE']],
    ['persons by name', { ...OIDC, SERVICE_OIDC_SUBJECT: 'name' }, {}, ['/SERVICE_OIDC_SUBJECT']],
    ['groups that stand for none', { ...OIDC, SERVICE_OIDC_GROUPS: 'a=b,c' }, {}, ['/SERVICE_OIDC_GROUPS']],
    ['an empty variable', { SERVICE_DATA_DIR: '' }, {}, ['/SERVICE_DATA_DIR']],
    ['an empty flag', {}, { dataDir: ' ' }, ['/--data-dir']],
    ['an id without a secret', { SERVICE_BOOTSTRAP_CLIENT_ID: 'x' }, {}, ['/SERVICE_BOOTSTRAP_CLIENT_SECRET']],
    ['a recovery without an id', { SERVICE_BOOTSTRAP_RECOVER: 'true' }, {}, ['/SERVICE_BOOTSTRAP_RECOVER']],
    [
      'a recovery that is neither true nor false',
      { SERVICE_BOOTSTRAP_RECOVER: 'yes' },
      {},
      ['/SERVICE_BOOTSTRAP_RECOVER'],
    ],
    ['a secret without an id', { SERVICE_BOOTSTRAP_CLIENT_SECRET: SECRET }, {}, ['/SERVICE_BOOTSTRAP_CLIENT_ID']],
    [
      'an id with spaces',
      { SERVICE_BOOTSTRAP_CLIENT_ID: 'a b', SERVICE_BOOTSTRAP_CLIENT_SECRET: SECRET },
      {},
      ['/SERVICE_BOOTSTRAP_CLIENT_ID'],
    ],
    [
      'a secret file that is not there',
      { SERVICE_BOOTSTRAP_CLIENT_ID: 'x', SERVICE_BOOTSTRAP_CLIENT_SECRET_FILE: '/nowhere' },
      {},
      ['/SERVICE_BOOTSTRAP_CLIENT_SECRET_FILE', '/SERVICE_BOOTSTRAP_CLIENT_SECRET'],
    ],
    ['a drain time without unit', { SERVICE_DRAIN_TIME: '5' }, {}, ['/SERVICE_DRAIN_TIME']],
    ['a drain time of hours', { SERVICE_DRAIN_TIME: '1h' }, {}, ['/SERVICE_DRAIN_TIME']],
    [
      'all faults at once',
      { SERVICE_LOG_LEVEL: 'x', SERVICE_LISTEN_ADDR: 'x' },
      {},
      ['/SERVICE_LISTEN_ADDR', '/SERVICE_LOG_LEVEL'],
    ],
  ];

  it.each(wrong)('with %s is refused', (_, env, flags, pointers) => {
    const read = () => readConfig(env, flags);
    expect(read).toThrow(ProblemError);
    try {
      read();
    } catch (error) {
      const { code, errors, detail } = error as ProblemError;
      expect({ code, pointers: errors.map(({ pointer }) => pointer) }).toEqual({ code: 'invalid_config', pointers });
      for (const fault of errors) expect(detail).toContain(fault.detail);
      expect(detail).not.toContain(SECRET);
    }
  });

  it('warns of a variable it does not know, naming the nearest', () => {
    const { warnings } = readConfig({
      SERVICE_DATA_DIRR: '/x',
      SERVICE_ZZZ: 'x',
      SERVICE_API_KEY: 'x',
      SERVICE_CLIENT_ID: 'x',
      OTHER: 'x',
    });
    expect(warnings).toEqual([
      'The environment variable SERVICE_DATA_DIRR means nothing here: did you mean SERVICE_DATA_DIR?',
      'The environment variable SERVICE_ZZZ means nothing here.',
    ]);
  });

  it('refuses a short secret without showing it, and takes one of 16 characters', () => {
    const read = (secret: string) =>
      readConfig({ SERVICE_BOOTSTRAP_CLIENT_ID: 'x', SERVICE_BOOTSTRAP_CLIENT_SECRET: secret });
    expect(() => read('a-short-secret!')).toThrow(
      'SERVICE_BOOTSTRAP_CLIENT_SECRET holds a secret of 15 characters: give one of at least 16',
    );
    expect(() => read('a-short-secret!')).not.toThrow(/a-short-secret/);
    expect(read('a-long-secret-ok').bootstrap.client?.id).toBe('x');
  });
});
