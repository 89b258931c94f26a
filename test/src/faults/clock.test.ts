import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { revisionNumber } from '@authz-service/core/state/revision';
import { ServiceClient } from '@authz-service/sdk/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { AgentProcess, agentEnv } from '../e2e/agent/agent-process.js';
import { asking } from '../e2e/agent/tenant-fixture.js';
import { bootstrapEnv, CloudProcess } from '../e2e/cloud/cloud-process.js';
import { TENANT } from './fuzz/decisions.js';
import { metric } from './readiness.js';
import { WallClock } from './wall-clock.js';

const HOUR_MS = 3_600_000;

let dir: string;
let cloud: CloudProcess;
let cloudClock: WallClock;
let admin: ServiceClient;
const agents: AgentProcess[] = [];
let count = 0;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'clock-'));
  cloudClock = new WallClock(join(dir, 'cloud-clock'));
  cloud = new CloudProcess(join(dir, 'cloud'), { ...bootstrapEnv(), ...cloudClock.env });
  await (await cloud.client()).changeset({ changes: TENANT });
});
beforeEach(async () => {
  cloudClock.set(0);
  admin = await cloud.client();
});
afterEach(async () => {
  await Promise.all(agents.splice(0).map((agent) => agent.kill()));
});
afterAll(async () => {
  await cloud?.kill();
  rmSync(dir, { recursive: true, force: true });
});

/** An agent with a clock of its own, which is wrong by this many hours at its start. */
async function agentOff(hours: number, env: Record<string, string> = {}) {
  const name = `agent-${count++}`;
  const clock = new WallClock(join(dir, `${name}-clock`));
  clock.set(hours);
  const { secret } = await admin.records('api_key').create({ name, scopes: ['bundle'] });
  const agent = new AgentProcess({
    env: agentEnv(join(dir, name), await cloud.url(), {
      SERVICE_API_KEY: String(secret),
      SERVICE_POLL_INTERVAL: '30s',
      ...clock.env,
      ...env,
    }),
  });
  agents.push(agent);
  await agent.healthy(({ status }) => status === 'ok');
  return { agent, clock };
}

/** Lets a new subject read invoices for this long; returns the subject. */
async function granted(hours: number): Promise<{ subject: string; revision: string; address: string }> {
  const subject = `guest-${count++}`;
  const entity = `user/${subject}`;
  const expires_at = new Date(Date.now() + hours * HOUR_MS).toISOString();
  const { revision } = await admin.changeset({
    changes: [
      { op: 'create', kind: 'subject', fields: { type: 'user', id: subject } },
      {
        op: 'create',
        kind: 'policy_assignment',
        fields: { policy: 'billing/read', entity_type: 'subject', entity, expires_at },
      },
    ],
  });
  return { subject, revision, address: `policy_assignment/billing/read//subject/${entity}` };
}

/** Eight hours, less the time that the test takes. */
const behind = () => expect.closeTo(8 * 3600, -3);

