import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { EngineRecord } from '@authz-service/core/access/api/engine';
import { digestRecords } from '@authz-service/core/bundle/digest';
import { makeBundleKey, signingKey } from '@authz-service/core/bundle/make-key';
import { signStatement, statementOf } from '@authz-service/core/bundle/statement';
import type { Bundle } from '@authz-service/core/bundle/types';
import { encodeBundle } from '@authz-service/core/bundle/write';
import { declare } from '@authz-service/core/records/registry';
import { revisionText } from '@authz-service/core/state/revision';
import { Secret } from '@authz-service/core/values/secret';
import { apiKeyHash } from '@authz-service/embedded/cache/api-key-hash';
import { LineWriter } from '@authz-service/pdp/sinks/line-writer';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningAgent, startAgent } from './agent.js';
import { createLog } from './log.js';

const records = [
  declare('application', { name: 'billing' }),
  declare('resource_type', { application: 'billing', name: 'invoice', actions: ['read'] }),
].map(({ kind, address, fields }) => ({ kind, id: address, fields })) as EngineRecord[];
const digest = digestRecords(records);
const revision = revisionText(4, digest);
const tenants = [{ id: 'tenant-1', name: 'acme', revision, digest, records }];
const bundle: Bundle = { format: 1, revision, unreadable: [], tenants };
const good = encodeBundle(bundle);
const { kid, privateJwk, publicKey } = await makeBundleKey();
const key = await signingKey(kid, privateJwk);
const sign = (bytes: Buffer) =>
  signStatement(statementOf(bundle, createHash('sha256').update(bytes).digest('hex'), new Date(0)), key);

const keyHash = apiKeyHash(new Secret('svc_test'), 'tenant-1');

/** The files that an agent which trusts the key leaves in its folder: the bytes are signed, whatever they are. */
async function cache(bytes: Buffer | string): Promise<void> {
  writeFileSync(join(dir, 'bundle.json'), bytes);
  writeFileSync(join(dir, 'bundle.jws'), await sign(Buffer.from(bytes)));
  writeFileSync(join(dir, 'bundle-keys.json'), JSON.stringify({ keys: [publicKey] }));
  const last = { tenant: { id: 'tenant-1', name: 'acme' }, revision, keyHash };
  writeFileSync(join(dir, 'served.json'), JSON.stringify(last));
}

let dir: string;
let logged: { level: string; msg: string; [field: string]: unknown }[];
let agent: RunningAgent | undefined;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'agent-'));
  logged = [];
});
afterEach(async () => {
  await agent?.stop();
  agent = undefined;
  rmSync(dir, { recursive: true, force: true });
});

async function start(tenantId?: string): Promise<RunningAgent> {
  const into = new Writable({
    write(chunk, _encoding, done) {
      logged.push(JSON.parse(String(chunk)));
      done();
    },
  });
  const writer = new LineWriter(into);
  agent = await startAgent(
    {
      apiKey: new Secret('svc_test'),
      // Nothing listens on port 9, the discard protocol.
      cloudUrl: new URL('http://127.0.0.1:9'),
      listenAddr: { host: '127.0.0.1', port: 0 },
      pollIntervalMs: 3_600_000,
      cacheDir: dir,
      logLevel: 'info',
      decisionLog: false,
      decisionLogSinks: [],
      decisionLogInputs: false,
      decisionLogMask: [],
      allowRollback: false,
      drainMs: 0,
      ...(tenantId === undefined ? {} : { tenantId }),
    },
    { log: createLog('info', writer), decisions: writer },
  );
  return agent;
}

const readiness = async () => (await fetch(`${agent?.url}/readyz`)).status;
const text = good.toString();

/** Every tenth byte of the file, and the bytes around boundaries. */
const cuts = [
  ...Array.from({ length: 10 }, (_, tenth) => Math.floor((good.length * tenth) / 10)),
  1,
  text.indexOf('\n'),
  text.indexOf('\n') + 1,
  text.indexOf('"records":[') + 11,
  text.lastIndexOf(']}'),
  good.length - 3,
  good.length - 2,
];

describe('a warm start', () => {
  it('serves a good cache at once', async () => {
    await cache(good);
    await start();
    expect(await readiness()).toBe(200);
    expect(logged.map(({ msg }) => msg)).toContain('serving the cached bundle');
  });

  it.each([undefined, 'tenant-1', 'acme'])('serves the cache of the tenant configured as %s', async (tenantId) => {
    await cache(good);
    await start(tenantId);
    expect(await readiness()).toBe(200);
  });

  it.each(cuts)('ignores a cache cut off after %i bytes', async (length) => {
    await cache(good.subarray(0, length));
    await start();
    expect(await readiness()).toBe(503);
    expect(logged[0]).toMatchObject({ level: 'WARN', msg: expect.stringMatching(/^cached bundle ignored/) });
  });

  it.each<[string, Buffer | string]>([
    ['of zeros', Buffer.alloc(good.length)],
    ['of other JSON', '{"cached": true}'],
    ['of null', 'null'],
    ['of another format', text.replace('"format":1', '"format":99')],
    ['with another record than it was made of', text.replaceAll('billing', 'billigg')],
    ['that is two of them', `${text}${text}`],
    ['that is no text', Buffer.concat([good.subarray(0, 100), Buffer.from([0xff]), good.subarray(101)])],
  ])('ignores a cache %s', async (_, bytes) => {
    await cache(bytes);
    await start();
    expect(await readiness()).toBe(503);
    expect(logged[0]).toMatchObject({ level: 'WARN', msg: expect.stringMatching(/^cached bundle ignored/) });
    expect(readFileSync(join(dir, 'bundle.json')).equals(Buffer.from(bytes))).toBe(true);
  });

  it('ignores a cache that is a folder', async () => {
    mkdirSync(join(dir, 'bundle.json'));
    await start();
    expect(await readiness()).toBe(503);
    expect(logged[0]).toMatchObject({ level: 'WARN' });
  });

  it('ignores the cache of another tenant', async () => {
    await cache(good);
    await start('tenant-2');
    expect(await readiness()).toBe(503);
    expect(logged[0]?.error).toMatch(/no tenant "tenant-2"/);
  });

  it('starts cold without a word of warning where there is no cache', async () => {
    await start();
    expect(await readiness()).toBe(503);
    expect(logged[0]).toMatchObject({ level: 'INFO', msg: expect.stringContaining('no cached bundle') });
  });

  it('clears away what a killed writer left', async () => {
    await cache(good);
    writeFileSync(join(dir, 'bundle.json.0f8fad5b-d9cb-469f-a165-70867728950e.tmp'), good.subarray(0, 40));
    await start();
    expect(await readiness()).toBe(200);
    expect(readdirSync(dir)).toEqual(['agent-id', 'bundle-keys.json', 'bundle.json', 'bundle.jws', 'served.json']);
  });
});
