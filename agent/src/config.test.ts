import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { durationMs } from '@authz-service/core/values/duration';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addressText, listenAddr, reachableUrl } from './config/listen-addr.js';
import { loadConfig } from './config.js';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'agent-config-'));
  mkdirSync(join(dir, 'home', '.service'), { recursive: true });
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const load = (env: NodeJS.ProcessEnv = {}, configPath?: string) =>
  loadConfig({ configPath, env: { HOME: join(dir, 'home'), SERVICE_API_KEY: 'svc_key', ...env }, cwd: dir });

const write = (name: string, text: string) => {
  const path = join(dir, name);
  writeFileSync(path, text);
  return path;
};

/** As a cloud serves it: with a token key beside the bundle key. */
const JWKS = JSON.stringify({
  keys: [
    { kid: 'abc', kty: 'EC' },
    { kid: 'bundle-1', kty: 'EC', crv: 'P-256', x: 'x', y: 'y', use: 'sig', alg: 'ES256' },
  ],
});

describe('configuration', () => {
  it('has the documented defaults', () => {
    const { config, faults, warnings } = load();
    expect(faults).toEqual([]);
    expect(warnings).toEqual([]);
    expect(config?.apiKey?.reveal()).toBe('svc_key');
    expect(config).toMatchObject({
      cloudUrl: new URL('http://127.0.0.1:8080'),
      tenantId: undefined,
      listenAddr: { host: '0.0.0.0', port: 8181 },
      pollIntervalMs: 30_000,
      maxAgeMs: undefined,
      cacheDir: join(dir, 'home', '.service', 'bundles'),
      logLevel: 'info',
      decisionLog: false,
      decisionLogInputs: false,
      decisionLogMask: [],
      bundleJwks: undefined,
      allowRollback: false,
      drainMs: 5_000,
    });
  });

  it('reads every setting from YAML', () => {
    write(
      'service-agent.yaml',
      `api_key: svc_from_file
cloud_url: https://cloud.example.com/base/
public_url: https://pdp.example.com/
tenant_id: acme
listen_addr: "[::1]:0"
poll_interval: 1h30m
max_age: 3h
cache_dir: ~/cache
log_level: WARN
decision_log: true
bundle_jwks: ~/keys.json
allow_rollback: true
drain_time: 1m
`,
    );
    writeFileSync(join(dir, 'home', 'keys.json'), JWKS);
    const { config, faults } = load({ SERVICE_API_KEY: '' });
    expect(faults).toEqual([]);
    expect(config?.apiKey?.reveal()).toBe('svc_from_file');
    expect(config).toMatchObject({
      cloudUrl: new URL('https://cloud.example.com/base/'),
      publicUrl: 'https://pdp.example.com',
      tenantId: 'acme',
      listenAddr: { host: '::1', port: 0 },
      pollIntervalMs: 5_400_000,
      maxAgeMs: 10_800_000,
      cacheDir: join(dir, 'home', 'cache'),
      logLevel: 'warn',
      decisionLog: true,
      decisionLogInputs: false,
      decisionLogMask: [],
      bundleJwks: { keys: [expect.objectContaining({ kid: 'bundle-1' })] },
      allowRollback: true,
      drainMs: 60_000,
    });
  });

  it('takes pinned keys in place of the path of a file', () => {
    expect(load({ SERVICE_BUNDLE_JWKS: ` ${JWKS}` }).config?.bundleJwks).toMatchObject({ keys: [{ kid: 'bundle-1' }] });
  });

  it('refuses a maximum age that a held poll alone could exceed', () => {
    expect(load({ SERVICE_MAX_AGE: '60s' }).config?.maxAgeMs).toBe(60_000);
    expect(load({ SERVICE_MAX_AGE: '59s' }).faults).toEqual([
      expect.stringMatching(/^SERVICE_MAX_AGE: 59 s is less than two poll intervals.*write at least 60s/),
    ]);
    expect(load({ SERVICE_MAX_AGE: 'soon' }).faults).toEqual([
      expect.stringMatching(/^SERVICE_MAX_AGE: "soon" is not/),
    ]);
  });

  describe('of bundles as files', () => {
    const complete = {
      SERVICE_API_KEY: '',
      SERVICE_BUNDLE_URL: 'https://cdn.example.com/acme/',
      SERVICE_TENANT_ID: 't1',
    };
    const load2 = (env: NodeJS.ProcessEnv = {}) => load({ ...complete, SERVICE_BUNDLE_JWKS: JWKS, ...env });

    it('needs no credential of the cloud, and heeds none', () => {
      const { config, faults } = load2({ SERVICE_API_KEY: 'svc_key', SERVICE_BUNDLE_HEADER: 'X-Token: a b' });
      expect(faults).toEqual([]);
      expect(config).toMatchObject({ bundleUrl: new URL(complete.SERVICE_BUNDLE_URL), tenantId: 't1' });
      expect(config?.apiKey).toBeUndefined();
      expect(config?.bundleHeader?.reveal()).toBe('X-Token: a b');
      expect(JSON.stringify(config)).not.toContain('a b');
    });

    it.each<[string, NodeJS.ProcessEnv, RegExp]>([
      [
        'without keys',
        { SERVICE_BUNDLE_JWKS: '' },
        /^SERVICE_BUNDLE_URL: .*set SERVICE_BUNDLE_JWKS to a copy of keys\.json/,
      ],
      ['without a tenant', { SERVICE_TENANT_ID: '' }, /^SERVICE_BUNDLE_URL: .*set SERVICE_TENANT_ID to the id/],
      [
        'beside a cloud',
        { SERVICE_CLOUD_URL: 'http://cloud' },
        /^SERVICE_BUNDLE_URL: no cloud is asked.*SERVICE_CLOUD_URL/,
      ],
      ['with a query', { SERVICE_BUNDLE_URL: 'https://cdn/x?sig=1' }, /^SERVICE_BUNDLE_URL: .*remove the query/],
      ['with a password', { SERVICE_BUNDLE_URL: 'https://a:b@cdn/' }, /^SERVICE_BUNDLE_URL: must not contain a user/],
      ['with a line in the header', { SERVICE_BUNDLE_HEADER: 'A: b\nC: d' }, /^SERVICE_BUNDLE_HEADER: is not a header/],
      ['with no value in the header', { SERVICE_BUNDLE_HEADER: 'Authorization' }, /is not a header/],
      ['with a header of its own', { SERVICE_BUNDLE_HEADER: 'If-None-Match: *' }, /"If-None-Match", which the agent/],
      [
        'with a header and no URL',
        { SERVICE_BUNDLE_URL: '', SERVICE_BUNDLE_HEADER: 'A: b', SERVICE_API_KEY: 'k' },
        /^SERVICE_BUNDLE_HEADER: no web server/,
      ],
    ])('are refused %s', (_, env, fault) => {
      expect(load2(env).faults).toEqual([expect.stringMatching(fault)]);
    });
  });

  it('lets the environment override YAML', () => {
    write('service-agent.yaml', 'tenant_id: from-file\npoll_interval: nonsense\nlog_level: error\n');
    const { config } = load({ SERVICE_TENANT_ID: 'from-env', SERVICE_POLL_INTERVAL: '500ms' });
    expect(config).toMatchObject({ tenantId: 'from-env', pollIntervalMs: 500, logLevel: 'error' });
  });

  it('prefers --config, then the working directory, then the home directory', () => {
    writeFileSync(join(dir, 'home', '.service', 'agent.yaml'), 'tenant_id: home');
    expect(load().config?.tenantId).toBe('home');
    write('service-agent.yaml', 'tenant_id: here');
    expect(load().config?.tenantId).toBe('here');
    write('other.yaml', 'tenant_id: other');
    expect(load({}, 'other.yaml').config?.tenantId).toBe('other');
  });

  it('takes texts as they are written, also where YAML sees numbers', () => {
    write('service-agent.yaml', 'tenant_id: 0042\napi_key: 12345\n');
    const { config } = load({ SERVICE_API_KEY: '' });
    expect(config?.tenantId).toBe('0042');
    expect(config?.apiKey?.reveal()).toBe('12345');
  });

  it.each([
    ['', 'an empty file'],
    ['# nothing\n', 'comments alone'],
    ['tenant_id:\nlog_level: ~\n', 'keys left blank'],
  ])('takes %j for no settings (%s)', (text) => {
    write('service-agent.yaml', text);
    expect(load()).toMatchObject({ faults: [], config: { tenantId: undefined, logLevel: 'info' } });
  });

  it.each<[string, NodeJS.ProcessEnv, string]>([
    ['a missing key', { SERVICE_API_KEY: undefined }, 'API key is required: set SERVICE_API_KEY'],
    [
      'pinned keys that are not there',
      { SERVICE_BUNDLE_JWKS: 'nowhere.json' },
      'nowhere.json" cannot be read (ENOENT)',
    ],
    [
      'pinned keys of no bundles',
      { SERVICE_BUNDLE_JWKS: '{"keys":[]}' },
      'the JSON does not pin keys: It contains no bundle key',
    ],
    ['an empty key', { SERVICE_API_KEY: '' }, 'API key is required: set SERVICE_API_KEY'],
    ['a key with a line feed', { SERVICE_API_KEY: 'svc_x\n' }, 'SERVICE_API_KEY: holds white space'],
    ['a URL without scheme', { SERVICE_CLOUD_URL: 'example.com' }, 'SERVICE_CLOUD_URL: "example.com" is not an http'],
    ['another scheme', { SERVICE_CLOUD_URL: 'ftp://example.com' }, '"ftp://example.com" is not an http'],
    ['a query', { SERVICE_CLOUD_URL: 'http://example.com/?a=1' }, 'must end after its path'],
    ['a listen address without port', { SERVICE_LISTEN_ADDR: '127.0.0.1' }, '"127.0.0.1" is not an address'],
    ['a port out of range', { SERVICE_LISTEN_ADDR: ':65536' }, '":65536" is not an address'],
    ['an interval without unit', { SERVICE_POLL_INTERVAL: '30' }, '"30" is not a duration'],
    ['an interval of nothing', { SERVICE_POLL_INTERVAL: '0s' }, '"0s" is out of range'],
    ['an interval no timer holds', { SERVICE_POLL_INTERVAL: '1000h' }, '"1000h" is out of range'],
    ['an unknown level', { SERVICE_LOG_LEVEL: 'loud' }, '"loud" is not a log level: write one of trace, debug'],
    ['a half truth', { SERVICE_DECISION_LOG: 'yes' }, '"yes" is neither true nor false: write true'],
    ['a half untruth', { SERVICE_DECISION_LOG: '0' }, '"0" is neither true nor false: write false'],
    [
      'a mask for whatever there is',
      { SERVICE_DECISION_LOG_MASK: 'context.ip,subject.properties.*' },
      '"subject.properties.*" is not the path of an input: write the paths of single values',
    ],
    [
      'masks with another separator',
      { SERVICE_DECISION_LOG_MASK: 'context.ip;context.mfa' },
      '"context.ip;context.mfa" is not the path of an input',
    ],
    ['no truth', { SERVICE_DECISION_LOG: 'sure' }, '"sure" is neither true nor false: write true or false'],
  ])('refuses %s', (_, env, fault) => {
    const { config, faults } = load(env);
    expect(config).toBeUndefined();
    expect(faults).toEqual([expect.stringContaining(fault)]);
  });

  it('names the place of every fault in a file, all at once', () => {
    const path = write(
      'bad.yaml',
      'api_key: "svc_a b"\npol_interval: 5s\nlisten_addr: nowhere\ncache_dir: [a, b]\nzzz: 1\n',
    );
    expect(load({ SERVICE_API_KEY: '' }, path).faults).toEqual([
      `${path}:2:1: unknown setting "pol_interval": did you mean "poll_interval"?`,
      `${path}:4:12: cache_dir: must be a single value`,
      expect.stringMatching(/:5:1: unknown setting "zzz": the settings are api_key, cloud_url/),
      `${path}:1:10: api_key: holds white space or characters that no API key has: remove them, for example a final newline`,
      `${path}:3:14: listen_addr: "nowhere" is not an address: write HOST:PORT like "0.0.0.0:8181", or a socket like "unix:///run/service/agent.sock"`,
    ]);
  });

  it.each([
    ['a syntax error', 'a: [1\n', /:1:4: The \[ that opens here is not closed: add the closing \]/],
    ['a quote that is not closed', 'log_level: "info\n\n', /:1:12: The quote that opens here/],
    ['a list', '- api_key\n', /:1:1: must be a map/],
    ['a key said twice', 'log_level: info\nlog_level: warn\n', /:2:1: /],
    ['a second document', 'log_level: info\n---\nlog_level: warn\n', /:2:\d+: there is a second YAML document/],
  ])('refuses %s', (_, text, fault) => {
    const { config, faults } = load({}, write('bad.yaml', text));
    expect(config).toBeUndefined();
    expect(faults[0]).toMatch(fault);
  });

  it('refuses a --config that is not there, or is a folder', () => {
    expect(load({}, 'absent.yaml').faults).toEqual([`${join(dir, 'absent.yaml')}: there is no such file`]);
    expect(load({}, 'home').faults).toEqual([`${join(dir, 'home')}: it cannot be read (EISDIR)`]);
  });

  it('warns of unknown variables and of no others', () => {
    const { config, warnings } = load({
      SERVICE_POLL_INTERVALL: '5s',
      SERVICE_QQ: '1',
      SERVICE_CLIENT_SECRET: 'x',
      SERVICE_BOOTSTRAP_CLIENT_ID: 'x',
      OTHER: 'x',
    });
    expect(config).toBeDefined();
    expect(warnings).toEqual([
      'The environment variable SERVICE_POLL_INTERVALL means nothing here: did you mean SERVICE_POLL_INTERVAL?',
      'The environment variable SERVICE_QQ means nothing here.',
    ]);
  });

  it('shows a secret nowhere', () => {
    const { config } = load({ SERVICE_API_KEY: 'svc_hidden' });
    expect(`${inspect(config)} ${JSON.stringify(config)} ${config?.apiKey}`).not.toContain('svc_hidden');
    const broken = load({ SERVICE_API_KEY: 'svc_hid den', SERVICE_CLOUD_URL: 'http://user:hidden@example.com' });
    expect(broken.faults).toHaveLength(2);
    expect(broken.faults.join()).not.toMatch(/hid/);
    for (const url of ['ftp://user:hidden@example.com', 'http://user:hidden @@', 'user:hidden@example.com']) {
      expect(load({ SERVICE_CLOUD_URL: url }).faults.join()).toMatch(/is not an http or https URL/);
      expect(load({ SERVICE_CLOUD_URL: url }).faults.join()).not.toContain('hidden');
    }
  });
});

