import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceClient } from '@authz-service/sdk/client';
import knex, { type Knex } from 'knex';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPostgres, PostgresServer } from '../../../cloud/testing/postgres-server.js';
import { billing } from '../../../cloud/testing/test-cloud.js';
import { asking } from './agent/tenant-fixture.js';
import { bootstrapEnv, CloudProcess } from './cloud/cloud-process.js';

const COUNT = 100;
const LONG_AGO = '2020-01-01T00:00:00.000Z';

describe.skipIf(!hasPostgres)('tenants that are not in memory', () => {
  let dir: string;
  let server: PostgresServer;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'cold-tenants-'));
    server = await PostgresServer.start();
  });
  afterAll(async () => {
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  it('are read a few at a time when all are asked at once, while others go on', async () => {
    const url = await server.database();
    const env = { ...bootstrapEnv(), DATABASE_URL: url };
    let cloud = new CloudProcess(dir, env);
    const operator = await cloud.client();
    await operator.changeset({ changes: billing() as never });
    const secrets: { clientId: string; clientSecret: string }[] = [];
    const names = Array.from({ length: COUNT }, (_, number) => `tenant-${number}`);
    for (const name of names) {
      const made = await operator.tenants.create({ name }, { timeoutMs: 60_000, attemptTimeoutMs: 60_000 });
      secrets.push({ clientId: made.client_id, clientSecret: made.client_secret });
    }
    cloud.signal('SIGTERM');
    await cloud.exited;
    const database = knex.knex({ client: 'pg', connection: url });
    const small = (query: Knex.QueryBuilder) => query.where('name', 'like', 'tenant-%').select('id');
    await database('revisions')
      .whereIn('tenant_id', small(database('tenants')))
      .update({ at: LONG_AGO });
    await database('tenant_use')
      .whereIn('tenant_id', small(database('tenants')))
      .delete();
    cloud = new CloudProcess(dir, env);
    try {
      const base = await cloud.url();
      const clients = secrets.map((credentials) => new ServiceClient({ url: base, credentials, retries: 100 }));
      const loaded = await cloud.client();
      const question = JSON.parse(asking('alice'));
      const patient = { timeoutMs: 120_000, attemptTimeoutMs: 120_000 };
      expect((await loaded.decide(question, patient)).allowed).toBe(true);
      let [done, connections, between] = [false, 0, 0];
      const all = Promise.all(clients.map((client) => client.state(patient))).finally(() => {
        done = true;
      });
      all.catch(() => undefined);
      while (!done) {
        expect((await loaded.decide(question, patient)).allowed).toBe(true);
        between += 1;
        const { count } = (await database('pg_stat_activity')
          .where('state', '<>', 'idle')
          .andWhere('query', 'like', '%so_far%')
          .andWhereRaw('pid <> pg_backend_pid() and datname = current_database()')
          .count('* as count')
          .first()) ?? { count: 0 };
        connections = Math.max(connections, Number(count));
      }
      expect((await all).map(({ tenant }) => tenant)).toEqual(names);
      expect(between).toBeGreaterThan(0);
      // So many read the pages of a tenant at a time; the pool has ten connections.
      expect(connections).toBeLessThanOrEqual(4);
    } finally {
      await database.destroy();
      await cloud.kill();
    }
  }, 300_000);
});
