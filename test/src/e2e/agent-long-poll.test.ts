import { mkdtempSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentProcess, agentEnv, until } from './agent/agent-process.js';
import { ScriptedCloud, sendBundle } from './agent/scripted-cloud.js';
import { bundleOf, tenant } from './agent/tenant-fixture.js';

let home: string;
let cloud: ScriptedCloud;
const running: AgentProcess[] = [];

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'agent-long-poll-'));
  cloud = await ScriptedCloud.start();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((agent) => agent.kill()));
  await cloud.stop();
  rmSync(home, { recursive: true, force: true });
});

/** A poll interval so long that no poll happens within a test. */
function start(env: Record<string, string> = {}): AgentProcess {
  const agent = new AgentProcess({
    env: agentEnv(home, cloud.url, { SERVICE_POLL_INTERVAL: '1h', ...env }),
  });
  running.push(agent);
  return agent;
}

/** Serves bundles as the real cloud does: it holds the requests of callers that have the newest one. */
class Holding {
  readonly held = new Set<ServerResponse>();
  #archive: Buffer = Buffer.alloc(0);
  #etag = '';

  async serve(revision: number, readers = ['alice']) {
    const bundle = bundleOf(tenant({ revision, readers }));
    this.#archive = await cloud.signer.pack(bundle);
    this.#etag = `"${bundle.revision}"`;
    cloud.answer((request, response) => {
      const wait = /^wait=(\d+)$/.exec(String(request.headers.prefer ?? ''))?.[1];
      if (wait !== undefined) response.setHeader('preference-applied', `wait=${wait}`);
      if (wait === undefined || request.headers['if-none-match'] !== this.#etag) {
        sendBundle(request, response, this.#archive, this.#etag);
        return;
      }
      this.held.add(response);
      response.on('close', () => this.held.delete(response));
    });
    for (const response of this.held) sendBundle(response.req, response, this.#archive, this.#etag);
    return bundle;
  }
}

const longPolls = async (agent: AgentProcess) =>
  ((await (await agent.get('/v1/status')).json()) as { long_poll: boolean | null }).long_poll;

describe('an agent whose cloud holds requests', () => {
  it('has each revision as soon as there is one, with one request at a time', async () => {
    const holding = new Holding();
    await holding.serve(1);
    const agent = start();
    for (let revision = 2; revision <= 6; revision++) {
      await until(() => expect(holding.held.size).toBe(1));
      if (revision === 2) expect(await longPolls(agent)).toBe(null);
      const bundle = await holding.serve(revision, revision % 2 === 0 ? ['bob'] : ['alice']);
      await agent.serves(bundle.revision);
      expect(await agent.allows('bob')).toBe(revision % 2 === 0);
    }
    await until(() => expect(holding.held.size).toBe(1));
    expect(await longPolls(agent)).toBe(true);
    // One without a wait at the start, one that ends with each revision, and the one that is held.
    expect(cloud.requests.map(({ headers }) => headers.prefer)).toEqual([undefined, ...Array(6).fill('wait=25')]);
    expect((await agent.metrics()).get('service_agent_bundle_sync_failures_total')).toBe(0);
  });

  it('asks on when the time of a request is over, and counts that as a sync', async () => {
    const holding = new Holding();
    const bundle = await holding.serve(1);
    const agent = start({ SERVICE_POLL_INTERVAL: '2s' });
    const asked = await until(() => {
      expect(holding.held.size).toBe(1);
      return cloud.requests.length;
    });
    const { last_sync: before } = await agent.health();
    // As the real cloud answers after `wait=1`.
    const ending = setInterval(() => {
      for (const response of holding.held) response.writeHead(304).end();
    }, 1000);
    try {
      await until(() => expect(cloud.requests.length).toBeGreaterThan(asked + 1));
      const after = await agent.health();
      expect(after).toMatchObject({ status: 'ok', bundle_revision: bundle.revision, consecutive_failures: 0 });
      expect(Date.parse(after.last_sync)).toBeGreaterThan(Date.parse(before));
    } finally {
      clearInterval(ending);
    }
  });

  it('goes on through a restart of the cloud, and finds what was committed meanwhile', async () => {
    const holding = new Holding();
    await holding.serve(1);
    const agent = start();
    await until(() => expect(holding.held.size).toBe(1));
    await cloud.refuse();
    await agent.healthy(({ status }) => status === 'degraded');
    expect(await agent.allows('alice')).toBe(true);
    const bundle = await holding.serve(2, ['bob']);
    await cloud.listen();
    await agent.serves(bundle.revision);
    expect(await agent.allows('alice')).toBe(false);
    await until(() => expect(holding.held.size).toBe(1));
  });

  it('gives up a request that is held beyond its time, and no decision waits for it', async () => {
    const holding = new Holding();
    await holding.serve(1);
    const agent = start({ SERVICE_POLL_INTERVAL: '2s' });
    await until(() => expect(holding.held.size).toBe(1));
    expect(await agent.allows('alice')).toBe(true);
    const line = await agent.logged(({ msg }) => msg === 'bundle sync failed');
    expect(line.error).toMatch(/was silent for 11 s/);
    expect(await agent.allows('alice')).toBe(true);
    await agent.healthy(({ status }) => status === 'ok');
  }, 60_000);

  it('stops at once while a request is held', async () => {
    const holding = new Holding();
    await holding.serve(1);
    const agent = start();
    await until(() => expect(holding.held.size).toBe(1));
    agent.signal('SIGTERM');
    expect(await agent.exited).toEqual({ code: 0, signal: null });
  });
});

describe('an agent whose cloud does not hold requests', () => {
  it('keeps to the poll interval', async () => {
    await cloud.serve(bundleOf(tenant({ revision: 1 })));
    const agent = start();
    await until(() => expect(cloud.requests).toHaveLength(2));
    await until(async () => {
      const { sync_age_seconds } = await agent.health();
      expect(sync_age_seconds).toBeGreaterThan(1);
    });
    expect(cloud.requests).toHaveLength(2);
    expect(await longPolls(agent)).toBe(false);
  });
});

describe('while bundles change', () => {
  it('no request sees half of two revisions', async () => {
    const holding = new Holding();
    await holding.serve(1, ['alice']);
    const agent = start();
    await until(() => expect(holding.held.size).toBe(1));
    // In each revision either alice or bob may read, never both and never neither.
    const body = JSON.stringify({
      resource: { type: 'invoice', id: 'INV-1' },
      action: { name: 'read' },
      evaluations: ['alice', 'bob'].map((id) => ({ subject: { type: 'user', id } })),
    });
    const url = `${await agent.url()}/access/v1/evaluations`;
    const seen = new Set<string>();
    let going = true;
    const asking = Array.from({ length: 4 }, async () => {
      while (going) {
        const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
        const { evaluations } = (await response.json()) as { evaluations: { decision: boolean }[] };
        seen.add(evaluations.map(({ decision }) => decision).join());
      }
    });
    for (let revision = 2; revision <= 30; revision++) {
      const bundle = await holding.serve(revision, revision % 2 === 0 ? ['bob'] : ['alice']);
      await agent.serves(bundle.revision);
    }
    going = false;
    await Promise.all(asking);
    expect([...seen].sort()).toEqual(['false,true', 'true,false']);
  });
});
