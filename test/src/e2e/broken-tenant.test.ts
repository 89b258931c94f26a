import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceClient } from '@authz-service/sdk/client';
import knex, { type Knex } from 'knex';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasPostgres, PostgresServer } from '../../../cloud/testing/postgres-server.js';
import { billing } from '../../../cloud/testing/test-cloud.js';
import { AgentProcess, agentEnv, until } from './agent/agent-process.js';
import { asking } from './agent/tenant-fixture.js';
import { bootstrapEnv, CloudProcess } from './cloud/cloud-process.js';

/** A right that was taken away. */
const TAKEN = 'role_assignment/billing/accountant//subject/user/alice';

let server: PostgresServer | undefined;
beforeAll(async () => {
  if (hasPostgres) server = await PostgresServer.start();
});
afterAll(() => server?.stop());

describe.each(['SQLite', ...(hasPostgres ? ['PostgreSQL'] : [])])("an operator's agents, on %s", (name) => {
  let dir: string;
  let cloud: CloudProcess;
  let env: Record<string, string>;
  let connection: Knex.Config;
  const agents: AgentProcess[] = [];

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'broken-tenant-'));
    const url = name === 'SQLite' ? undefined : await server?.database();
    env = { ...bootstrapEnv(), ...(url !== undefined && { DATABASE_URL: url }) };
    connection =
      url === undefined
        ? { client: 'sqlite3', connection: { filename: join(dir, 'cloud', 'cloud.sqlite') }, useNullAsDefault: true }
        : { client: 'pg', connection: url };
    cloud = new CloudProcess(join(dir, 'cloud'), env);
  });
  afterEach(async () => {
    for (const agent of agents.splice(0)) await agent.kill();
    await cloud.kill();
    rmSync(dir, { recursive: true, force: true });
  });

  /** Ends the cloud, changes its database, and starts it again where it was. */
  async function restart(change: (database: Knex) => PromiseLike<unknown>): Promise<void> {
    const port = Number(new URL(await cloud.url()).port);
    cloud.signal('SIGTERM');
    await cloud.exited;
    const database = knex.knex(connection);
    await change(database);
    await database.destroy();
    cloud = new CloudProcess(join(dir, 'cloud'), env, { port });
    await cloud.url();
  }

  it('follow all tenants but one that is broken, of which they keep what they have until it is mended', async () => {
    const operator = await cloud.client();
    const url = await cloud.url();
    const { secret } = await operator.records('api_key').create({ name: 'fleet', scopes: ['bundle'], operator: true });
    const admins = new Map<string, ServiceClient>();
    for (const tenant of ['acme', 'beta']) {
      const { client_id: clientId, client_secret: clientSecret } = await operator.tenants.create({ name: tenant });
      const admin = new ServiceClient({ url, credentials: { clientId, clientSecret }, retries: 0 });
      await admin.changeset({ changes: billing() as never });
      admins.set(tenant, admin);
    }
    const start = (tenant: string, more: Record<string, string> = {}) => {
      const home = join(dir, `${tenant}-${agents.length}`);
      const own = { SERVICE_API_KEY: String(secret), SERVICE_POLL_INTERVAL: '300ms', SERVICE_TENANT_ID: tenant };
      const agent = new AgentProcess({
        env: agentEnv(home, url, { ...own, SERVICE_CACHE_DIR: join(home, 'c'), ...more }),
      });
      agents.push(agent);
      return agent;
    };
    const decides = async (agent: AgentProcess) => {
      const answer = await agent.authorize(asking('alice'));
      return answer.status === 200 ? ((await answer.json()) as { decision: boolean }).decision : answer.status;
    };
    const [acme, beta, young] = [start('acme'), start('beta'), start('beta', { SERVICE_MAX_AGE: '5s' })];
    for (const agent of [acme, beta, young]) await until(async () => expect(await decides(agent)).toBe(true));
    const { fields } = await taken(admins.get('beta'));
    for (const agent of [beta, young]) await until(async () => expect(await decides(agent)).toBe(false));

    // Somebody changes the database.
    const others = (database: Knex) => database('records').where('address', 'like', 'subject/%');
    const own = (database: Knex) => database('tenants').select('id').where('name', 'beta');
    await restart((database) =>
      others(database).whereIn('tenant_id', own(database)).update({ updated_at: '2020-01-01T00:00:00.000Z' }),
    );
    await taken(admins.get('acme'));
    await until(async () => expect(await decides(acme)).toBe(false));
    expect(await decides(beta)).toBe(false);
    await until(async () => expect(await decides(young)).toBe(503));
    const status = (await (await beta.get('/v1/status')).json()) as { last_error: { detail: string } };
    expect(JSON.stringify(status)).toMatch(/cannot read the tenant beta \(.*\) at present/);
    await until(async () => expect((await beta.health()).consecutive_failures).toBeGreaterThan(3));
    const cold = start('beta');
    await until(async () => expect(JSON.stringify(await (await cold.get('/v1/status')).json())).toMatch(/cannot read/));
    expect(await decides(cold)).toBe(503);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toContain('\nservice_cloud_broken_tenants 1\n');
    const log = cloud.stderr.filter((line) => line.startsWith('{"level":"ERROR"'));
    expect(log.map((line) => JSON.parse(line))).toMatchObject([{ tenant_name: 'beta', reason: expect.any(String) }]);
    expect(cloud.stderr.join('\n')).not.toMatch(/"stack"/);

    await restart(async (database) => {
      const intact = database('records').where('address', 'group/finance').whereIn('tenant_id', own(database));
      const { updated_at } = await intact.first('updated_at');
      await others(database).whereIn('tenant_id', own(database)).update({ updated_at });
    });
    await admins.get('beta')?.changeset({ changes: [{ op: 'create', kind: 'role_assignment', fields } as never] });
    for (const agent of [beta, young, cold]) await until(async () => expect(await decides(agent)).toBe(true));
  }, 300_000);
});

/** Takes a right away, and returns what gave it. */
async function taken(admin: ServiceClient | undefined) {
  await admin?.changeset({ changes: [{ op: 'delete', address: TAKEN }] as never });
  return { fields: { role: 'billing/accountant', entity_type: 'subject', entity: 'user/alice' } };
}
