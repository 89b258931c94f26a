import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bundle } from '@authz-service/core/bundle/types';
import { encodeBundle, packBundle } from '@authz-service/core/bundle/write';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentProcess, agentEnv, until } from './agent/agent-process.js';
import { ScriptedCloud, sendBundle } from './agent/scripted-cloud.js';
import { bundleOf, tenant } from './agent/tenant-fixture.js';
import { sha256Of, TestSigner } from './agent/test-signer.js';

let home: string;
let cloud: ScriptedCloud;
const running: AgentProcess[] = [];

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'agent-trust-'));
  cloud = await ScriptedCloud.start();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((agent) => agent.kill()));
  await cloud.stop();
  rmSync(home, { recursive: true, force: true });
});

function start(env: Record<string, string> = {}): AgentProcess {
  const agent = new AgentProcess({
    env: agentEnv(home, cloud.url, { SERVICE_POLL_INTERVAL: '30ms', ...env }),
  });
  running.push(agent);
  return agent;
}

const inCache = (name: string) => join(home, '.service', 'bundles', name);
const first = bundleOf(tenant({ revision: 5 }));
const second = bundleOf(tenant({ revision: 6, readers: ['eve'] }));
const third = bundleOf(tenant({ revision: 7, readers: ['bob'] }));
const status = async (agent: AgentProcess) =>
  // biome-ignore lint/suspicious/noExplicitAny: tests look into the report.
  (await (await agent.get('/v1/status')).json()) as any;

async function serveSigned(bundle: Bundle, jws: string): Promise<void> {
  const archive = await packBundle(bundle, async () => jws);
  cloud.answer((request, response) => sendBundle(request, response, archive, `"${bundle.revision}"`));
}

/** The agent refuses what the cloud serves, says why, and keeps the first bundle, also after a restart. */
async function refuses(agent: AgentProcess, cause: RegExp): Promise<void> {
  const health = await agent.healthy(({ consecutive_failures }) => consecutive_failures >= 2);
  expect(health).toMatchObject({ status: 'degraded', bundle_revision: first.revision });
  expect([await agent.allows('alice'), await agent.allows('eve')]).toEqual([true, false]);
  const line = await agent.logged(({ level, error }) => level === 'WARN' && cause.test(String(error)));
  expect(line.msg).toBe('bundle sync failed');
  expect((await status(agent)).last_error).toMatchObject({ code: 'invalid_bundle', detail: line.error });
  expect(readFileSync(inCache('bundle.json')).equals(encodeBundle(first))).toBe(true);
  await agent.kill();
  const again = start({ SERVICE_CLOUD_URL: 'http://127.0.0.1:9' });
  expect(await again.health()).toMatchObject({ bundle_revision: first.revision });
}

const STRANGE = /not trusted.* check SERVICE_CLOUD_URL.* remove bundle.json and bundle-keys.json/;

describe('an agent refuses a bundle', () => {
  it.each<[string, (stranger: TestSigner) => Promise<void>, RegExp]>([
    [
      'that is not signed',
      async () => {
        const archive = await packBundle(second);
        cloud.answer((request, response) => sendBundle(request, response, archive, '"x"'));
      },
      /not signed/,
    ],
    ['signed by a stranger', async (stranger) => serveSigned(second, await stranger.sign(second)), STRANGE],
    [
      'signed by a stranger whose keys are served, too',
      async (stranger) => {
        cloud.signer = stranger;
        await cloud.serve(second);
      },
      STRANGE,
    ],
    [
      'with the signature of another one',
      async () => serveSigned(second, await cloud.signer.sign(first)),
      /another bundle/,
    ],
    [
      'of which one byte of an id was changed',
      async () => {
        // No digest of the records covers ids: only the signature does.
        const [original] = second.tenants;
        if (original === undefined) throw new Error('no tenant');
        const records = original.records.map((record) =>
          record.kind === 'policy' ? { ...record, id: record.id.replace(/.$/, 'X') } : record,
        );
        const changed = { ...second, tenants: [{ ...original, records }] };
        expect(sha256Of(encodeBundle(changed))).not.toBe(sha256Of(encodeBundle(second)));
        await serveSigned(changed, await cloud.signer.sign(second));
      },
      /another bundle/,
    ],
    [
      'signed by a key that no trusted one announced',
      async () => {
        await cloud.signer.rotate({ announced: false });
        await cloud.serve(second);
      },
      STRANGE,
    ],
    [
      'that is older',
      async () => void (await cloud.serve(bundleOf(tenant({ revision: 4, readers: ['eve'] })))),
      /is older/,
    ],
  ])('%s', async (_, serve, cause) => {
    await cloud.serve(first);
    const agent = start();
    await agent.serves(first.revision);
    await serve(await TestSigner.make());
    await refuses(agent, cause);
  });

  it('at first contact, and pins no key by it', async () => {
    const stranger = await TestSigner.make();
    await serveSigned(second, await stranger.sign(second));
    const agent = start();
    await agent.healthy(({ consecutive_failures }) => consecutive_failures >= 2);
    expect((await agent.get('/readyz')).status).toBe(503);
    expect((await status(agent)).keys).toEqual({ signed_by: null, trusted: [], pinned: false });
    cloud.signer = stranger;
    await cloud.serve(second);
    await agent.serves(second.revision);
  });
});

