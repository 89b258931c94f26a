import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { packArchive } from '@authz-service/core/bundle/archive';
import { BUNDLE_ENTRIES } from '@authz-service/core/bundle/format';
import { encodeBundle } from '@authz-service/core/bundle/write';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentProcess, agentEnv, until } from './agent/agent-process.js';
import { ScriptedCloud } from './agent/scripted-cloud.js';
import { bundleOf, tenant } from './agent/tenant-fixture.js';

/** A gzip stream of random bytes, which no compression ends early. */
const NOISE = gzipSync(Buffer.from(Array.from({ length: 1 << 20 }, () => Math.random() * 256)));

type Fault = (request: IncomingMessage, response: ServerResponse, next: Buffer) => void;

/** `next` is the archive of a good, newer bundle in which alice may no longer read. */
const FAULTS: [string, Fault, RegExp][] = [
  ['answers 401', (_, response) => response.writeHead(401).end(), /refused the API key/],
  ['answers 403', (_, response) => response.writeHead(403).end(), /scope "bundle"/],
  ['answers 429', (_, response) => response.writeHead(429, { 'retry-after': '3600' }).end(), /status 429/],
  ['answers 500', (_, response) => response.writeHead(500).end('{}'), /status 500/],
  ['redirects', (_, response) => response.writeHead(307, { location: '/' }).end(), /redirects are not followed/],
  ['answers with an empty body', (_, response) => response.end(), /archive/],
  ['answers with garbage', (_, response) => response.end('x'.repeat(10_000)), /gzip/],
  [
    'answers with a web page',
    (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>'),
    /text\/html/,
  ],
  [
    'calls the archive something else',
    (_, response, next) => response.writeHead(200, { 'content-type': 'application/json' }).end(next),
    /application\/json/,
  ],
  [
    'answers that nothing is newer than another bundle',
    (_, response) => response.writeHead(304, { etag: 'W/"99.0000000000000000"' }).end(),
    /nothing is newer than "99\.0000000000000000", but was asked about "\d+\..*check the proxies between/,
  ],
  [
    'has the archive packed once more on the way',
    (_, response, next) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(next)),
    /"Content-Encoding: gzip", which was not asked for: check the proxies between/,
  ],
  [
    'cuts the archive off',
    (_, response, next) => response.end(next.subarray(0, next.length / 2)),
    /incomplete or damaged/,
  ],
  ['flips a bit of the archive', (_, response, next) => response.end(flipped(next)), /./],
  [
    'resets in the middle of the body',
    (_, response, next) => {
      response.writeHead(200, { 'content-length': next.length });
      response.write(next.subarray(0, 100), () => response.socket?.resetAndDestroy());
    },
    /could not be asked/,
  ],
  ['resets before the headers', (request) => request.socket.resetAndDestroy(), /could not be asked/],
  ['sends an archive that explodes', (_, response) => explode(response), /unpacks to more than 536870912 bytes/],
  ['sends an archive without end', (_, response) => pour(response), /archive/],
];

function flipped(archive: Buffer): Buffer {
  const copy = Buffer.from(archive);
  const middle = Math.floor(copy.length / 2);
  copy.writeUInt8(copy.readUInt8(middle) ^ 1, middle);
  return copy;
}

/** A tar header that promises four gigabytes of `bundle.json`. */
function explode(response: ServerResponse): void {
  const header = Buffer.alloc(512);
  header.write('bundle.json', 0);
  header.write('0000644\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write('40000000000\0', 124);
  header.write('00000000000\0', 136);
  header.write('        ', 148);
  header.write('0', 156);
  header.write('ustar\0', 257);
  header.write('00', 263);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  response.end(gzipSync(Buffer.concat([header, Buffer.alloc(1 << 20)])));
}

function pour(response: ServerResponse): void {
  const more = (error?: Error | null) => {
    if (!error) response.write(NOISE, (failed) => setImmediate(more, failed));
  };
  more();
}

let home: string;
let cloud: ScriptedCloud;
let agent: AgentProcess;
let revision = 10;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'agent-faults-'));
  cloud = await ScriptedCloud.start();
  await cloud.serve(bundleOf(tenant({ revision })));
  agent = new AgentProcess({
    env: agentEnv(home, cloud.url, { SERVICE_POLL_INTERVAL: '20ms' }),
  });
  await agent.healthy(({ status }) => status === 'ok');
});
afterAll(async () => {
  await agent.kill();
  await cloud.stop();
  rmSync(home, { recursive: true, force: true });
});

const failuresTotal = async () => (await agent.metrics()).get('service_agent_bundle_sync_failures_total') ?? 0;

