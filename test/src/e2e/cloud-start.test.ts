import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceClient } from '@authz-service/sdk/client';
import knex, { type Knex } from 'knex';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CloudProcess } from './cloud/cloud-process.js';

const TENANTS = ['alpha', 'beta', 'gamma', 'delta'];

let dir: string;
let cloud: CloudProcess;
let secrets: Map<string, { clientId: string; clientSecret: string }>;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'cloud-start-'));
  cloud = new CloudProcess(dir);
  const operator = await cloud.client();
  secrets = new Map();
  for (const name of TENANTS) {
    const made = await operator.tenants.create({ name });
    secrets.set(name, { clientId: made.client_id, clientSecret: made.client_secret });
    await (await clientOf(name)).changeset({
      changes: [
        { op: 'create', kind: 'application', fields: { name: 'app' } },
        { op: 'create', kind: 'resource_type', fields: { application: 'app', name: 'thing', actions: ['read'] } },
        { op: 'create', kind: 'subject', fields: { type: 'user', id: name } },
        {
          op: 'create',
          kind: 'policy',
          fields: { application: 'app', name: 'all', effect: 'ALLOW', resource_type: 'app/thing', actions: ['read'] },
        },
        {
          op: 'create',
          kind: 'policy_assignment',
          fields: { policy: 'app/all', entity_type: 'subject', entity: `user/${name}` },
        },
      ],
    });
  }
});
afterEach(async () => {
  await cloud.kill();
  rmSync(dir, { recursive: true, force: true });
});

async function clientOf(tenant: string): Promise<ServiceClient> {
  const credentials = secrets.get(tenant);
  if (credentials === undefined) throw new Error(`no tenant ${tenant}`);
  // A decision of a cold tenant on a busy machine takes longer than an application would wait.
  return new ServiceClient({ url: await cloud.url(), credentials, retries: 0, decisionTimeoutMs: 60_000 });
}

async function allowed(tenant: string, subject = tenant): Promise<boolean> {
  const question = {
    subject: { type: 'user', id: subject },
    action: { name: 'read' },
    resource: { type: 'thing', id: '1' },
  };
  return (await (await clientOf(tenant)).decide(question)).allowed;
}

/** Kills the cloud, changes its database, and starts it again; on a busy machine, that takes longer than all that follows. */
async function restart(change: (database: Knex) => PromiseLike<unknown> = async () => undefined): Promise<void> {
  await cloud.kill();
  const connection = { filename: join(dir, 'cloud.sqlite') };
  const database = knex.knex({ client: 'sqlite3', connection, useNullAsDefault: true });
  await change(database);
  await database.destroy();
  cloud = new CloudProcess(dir);
  await cloud.url();
}

const readiness = async () => {
  const response = await fetch(`${await cloud.url()}/readyz`);
  return { code: response.status, ...((await response.json()) as object) };
};
const WAIT = { timeout: 20_000, interval: 50 };
const ready = async (like: object) => await vi.waitFor(async () => expect(await readiness()).toEqual(like), WAIT);
const log = () =>
  cloud.stderr.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Record<string, unknown>);
const loaded = async () =>
  await vi.waitFor(() => log().find(({ msg }) => String(msg).endsWith('are loaded')) ?? fail(), WAIT);
const fail = (): never => {
  throw new Error('not yet');
};

describe('a cloud that was killed', () => {
  it('starts with all tenants that were used lately', async () => {
    await restart();
    await ready({ code: 200, status: 'ready', writable: true });
    expect(await loaded()).toMatchObject({ tenants: 5, loaded: 5 });
    for (const name of TENANTS) expect([await allowed(name), await allowed(name, 'nobody')]).toEqual([true, false]);
  });

  it('reads a tenant that nobody has used for long when it is asked for it', async () => {
    await restart((database) =>
      database('revisions')
        .update({ at: '2020-01-01T00:00:00.000Z' })
        .whereIn('tenant_id', idsOf(database, ['alpha', 'beta'])),
    );
    await ready({ code: 200, status: 'ready', writable: true });
    expect(await loaded()).toMatchObject({ tenants: 5, loaded: 3 });
    expect(await allowed('alpha')).toBe(true);
  });
});

describe('a tenant whose rows were changed from outside', () => {
  it('is named and not served, and keeps no other from being served', async () => {
    await restart((database) => database('records').where('address', 'subject/user/beta').delete());
    await ready({ code: 200, status: 'ready', writable: true, broken: { tenants: 1, names: ['beta'] } });
    for (const name of ['alpha', 'gamma', 'delta']) expect(await allowed(name)).toBe(true);
    await expect(allowed('beta')).rejects.toMatchObject({ code: 'not_ready', status: 503 });
    await expect(allowed('beta')).rejects.toThrow(/tenant "beta" are not those that were committed/);
    expect(log().filter(({ msg }) => String(msg).startsWith('a tenant is not as it was committed'))).toMatchObject([
      {
        tenant_name: 'beta',
        reason: expect.stringMatching(/^the tenant "beta" is at revision 2\..* its records are those of 2\./),
      },
    ]);
    // Its operator can remove it.
    await (await cloud.client()).tenants.delete('beta');
    await ready({ code: 200, status: 'ready', writable: true });
  });

  it('makes the cloud unready where there is no other', async () => {
    await restart((database) => database('records').update({ managed_by: 'somebody' }));
    await ready({
      code: 503,
      status: 'broken',
      writable: true,
      broken: { tenants: 5, names: ['alpha', 'beta', 'default', 'delta', 'gamma'] },
    });
  });
});

function idsOf(database: Knex, names: string[]): Knex.QueryBuilder {
  return database('tenants').select('id').whereIn('name', names);
}