describe('a cloud whose clock jumps', () => {
  it('takes no token and no key beyond its end, and gives no right beyond it', async () => {
    const { subject } = await granted(0.5);
    const ends = new Date(Date.now() + 0.5 * HOUR_MS).toISOString();
    const { secret } = await admin.records('api_key').create({ name: 'ends', scopes: ['decisions'], expires_at: ends });
    const lasting = await admin.records('api_key').create({ name: 'lasts', scopes: ['decisions'] });
    const url = await cloud.url();
    const ask = async (apiKey: unknown) => {
      const client = new ServiceClient({ url, credentials: { apiKey: String(apiKey) }, retries: 0 });
      return await client.decide(JSON.parse(asking(subject)));
    };
    expect(await ask(secret)).toMatchObject({ allowed: true });
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'admin',
      client_secret: bootstrapEnv().SERVICE_BOOTSTRAP_CLIENT_SECRET ?? '',
    });
    const { access_token } = (await (await fetch(`${url}/oauth/token`, { method: 'POST', body })).json()) as {
      access_token: string;
    };
    const whoami = () => fetch(`${url}/v1/whoami`, { headers: { authorization: `Bearer ${access_token}` } });
    expect((await whoami()).status).toBe(200);

    cloudClock.set(1.1);
    expect((await whoami()).status).toBe(401);
    await expect(ask(secret)).rejects.toMatchObject({ code: 'unauthorized' });
    expect(await ask(lasting.secret)).toMatchObject({ allowed: false });
    // The client asks for a token by the clock of the cloud.
    expect((await admin.whoami()).credential.name).toBe('administrator');
  });

  it('commits in order, and agents follow, though its clock goes back between commits', async () => {
    const { agent } = await agentOff(0);
    let before = 0;
    for (const hours of [0, 5, -5, -48, 0.5, -1]) {
      cloudClock.set(hours);
      const client = await cloud.client();
      await client.rotateBundleKeys();
      const subject = `at-${count++}`;
      const { revision } = await client.changeset({
        changes: [{ op: 'create', kind: 'subject', fields: { type: 'user', id: subject } }],
      });
      expect(revisionNumber(revision)).toBeGreaterThan(before);
      before = revisionNumber(revision);
      await agent.serves(revision);
      expect([await agent.allows('alice'), await agent.allows(subject)]).toEqual([true, false]);
    }
    const revisions: number[] = [];
    for await (const { revision } of (await cloud.client()).audit({ limit: 1000 }))
      revisions.push(revisionNumber(revision));
    expect(revisions).toEqual([...revisions].sort((left, right) => right - left));
  });

  it('records no time before that of the commit before, says that its clock went back, and when it has caught up', async () => {
    cloudClock.set(7);
    await granted(1);
    cloudClock.set(-1);
    const readiness = async () => (await (await fetch(`${await cloud.url()}/readyz`)).json()) as object;
    await granted(1);
    expect(await readiness()).toMatchObject({ status: 'ready', writable: true, clock_behind_seconds: behind() });
    expect(await metric(cloud, 'service_cloud_clock_behind_seconds')).toEqual(behind());
    const { subject } = await granted(1);
    const client = await cloud.client();
    const times: number[] = [];
    for await (const { at } of client.audit({ limit: 1000 })) times.push(Date.parse(at));
    expect(times).toEqual([...times].sort((left, right) => right - left));
    const { records } = await client.state();
    const made = records.find(({ address }) => address === `subject/user/${subject}`);
    expect(Date.parse(made?.created_at ?? '')).toBe(times[0]);

    cloudClock.set(7.1);
    expect(await readiness()).not.toHaveProperty('clock_behind_seconds');
    // The answer may arrive before the line of the log.
    await vi.waitFor(() => {
      const said = cloud.stderr.filter(
        (line) => line.includes('with the newest commit') || line.includes('clock is behind'),
      );
      expect(said.slice(-2).map((line) => JSON.parse(line))).toMatchObject([
        { level: 'WARN', clock_behind_seconds: behind(), msg: expect.stringMatching(/correct the clock$/) },
        { level: 'INFO', msg: 'the clock has caught up with the newest commit' },
      ]);
    }, 10_000);
  });

  it('leads the time of decisions until it is right again, which the agent says when it begins and ends', async () => {
    const { agent } = await agentOff(0, { SERVICE_POLL_INTERVAL: '2s' });
    const { subject, revision } = await granted(2);
    await agent.serves(revision);
    expect(await agent.allows(subject)).toBe(true);
    cloudClock.set(5);
    await (await cloud.client()).records('api_key').create({ name: `ahead-${count++}`, scopes: ['bundle'] });
    const said = await agent.logged(({ lead_seconds }) => lead_seconds !== undefined);
    expect([said.level, said.msg]).toEqual([
      'WARN',
      expect.stringMatching(/1[78]\d{3} s ahead of .* until it signs the right time$/),
    ]);
    expect(await agent.allows(subject)).toBe(false);
    cloudClock.set(0);
    await agent.logged(({ msg }) => msg === 'the clocks of this machine and of the cloud agree again');
    expect(await agent.allows(subject)).toBe(true);
    expect(agent.log.filter(({ level }) => level === 'WARN')).toHaveLength(1);
  });

  it('gives nothing early and drops no DENY once it is right again, without another commit', async () => {
    // Held requests and the interval alone would take too long.
    const { agent } = await agentOff(0, { SERVICE_POLL_INTERVAL: '24h' });
    const [early, denied] = [`early-${count++}`, `denied-${count++}`];
    const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();
    const assigned = (policy: string, subject: string, period: object) =>
      ({
        op: 'create',
        kind: 'policy_assignment',
        fields: { policy, entity_type: 'subject', entity: `user/${subject}`, ...period },
      }) as const;
    const deny = {
      application: 'billing',
      name: `stop-${count++}`,
      effect: 'DENY',
      priority: 1000,
      resource_type: 'billing/invoice',
      actions: ['read'],
    };
    cloudClock.set(5);
    const { revision } = await (await cloud.client()).changeset({
      changes: [
        ...[early, denied].map((id) => ({ op: 'create', kind: 'subject', fields: { type: 'user', id } }) as const),
        { op: 'create', kind: 'policy', fields: deny },
        assigned('billing/read', early, { starts_at: inHours(1) }),
        assigned('billing/read', denied, {}),
        assigned(`billing/${deny.name}`, denied, { expires_at: inHours(1) }),
      ],
    });
    await agent.serves(revision);
    const allowed = async () => [await agent.allows(early), await agent.allows(denied)];
    expect(await allowed()).toEqual([true, true]);
    cloudClock.set(0);
    await vi.waitFor(async () => expect(await allowed()).toEqual([false, false]), { timeout: 20_000 });
  });

  it('answers a request that waits for a commit when the commit comes', async () => {
    // Without that, the next poll would be tomorrow.
    const { agent } = await agentOff(0, { SERVICE_POLL_INTERVAL: '24h' });
    for (const hours of [2, -2]) {
      cloudClock.set(hours);
      const { revision } = await granted(10);
      await agent.serves(revision);
    }
  });
});