describe('durationMs', () => {
  it.each([
    ['30s', 30_000],
    ['500ms', 500],
    ['5m', 300_000],
    ['1h30m', 5_400_000],
    ['1.5s', 1_500],
    ['1m500ms', 60_500],
    ['', undefined],
    ['30', undefined],
    ['s', undefined],
    ['-5s', undefined],
    ['5 s', undefined],
    ['5d', undefined],
  ])('reads %j as %j', (text, ms) => expect(durationMs(text)).toBe(ms));
});

describe('listenAddr', () => {
  it.each([
    ['0.0.0.0:8181', { host: '0.0.0.0', port: 8181 }],
    [':0', { port: 0 }],
    ['localhost:80', { host: 'localhost', port: 80 }],
    ['[::]:8181', { host: '::', port: 8181 }],
    ['unix:///run/service/agent.sock', { path: '/run/service/agent.sock' }],
    ['unix://agent.sock', undefined],
    ['unix:///', undefined],
    ['::1:80', undefined],
    ['host', undefined],
    ['host:', undefined],
    ['http://host:80', undefined],
    ['host:port', undefined],
  ])('reads %j', (text, read) => {
    expect(listenAddr(text)).toEqual(read);
    if (read !== undefined) expect(addressText(read)).toBe(text);
  });

  it.each([
    ['0.0.0.0', 'http://127.0.0.1:1'],
    ['::', 'http://localhost:1'],
    ['::1', 'http://[::1]:1'],
    ['10.0.0.1', 'http://10.0.0.1:1'],
  ])('is reached at %j', (host, url) => expect(reachableUrl({ host, port: 1 })).toBe(url));

  it('is reached at a socket by its path', () => {
    expect(reachableUrl({ path: '/run/agent.sock' })).toBe('unix:///run/agent.sock');
  });
});