describe('the keys an agent trusts', () => {
  it('follow announcements, however many it has slept through, and last over a restart', async () => {
    await cloud.serve(first);
    const agent = start();
    await agent.serves(first.revision);
    for (let turn = 0; turn < 3; turn++) await cloud.signer.rotate();
    await cloud.serve(second);
    await agent.serves(second.revision);
    expect((await status(agent)).keys).toMatchObject({ signed_by: cloud.signer.kid, pinned: false });
    await agent.kill();
    const again = start({ SERVICE_CLOUD_URL: 'http://127.0.0.1:9' });
    expect(await again.health()).toMatchObject({ bundle_revision: second.revision });
    expect((await status(again)).keys.trusted).toHaveLength(4);
  });

  it('are dropped where the announcement drops them', async () => {
    await cloud.serve(first);
    const agent = start();
    await agent.serves(first.revision);
    const stolen = cloud.signer.sign.bind(cloud.signer);
    const forged = await stolen(third);
    await cloud.signer.rotate({ revoke: true });
    await cloud.serve(second);
    await agent.serves(second.revision);
    await serveSigned(third, forged);
    const line = await agent.logged(({ level }) => level === 'WARN');
    expect(line.error).toMatch(/not trusted/);
    expect(await agent.health()).toMatchObject({ bundle_revision: second.revision });
  });

  it('are looked for when the cloud signs the same revision with another one', async () => {
    await cloud.serve(first);
    const agent = start();
    await agent.serves(first.revision);
    await cloud.signer.rotate();
    const archive = await cloud.signer.pack(first);
    const { kid } = cloud.signer;
    cloud.answer((request, response) => {
      response.setHeader('bundle-key', kid);
      sendBundle(request, response, archive, `"${first.revision}"`);
    });
    await until(async () => expect((await status(agent)).keys.signed_by).toBe(kid));
    expect(await agent.health()).toMatchObject({ status: 'ok', consecutive_failures: 0 });
  });

  it.each(['a file', 'the variable'])('are those that %s pins, from the first contact on', async (place) => {
    await cloud.serve(first);
    writeFileSync(join(home, 'keys.json'), cloud.signer.jwks);
    const jwks = place === 'a file' ? join(home, 'keys.json') : cloud.signer.jwks;
    const good = start({ SERVICE_BUNDLE_JWKS: jwks });
    await good.serves(first.revision);
    expect((await status(good)).keys).toEqual({
      signed_by: cloud.signer.kid,
      trusted: [cloud.signer.kid],
      pinned: true,
    });
    // A key announced by a pinned one counts as pinned.
    await cloud.signer.rotate();
    await cloud.serve(second);
    await good.serves(second.revision);
    await good.kill();

    const stranger = await TestSigner.make();
    const bad = start({ SERVICE_BUNDLE_JWKS: stranger.jwks });
    expect((await bad.logged(({ level }) => level === 'WARN')).msg).toMatch(/cached bundle ignored/);
    await bad.healthy(({ consecutive_failures }) => consecutive_failures >= 2);
    expect((await bad.get('/readyz')).status).toBe(503);
  });
});

describe('a cached bundle', () => {
  it.each(['', 'bundle.json', 'bundle.jws', 'bundle-keys.json', 'served.json'])(
    'comes back when somebody clears away "%s" under a running agent',
    async (name) => {
      await cloud.serve(first);
      const agent = start();
      await agent.serves(first.revision);
      rmSync(inCache(name), { recursive: true });
      await until(() => {
        expect(readFileSync(inCache('bundle.json')).equals(encodeBundle(first))).toBe(true);
        for (const file of ['bundle.jws', 'bundle-keys.json', 'served.json'])
          expect(statSync(inCache(file)).size).toBeGreaterThan(0);
      });
      expect(await agent.health()).toMatchObject({ status: 'ok', consecutive_failures: 0 });
    },
  );

  it.each<[string, () => void]>([
    ['without a signature', () => rmSync(inCache('bundle.jws'))],
    ['that does not say what was served last', () => rmSync(inCache('served.json'))],
    ['with a damaged note of what was served last', () => writeFileSync(inCache('served.json'), '{')],
    ['without keys', () => rmSync(inCache('bundle-keys.json'))],
    ['with damaged keys', () => writeFileSync(inCache('bundle-keys.json'), '{')],
    [
      'with one byte changed',
      () => {
        const text = readFileSync(inCache('bundle.json'), 'utf8');
        writeFileSync(inCache('bundle.json'), text.replace('"id":"tenant-1"', '"id":"tenant-2"'));
      },
    ],
  ])('%s is not served', async (_, damage) => {
    await cloud.serve(first);
    const agent = start();
    await agent.serves(first.revision);
    await agent.kill();
    damage();
    const again = start({ SERVICE_CLOUD_URL: 'http://127.0.0.1:9' });
    await again.logged(({ msg }) => msg.startsWith('cached bundle ignored'));
    expect((await again.get('/readyz')).status).toBe(503);
  });
});

describe('a rollback', () => {
  it('is taken where the operator permits it, and said', async () => {
    await cloud.serve(first);
    const agent = start();
    await agent.serves(first.revision);
    await agent.kill();
    const older = bundleOf(tenant({ revision: 2, readers: ['bob'] }));
    await cloud.serve(older);
    const again = start({ SERVICE_ALLOW_ROLLBACK: 'true' });
    await again.serves(older.revision);
    expect(await again.allows('bob')).toBe(true);
    const line = await again.logged(({ level }) => level === 'WARN');
    expect(line).toMatchObject({ before: first.revision, bundle_revision: older.revision });
  });
});
