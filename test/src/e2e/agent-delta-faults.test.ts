import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentProcess, agentEnv, until } from './agent/agent-process.js';
import { ScriptedCloud, sendBundle } from './agent/scripted-cloud.js';
import { type DeltaOptions, deltaBetween } from './agent/tenant-delta.js';
import { asking, bundleOf, tenant } from './agent/tenant-fixture.js';
import { TestSigner } from './agent/test-signer.js';

const FIRST = tenant({ ballast: 20 });
const SECOND = tenant({ ballast: 20, revision: 2, readers: ['alice', 'bob'] });
const THIRD = tenant({ ballast: 20, revision: 3, readers: ['bob'] });

let cloud: ScriptedCloud;
let dir: string;
let agent: AgentProcess | undefined;

beforeEach(async () => {
  cloud = await ScriptedCloud.start();
  dir = mkdtempSync(join(tmpdir(), 'agent-delta-'));
});
afterEach(async () => {
  await agent?.kill();
  await cloud.stop();
  rmSync(dir, { recursive: true, force: true });
});

function start(env: Record<string, string> = {}): AgentProcess {
  agent = new AgentProcess({
    env: agentEnv(dir, cloud.url, { SERVICE_POLL_INTERVAL: '50ms', SERVICE_CACHE_DIR: dir, ...env }),
  });
  return agent;
}

/** Serves a revision: this delta to callers with an ETag, and the whole bundle to everybody else. */
async function serve(to: typeof FIRST, delta: Buffer): Promise<void> {
  const etag = `"${to.revision}"`;
  const archive = await cloud.signer.pack(bundleOf(to));
  const listener: RequestListener = (request, response) => {
    const base = request.headers['if-none-match'];
    if (request.headers['a-im'] !== 'policy-delta' || base === undefined || base === etag) {
      sendBundle(request, response, archive, etag);
      return;
    }
    const headers = { im: 'policy-delta', 'delta-base': base, etag, 'content-type': 'application/gzip' };
    response.writeHead(226, headers).end(delta);
  };
  cloud.answer(listener);
}

const cameBy = async (running: AgentProcess) =>
  ((await (await running.get('/v1/status')).json()) as { activated_by: string }).activated_by;
const refusal = (running: AgentProcess) =>
  running.log.find(({ msg }) => msg.startsWith('the changes cannot be applied'));

const standing = ({ revision, digest }: typeof FIRST) => ({ revision, digest });