/** The agent serves `revision` through the fault, reports it, and recovers with the next revision. */
async function outlives(
  fault: () => void | Promise<void>,
  cause: RegExp,
  repair: () => void | Promise<void> = () => {},
): Promise<void> {
  const before = await agent.health();
  const failuresBefore = await failuresTotal();
  const linesBefore = agent.log.length;
  const asked = cloud.requests.length;
  await fault();
  const during = await agent.healthy(({ consecutive_failures }) => consecutive_failures >= 6);
  expect(during).toMatchObject({ status: 'degraded', degraded: true, bundle_revision: before.bundle_revision });
  expect((await agent.get('/readyz')).status).toBe(200);
  expect(await agent.allows('alice')).toBe(true);
  const metrics = await agent.metrics();
  expect(metrics.get('service_agent_degraded')).toBe(1);
  expect(metrics.get('service_agent_consecutive_sync_failures')).toBeGreaterThanOrEqual(6);

  // What could not be activated does not count as received.
  for (const { headers } of cloud.requests.slice(asked + 1)) {
    expect(headers['if-none-match']).toBe(`"${before.bundle_revision}"`);
  }

  await repair();
  revision++;
  const next = bundleOf(tenant({ revision }));
  await cloud.serve(next);
  const after = await agent.serves(next.revision);
  expect(after).toMatchObject({ status: 'ok', degraded: false, consecutive_failures: 0 });
  expect(Date.parse(after.last_sync)).toBeGreaterThanOrEqual(Date.parse(before.last_sync));
  expect((await agent.metrics()).get('service_agent_degraded')).toBe(0);
  expect((await agent.metrics()).get('service_agent_consecutive_sync_failures')).toBe(0);

  const recovery = await until(() => {
    const found = agent.log.slice(linesBefore).find(({ msg }) => msg.startsWith('bundle sync recovered'));
    if (found === undefined) throw new Error('not recovered yet');
    return found;
  });
  const failures = (await failuresTotal()) - failuresBefore;
  expect(recovery.msg).toBe(`bundle sync recovered after ${failures} consecutive failures, cache refreshed`);
  const lines = agent.log.slice(linesBefore);
  const errors = lines.filter(({ level }) => level === 'ERROR');
  expect(errors).toHaveLength(Math.floor(failures / 5));
  expect(errors[0]?.msg).toMatch(/^bundle sync failing for 5 consecutive attempts, serving from cache, last .* ago$/);
  expect(errors[0]?.error).toMatch(cause);
  expect(lines.find(({ level }) => level === 'WARN')?.error).toMatch(cause);
}

describe('the agent goes on while the cloud', () => {
  it.each(FAULTS)('%s', async (_, fault, cause) => {
    await outlives(async () => {
      const next = await cloud.signer.pack(bundleOf(tenant({ revision: revision + 1, readers: [] })));
      cloud.answer((request, response) => fault(request, response, next));
    }, cause);
  });

  it('sends a bundle of a format that only newer agents read', async () => {
    await outlives(async () => {
      const next = bundleOf(tenant({ revision: revision + 1, readers: [] }));
      const text = Buffer.from(encodeBundle(next).toString().replace('"format":1', '"format":6'));
      const archive = await packArchive(BUNDLE_ENTRIES, [text], (sha256) => cloud.signer.sign(next, sha256));
      cloud.answer((_, response) => response.end(archive));
    }, /has format 6; this program reads formats 1 to 5: update the older of the two/);
  });

  it('is away', async () => {
    await outlives(
      () => cloud.refuse(),
      /could not be asked/,
      () => cloud.listen(),
    );
  });

  it.each([
    ['serves an older revision', () => bundleOf(tenant({ revision: revision - 1, readers: [] })), /is older than/],
    ['serves another past', () => bundleOf(tenant({ revision, readers: [] })), /contradicts/],
    [
      'serves another tenant',
      () => bundleOf(tenant({ revision: revision + 5, id: 'tenant-2', name: 'other', readers: [] })),
      /belongs to tenant other \(tenant-2\), but acme \(tenant-1\) is served/,
    ],
    [
      'serves several tenants',
      () => bundleOf(tenant({ revision: revision + 5, readers: [] }), tenant({ id: 'tenant-2', name: 'other' })),
      /several tenants/,
    ],
    ['serves no tenant', () => bundleOf(), /no tenant/],
  ])('%s', async (_, bundle, cause) => {
    await outlives(async () => {
      await cloud.serve(bundle());
    }, cause);
  });

  it.each(['"999.0000000000000000"', 'W/"1.0000000000000000"', 'unquoted', ''])(
    'serves a bundle under the ETag %s, and asks by its revision',
    async (etag) => {
      revision++;
      const next = bundleOf(tenant({ revision }));
      const archive = await cloud.signer.pack(next);
      const asked: unknown[] = [];
      cloud.answer(({ headers }, response) => {
        asked.push(headers['if-none-match']);
        if (headers['if-none-match'] === `"${next.revision}"`) response.writeHead(304).end();
        else response.writeHead(200, { etag }).end(archive);
      });
      await until(() => expect(asked.length).toBeGreaterThan(3));
      expect(asked.slice(1)).toEqual(asked.slice(1).fill(`"${next.revision}"`));
      expect(await agent.health()).toMatchObject({ status: 'ok', bundle_revision: next.revision });
    },
  );

  it('serves records that are not those of the digest', async () => {
    await outlives(async () => {
      const good = tenant({ revision: revision + 5, readers: [] });
      const forged = { ...good, records: tenant({ readers: ['eve'] }).records };
      const bundle = bundleOf(forged);
      expect(encodeBundle(bundle).includes('eve')).toBe(true);
      await cloud.serve(bundle);
    }, /digest/);
  });
});

describe('the agent goes on while the disk', () => {
  it('cannot be written', async () => {
    const file = join(home, 'a-file');
    writeFileSync(file, '');
    await cloud.serve(bundleOf(tenant({ revision: 1 })));
    const other = new AgentProcess({
      env: agentEnv(home, cloud.url, { SERVICE_POLL_INTERVAL: '20ms', SERVICE_CACHE_DIR: join(file, 'below') }),
    });
    try {
      await other.healthy(({ status }) => status === 'ok');
      expect(await other.allows('alice')).toBe(true);
      const line = await other.logged(({ msg }) => msg.startsWith('bundle cannot be cached'));
      expect(line).toMatchObject({ level: 'ERROR', path: join(file, 'below', 'bundle.json') });
      const next = bundleOf(tenant({ revision: 2, readers: ['bob'] }));
      await cloud.serve(next);
      await other.serves(next.revision);
      // The disk is repaired: without a new revision the bundle in memory gets there.
      rmSync(file);
      await until(() => {
        expect(readFileSync(join(file, 'below', 'bundle.json')).equals(encodeBundle(next))).toBe(true);
      });
    } finally {
      await other.kill();
    }
  });
});