describe('an agent whose clock', () => {
  it.each([1, -1, 24 * 365, -24 * 365])(
    'jumps by %d hours tells the age of its bundle rightly, and follows',
    async (hours) => {
      const { agent, clock } = await agentOff(0);
      clock.set(hours);
      await granted(1);
      const said = await agent.logged(({ cloud_ahead_seconds }) => cloud_ahead_seconds !== undefined);
      expect(Math.round(Number(said.cloud_ahead_seconds) / 3600)).toBe(-hours);
      expect([said.level, said.msg]).toEqual(['WARN', expect.stringMatching(/correct the clock that is wrong$/)]);
      const { sync_age_seconds, degraded } = await agent.health();
      expect(sync_age_seconds).toBeGreaterThanOrEqual(0);
      expect(sync_age_seconds).toBeLessThan(600);
      expect(degraded).toBe(false);
      const { revision, address } = await granted(24 * 365 * 2);
      await agent.serves(revision);
      expect(await agent.allows('alice')).toBe(true);
      const { revision: after } = await admin.changeset({ changes: [{ op: 'delete', address }] });
      await agent.serves(after);
      const { age_seconds } = (await (await agent.get('/v1/status')).json()) as { age_seconds: number };
      expect(age_seconds).toBeLessThan(600);
    },
  );

  it('is an hour ahead gives no right beyond its end', async () => {
    const { agent } = await agentOff(1);
    const { subject, revision } = await granted(0.5);
    await agent.serves(revision);
    expect(await agent.allows(subject)).toBe(false);
  });

  it.each([-1, -24 * 365 * 20])('is %d hours off gives no right beyond its end', async (hours) => {
    const { agent } = await agentOff(hours);
    // By the right time it has ended; by the agent's, it has not.
    const { subject, revision } = await granted(-0.5);
    await agent.serves(revision);
    expect(await agent.allows(subject)).toBe(false);
  });

  it('goes back while it runs gives no right beyond its end', async () => {
    const { agent, clock } = await agentOff(0);
    const { subject, revision } = await granted(0.5);
    await agent.serves(revision);
    expect(await agent.allows(subject)).toBe(true);
    clock.set(1);
    expect(await agent.allows(subject)).toBe(false);
  });
});