describe('a delta', () => {
  const delta = (options?: DeltaOptions) => deltaBetween(cloud.signer, FIRST, SECOND, options);

  it('is taken, kept behind the bundle, and replayed without the cloud', async () => {
    await cloud.serve(bundleOf(FIRST));
    const running = start();
    await running.serves(FIRST.revision);
    expect(await running.allows('bob')).toBe(false);
    await serve(SECOND, await delta());
    await running.serves(SECOND.revision);
    expect([await running.allows('bob'), await cameBy(running)]).toEqual([true, 'delta']);
    await serve(THIRD, await deltaBetween(cloud.signer, SECOND, THIRD));
    await running.serves(THIRD.revision);
    expect([await running.allows('alice'), await cameBy(running)]).toEqual([false, 'delta']);
    expect(JSON.parse(readFileSync(join(dir, 'bundle.json'), 'utf8')).revision).toBe(FIRST.revision);

    await running.kill();
    await cloud.refuse();
    const restarted = start();
    await restarted.logged(({ msg, deltas }) => msg === 'serving the cached bundle' && deltas === 2);
    expect([await restarted.allows('alice'), await restarted.allows('bob')]).toEqual([false, true]);
    expect((await restarted.health()).bundle_revision).toBe(THIRD.revision);
  });

  const strangers = TestSigner.make();
  it.each<[string, () => Promise<Buffer>, RegExp]>([
    ['that is not signed', () => delta({ sign: null }), /not signed/],
    [
      'signed by a stranger',
      async () => delta({ sign: async (sha256) => (await strangers).signDelta(sha256) }),
      /not trusted/,
    ],
    ['of other bytes', () => delta({ sign: () => cloud.signer.signDelta('0'.repeat(64)) }), /another delta/],
    [
      'with the signature of a bundle',
      () => delta({ sign: (sha256) => cloud.signer.sign(bundleOf(SECOND), sha256) }),
      /not made with the key/,
    ],
    ['of another tenant', () => delta({ head: { tenant: { id: 'tenant-2', name: 'globex' } } }), /globex/],
    ['to another base', () => deltaBetween(cloud.signer, THIRD, SECOND), /starts at revision 3\./],
    [
      'to the same number with another digest',
      () => deltaBetween(cloud.signer, tenant({ readers: [] }), SECOND),
      /starts at revision 1\./,
    ],
    [
      'to an older revision',
      () => deltaBetween(cloud.signer, FIRST, tenant({ ballast: 20, revision: 0 })),
      /is not later/,
    ],
    ['with a change too few', () => delta({ edit: (all) => all.slice(1) }), /then have the digest/],
    [
      'that takes out what is not there',
      () => deltaBetween(cloud.signer, tenant({ readers: ['carl'] }), SECOND, { head: { base: standing(FIRST) } }),
      /no such record/,
    ],
    ['that is damaged', async () => Buffer.alloc(500, 'x'), /gzip/],
    ['that is cut off', async () => (await delta()).subarray(0, -20), /gzip/],
    ['that explodes', async () => gzipSync(Buffer.alloc(64 * 1024 * 1024)), /unpacks to more|data after/],
    ['that is a bundle', () => cloud.signer.pack(bundleOf(SECOND)), /bundle\.json/],
  ])('%s is not taken: the whole is fetched, and the next delta is taken again', async (_, offered, cause) => {
    await cloud.serve(bundleOf(FIRST));
    const running = start();
    await running.serves(FIRST.revision);
    await serve(SECOND, await offered());
    await running.serves(SECOND.revision);
    expect(refusal(running)).toMatchObject({ level: 'WARN', error: expect.stringMatching(cause) });
    expect([await running.allows('bob'), await cameBy(running)]).toEqual([true, 'bundle']);
    await serve(THIRD, await deltaBetween(cloud.signer, SECOND, THIRD));
    await running.serves(THIRD.revision);
    expect([await running.allows('alice'), await cameBy(running)]).toEqual([false, 'delta']);
  });

  it('offered again, or with no whole bundle to be had, changes nothing of what is served', async () => {
    await cloud.serve(bundleOf(FIRST));
    const running = start();
    await running.serves(FIRST.revision);
    const offered = await delta();
    await serve(SECOND, offered);
    await running.serves(SECOND.revision);
    cloud.answer((request, response) => {
      const headers = { im: 'policy-delta', etag: '"9.0"', 'content-type': 'application/gzip' };
      if (request.headers['a-im'] === undefined) response.writeHead(500).end();
      else response.writeHead(226, headers).end(offered);
    });
    await running.healthy(({ consecutive_failures }) => consecutive_failures > 1);
    expect(refusal(running)).toMatchObject({ error: expect.stringMatching(/starts at revision 1\./) });
    expect((await running.health()).bundle_revision).toBe(SECOND.revision);
    expect(await running.allows('bob')).toBe(true);
  });

  it('under a new key leads to the whole bundle, by which the key is followed', async () => {
    await cloud.serve(bundleOf(FIRST));
    const running = start();
    await running.serves(FIRST.revision);
    await cloud.signer.rotate({ revoke: true });
    await serve(SECOND, await delta());
    await running.serves(SECOND.revision);
    expect(await cameBy(running)).toBe('bundle');
    await serve(THIRD, await deltaBetween(cloud.signer, SECOND, THIRD));
    await running.serves(THIRD.revision);
    expect(await cameBy(running)).toBe('delta');
    await running.kill();
    await cloud.refuse();
    const restarted = start();
    await restarted.logged(({ msg, deltas }) => msg === 'serving the cached bundle' && deltas === 1);
    expect(await restarted.allows('alice')).toBe(false);
  });

  it('that is long is followed by the whole bundle once the tenant is quiet', async () => {
    const grown = tenant({ ballast: 900, heavy: 400, revision: 2 });
    await cloud.serve(bundleOf(FIRST));
    const running = start();
    await running.serves(FIRST.revision);
    await serve(grown, await deltaBetween(cloud.signer, FIRST, grown));
    await running.serves(grown.revision);
    expect(await cameBy(running)).toBe('delta');
    await until(() => {
      expect(JSON.parse(readFileSync(join(dir, 'bundle.json'), 'utf8')).revision).toBe(grown.revision);
      expect(readdirSync(dir).filter((name) => name.startsWith('deltas-'))).toEqual([]);
    });
    expect((await running.health()).bundle_revision).toBe(grown.revision);
    await serve(THIRD, await deltaBetween(cloud.signer, grown, THIRD));
    await running.serves(THIRD.revision);
    expect(await cameBy(running)).toBe('delta');
  });

  /** The file of the deltas that an agent leaves, with one in it and the cloud away. */
  async function killedAfterDelta(): Promise<string> {
    await cloud.serve(bundleOf(FIRST));
    const running = start();
    await running.serves(FIRST.revision);
    await serve(SECOND, await delta());
    await running.serves(SECOND.revision);
    await running.kill();
    await cloud.refuse();
    const [log = ''] = readdirSync(dir).filter((name) => name.startsWith('deltas-'));
    return join(dir, log);
  }

  it('whose writing did not end is left out, which the log says', async () => {
    const log = await killedAfterDelta();
    const bytes = readFileSync(log);
    writeFileSync(log, Buffer.concat([bytes, bytes.subarray(0, -1)]));
    const restarted = start();
    const { level } = await restarted.logged(({ msg }) => /the last cached change is incomplete/.test(msg));
    expect([level, (await restarted.health()).bundle_revision]).toEqual(['WARN', SECOND.revision]);
  });

  describe('where some that were served are missing on disk, while the cloud is away,', () => {
    /**
     * THIRD was served: FIRST is the cached bundle, followed by two changes. The argument is what remains of their log.
     */
    async function killedAfterTwo(cut: (log: Buffer, second: number) => Buffer | undefined): Promise<void> {
      await killedAfterDelta();
      await cloud.listen();
      const running = start();
      await serve(THIRD, await deltaBetween(cloud.signer, SECOND, THIRD));
      await running.serves(THIRD.revision);
      expect([await running.allows('alice'), await running.allows('bob')]).toEqual([false, true]);
      await running.kill();
      await cloud.refuse();
      const [log = ''] = readdirSync(dir).filter((name) => name.startsWith('deltas-'));
      const bytes = readFileSync(join(dir, log));
      const left = cut(bytes, bytes.lastIndexOf('\neyJ') + 1);
      if (left === undefined) rmSync(join(dir, log));
      else writeFileSync(join(dir, log), left);
    }
    const behind = ({ revision }: typeof FIRST) =>
      new RegExp(`revision ${revision} .*, but ${THIRD.revision} was served.*SERVICE_ALLOW_ROLLBACK=true`);

    it.each<[string, (log: Buffer, second: number) => Buffer | undefined, RegExp]>([
      ['all of them', () => undefined, behind(FIRST)],
      ['all of their log', () => Buffer.alloc(0), behind(FIRST)],
      ['all but the beginning of the first line', (log) => log.subarray(0, 20), behind(FIRST)],
      ['all but a part of the first one', (log, second) => log.subarray(0, second - 1), behind(FIRST)],
      ['the first one', (log, second) => log.subarray(second), /starts at revision 2\./],
      ['the second one', (log, second) => log.subarray(0, second), behind(SECOND)],
      ['the last byte', (log) => log.subarray(0, -1), behind(SECOND)],
    ])('be it %s, brings no right back that was revoked', async (_, cut, cause) => {
      await killedAfterTwo(cut);
      const restarted = start();
      const { error } = await restarted.logged(({ msg }) => msg.startsWith('cached bundle ignored'));
      expect(error).toMatch(cause);
      expect((await restarted.get('/readyz')).status).toBe(503);
      expect((await restarted.authorize(asking('alice'))).status).toBe(503);

      // Neither does a cloud that was rolled back, too.
      await cloud.serve(bundleOf(SECOND));
      await cloud.listen();
      await restarted.logged(({ error: refusal }) => /is older than 3\..*, which was served/.test(String(refusal)));
      expect((await restarted.get('/readyz')).status).toBe(503);
      await cloud.serve(bundleOf(THIRD));
      await restarted.serves(THIRD.revision);
      expect(await restarted.allows('alice')).toBe(false);
    });

    it('serves what is left where SERVICE_ALLOW_ROLLBACK permits, which the log says', async () => {
      await killedAfterTwo(() => undefined);
      const restarted = start({ SERVICE_ALLOW_ROLLBACK: 'true' });
      const line = await restarted.logged(({ msg }) => msg.includes('SERVICE_ALLOW_ROLLBACK permits'));
      expect(line).toMatchObject({ level: 'WARN', before: THIRD.revision });
      expect((await restarted.health()).bundle_revision).toBe(FIRST.revision);
    });
  });

  it('that is damaged on disk keeps the agent from serving what comes before it', async () => {
    const log = await killedAfterDelta();
    const bytes = readFileSync(log, 'latin1');
    writeFileSync(log, bytes.replace('"bob"', '"eve"'), 'latin1');
    const restarted = start();
    await restarted.logged(
      ({ msg, error }) => /cached bundle ignored/.test(msg) && /another delta/.test(String(error)),
    );
    expect((await restarted.get('/readyz')).status).toBe(503);
    await cloud.listen();
    await restarted.serves(SECOND.revision);
    await until(async () => expect(await restarted.allows('bob')).toBe(true));
  });
});
