import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { ServiceClient } from '@authz-service/sdk/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { hasPostgres, PostgresServer } from '../../../cloud/testing/postgres-server.js';
import { ADMINISTRATOR, bootstrapEnv, CloudProcess } from './cloud/cloud-process.js';

interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape.
  body: any;
}

interface Ask {
  as?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** One of several clouds on the same database. */
class Replica {
  private constructor(
    readonly process: CloudProcess,
    readonly url: string,
    private readonly token: string,
  ) {}

  static async of(process: CloudProcess): Promise<Replica> {
    const url = await process.url();
    const { clientId, clientSecret } = ADMINISTRATOR;
    return new Replica(process, url, await tokenOf(url, clientId, clientSecret));
  }

  /** By the first administrator, unless `as` gives another credential. */
  async ask(method: string, path: string, { as = this.token, body, headers }: Ask = {}): Promise<Answer> {
    const response = await fetch(this.url + path, {
      method,
      headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    const { status } = response;
    return {
      status,
      headers: response.headers,
      body: isJson && bytes.length > 0 ? JSON.parse(bytes.toString()) : bytes,
    };
  }

  async commit(changes: object[], more: object = {}, headers: Record<string, string> = {}): Promise<Answer> {
    return await this.ask('POST', '/v1/changesets', { body: { changes, ...more }, headers });
  }

  async revision(): Promise<string> {
    return (await this.ask('GET', '/v1/state')).body.revision;
  }

  async tokenOf(client: { client_id: string; client_secret: string }): Promise<string> {
    return await tokenOf(this.url, client.client_id, client.client_secret);
  }
}

async function tokenOf(url: string, id: string, secret: string): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret });
  const response = await fetch(`${url}/oauth/token`, { method: 'POST', body });
  const { access_token } = (await response.json()) as { access_token: string };
  return access_token;
}

/** A file of an archive, byte for byte. */
function fileIn(archive: Buffer, name: string): string {
  const tar = gunzipSync(archive);
  for (let at = 0; at < tar.length; ) {
    const text = (from: number, length: number) =>
      tar.toString('latin1', at + from, at + from + length).replace(/\0.*$/s, '');
    const size = Number.parseInt(text(124, 12), 8);
    if (text(0, 100) === name) return tar.toString('utf8', at + 512, at + 512 + size);
    at += 512 + Math.ceil((size || 0) / 512) * 512;
  }
  throw new Error(`the archive has no ${name}`);
}

const role = (name: string) => ({ op: 'create', kind: 'role', fields: { name } });
const numberOf = (revision: string) => Number(revision.split('.')[0]);
const patiently = <T>(check: () => Promise<T>) => vi.waitFor(check, { timeout: 60_000, interval: 20 });

describe.skipIf(!hasPostgres)('several clouds on one database', () => {
  let server: PostgresServer;
  let dir: string;
  let database: string;
  let replicas: Replica[];
  let started: CloudProcess[] = [];

  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server.stop());

  const start = (env: Record<string, string> = {}): CloudProcess => {
    const process = new CloudProcess(dir, { ...bootstrapEnv(), DATABASE_URL: database, ...env });
    started.push(process);
    return process;
  };

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'cloud-replicas-'));
    database = await server.database();
    // One of them only looks again and again; the others are told, too.
    const told = { DATABASE_DIRECT_URL: database };
    const processes = [start(told), start(told), start()];
    replicas = await Promise.all(processes.map((process) => Replica.of(process)));
  });

  afterEach(async () => {
    for (const process of started) await process.kill();
    started = [];
    rmSync(dir, { recursive: true, force: true });
  });

  const each = <T>(work: (replica: Replica, index: number) => Promise<T>) => Promise.all(replicas.map(work));
  /** Waits until all are at the revision that the first of them is at. */
  const together = async () => {
    return await patiently(async () => {
      const [revision = '', ...others] = new Set(await each((replica) => replica.revision()));
      expect(others).toEqual([]);
      return revision;
    });
  };

  it('answer from the revision that a request names or a later one, whichever got the commit', async () => {
    for (let turn = 0; turn < 12; turn++) {
      const made = await replicas[turn % 3]?.commit([role(`turn-${turn}`)]);
      const { revision } = made?.body ?? {};
      const headers = { 'service-min-revision': turn % 2 === 0 ? revision : String(numberOf(revision)) };
      const seen = await each((replica) => replica.ask('GET', `/v1/roles/turn-${turn}`, { headers }));
      expect(seen.map(({ status }) => status)).toEqual([200, 200, 200]);
      const may = { subject: { type: 'user', id: 'a' }, action: { name: 'x' }, resource: { type: 't', name: 'r' } };
      const decided = await each((replica) => replica.ask('POST', '/v1/authorize', { body: may, headers }));
      expect(decided.map((answer) => answer.headers.get('service-revision'))).toEqual([revision, revision, revision]);
    }
    const next = numberOf(await together()) + 1;
    const refused = await each((replica) =>
      replica.ask('GET', '/v1/state', { headers: { 'service-min-revision': String(next) } }),
    );
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(Array(3).fill([412, 'unknown_revision']));
  });

  it('show a client of the SDK its own writes, though each of its requests goes to another one', async () => {
    let turn = 0;
    const spread: typeof fetch = (input, init) => {
      const { pathname, search } = new URL(String(input));
      return fetch(`${replicas[turn++ % 3]?.url}${pathname}${search}`, init);
    };
    const { clientId, clientSecret } = ADMINISTRATOR;
    const url = replicas[0]?.url ?? '';
    const client = new ServiceClient({ url, credentials: { clientId, clientSecret }, fetch: spread });
    const roles = client.records('role');
    for (let round = 0; round < 20; round++) {
      const { id } = await roles.create({ name: `round-${round}` });
      expect(await roles.get(id)).toMatchObject({ name: `round-${round}` });
      await roles.update(id, { description: 'changed' });
      expect(await roles.get(id)).toMatchObject({ description: 'changed' });
      await roles.delete(id);
      await expect(roles.get(id)).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it('share their first administrator, keys and tokens, though all started at once', async () => {
    const keys = await each(async ({ url }) => await (await fetch(`${url}/.well-known/jwks.json`)).json());
    expect(keys[1]).toEqual(keys[0]);
    expect(keys[2]).toEqual(keys[0]);
    expect(keys[0]).toMatchObject({ keys: [{}, {}], announcements: [expect.any(String)] });
    const [one, two, three] = replicas as [Replica, Replica, Replica];
    const key = (await one.ask('POST', '/v1/api-keys', { body: { name: 'k', scopes: ['decisions'] } })).body.secret;
    const may = { subject: { type: 'user', id: 'a' }, action: { name: 'x' }, resource: { type: 't', name: 'r' } };
    for (const replica of [two, three])
      await patiently(async () =>
        expect((await replica.ask('POST', '/v1/authorize', { as: key, body: may })).status).toBe(200),
      );
    const rotated = await two.ask('POST', '/v1/bundle-keys', { body: {} });
    expect(rotated.status).toBe(201);
    for (const { url } of replicas)
      await patiently(async () => {
        const { announcements } = (await (await fetch(`${url}/.well-known/jwks.json`)).json()) as { announcements: [] };
        expect(announcements).toHaveLength(2);
      });
  });

  it('commit to one tenant at the same time without gaps, and make the same bundles and deltas', async () => {
    const before = await together();
    const [one, , three] = replicas as [Replica, Replica, Replica];
    const agent = (await one.ask('POST', '/v1/api-keys', { body: { name: 'agent', scopes: ['bundle'] } })).body.secret;
    const base = await together();
    const made = await each((replica, index) =>
      Promise.all(Array.from({ length: 15 }, (_, at) => replica.commit([role(`r-${index}-${at}`)]))),
    );
    const answers = made.flat();
    expect(answers.map(({ status, body }) => ({ status, detail: body.detail }))).toEqual(
      answers.map(() => ({ status: 200, detail: undefined })),
    );
    const numbers = answers.map(({ body }) => numberOf(body.revision)).sort((left, right) => left - right);
    expect(numbers).toEqual(numbers.map((_, index) => numberOf(base) + 1 + index));
    const newest = await together();
    expect(numberOf(newest)).toBe(numbers.at(-1));
    const audit = (await three.ask('GET', '/v1/audit?limit=1000')).body.items as { revision: string }[];
    expect(audit.map(({ revision }) => numberOf(revision))).toEqual(audit.map((_, index) => audit.length - index));
    expect(numberOf(before)).toBeGreaterThan(0);

    const bundles = await each((replica) => replica.ask('GET', '/v1/policies/bundle', { as: agent }));
    expect(new Set(bundles.map(({ headers }) => headers.get('etag')))).toEqual(new Set([`"${newest}"`]));
    expect(new Set(bundles.map(({ body }) => fileIn(body, 'bundle.json'))).size).toBe(1);
    // The delta is of a few changes in many records.
    await one.commit(Array.from({ length: 50 }, (_, at) => role(`more-${at}`)));
    const from = await together();
    await one.commit([role('late-1'), { op: 'delete', address: 'role/more-7' }]);
    await three.commit([role('late-2')]);
    await together();
    const headers = { 'if-none-match': `"${from}"`, 'a-im': 'policy-delta' };
    const deltas = await each((replica) => replica.ask('GET', '/v1/policies/bundle', { as: agent, headers }));
    expect(deltas.map(({ status }) => status)).toEqual([226, 226, 226]);
    expect(new Set(deltas.map(({ body }) => fileIn(body, 'delta.json'))).size).toBe(1);
  });

  it('judge each commit at the newest revision, and refuse with 409 only a base that was stated', async () => {
    const [one, two, three] = replicas as [Replica, Replica, Replica];
    for (let round = 0; round < 5; round++) {
      const made = await one.commit([role(`a-${round}`)]);
      const stated = await two.commit([role(`b-${round}`)], { base_revision: made.body.revision });
      expect([made.status, stated.status]).toEqual([200, 200]);
      // It sees both, though nobody may have told it yet.
      expect((await three.commit([role(`a-${round}`)])).body.code).toBe('conflict');
      expect((await three.commit([{ op: 'move', from: `role/b-${round}`, to: `role/d-${round}` }])).status).toBe(200);
      const late = await one.commit([role(`c-${round}`)], { base_revision: made.body.revision });
      expect([late.status, late.body.code]).toEqual([409, 'stale_base']);
    }
  });

  it('apply a change-set once that is sent to all of them under one key', async () => {
    for (let round = 0; round < 5; round++) {
      const key = { 'idempotency-key': `key-${round}` };
      const answers = await each((replica) => replica.commit([role(`once-${round}`)], {}, key));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
      const replayed = answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true');
      expect(replayed).toHaveLength(2);
    }
  });

  it('refuse a revoked key everywhere, of a tenant that they have not been asked for, too', async () => {
    const [one, two, three] = replicas as [Replica, Replica, Replica];
    const { body: client } = await one.ask('POST', '/v1/tenants', { body: { name: 'acme' } });
    const admin = await one.tokenOf(client);
    const made = await one.ask('POST', '/v1/api-keys', { as: admin, body: { name: 'k', scopes: ['records:read'] } });
    const reads = async (replica: Replica) => (await replica.ask('GET', '/v1/state', { as: made.body.secret })).status;
    for (const replica of [one, two]) await patiently(async () => expect(await reads(replica)).toBe(200));
    // The third one is asked for the tenant's records by nobody.
    expect((await two.ask('DELETE', `/v1/api-keys/${made.body.id}`, { as: admin })).status).toBe(204);
    for (const replica of [one, two, three]) await patiently(async () => expect(await reads(replica)).toBe(401));
    expect((await three.ask('DELETE', '/v1/tenants/acme')).status).toBe(204);
    for (const replica of replicas)
      await patiently(async () => {
        expect((await replica.ask('GET', '/v1/whoami', { as: admin })).status).toBe(401);
        expect((await replica.ask('GET', '/v1/tenants/acme')).status).toBe(404);
      });
  });

  it('never remove the last two operators at the same time', async () => {
    const [one, two] = replicas as [Replica, Replica, Replica];
    for (let round = 0; round < 3; round++) {
      // Operators of two tenants, so that no tenant's lock keeps them apart.
      const { body: client } = await one.ask('POST', '/v1/tenants', { body: { name: `t-${round}` } });
      const admin = await one.tokenOf(client);
      const scopes = ['credentials', 'records:write'];
      const operator = { name: 'operator', scopes, operator: true };
      const own = await one.ask('POST', '/v1/oauth-clients', { body: operator });
      expect(own.status).toBe(201);
      expect(admin).toBeDefined();
      await together();
      const others = [own.body.id, ADMINISTRATOR.clientId];
      const token = await one.tokenOf(own.body);
      const removals = await Promise.all([
        one.ask('DELETE', `/v1/oauth-clients/${others[0]}`),
        two.ask('PATCH', `/v1/oauth-clients/${others[1]}`, { as: token, body: { expires_at: '2030-01-01T00:00:00Z' } }),
      ]);
      const done = removals.filter(({ status }) => status < 300);
      expect(done, JSON.stringify(removals.map(({ body }) => body.detail))).toHaveLength(1);
      if (removals[0]?.status === 204) continue;
      // The first administrator is to be the operator of the next round, too.
      const lasting = await one.ask('PATCH', `/v1/oauth-clients/${others[1]}`, {
        as: token,
        body: { expires_at: null },
      });
      expect(lasting.status).toBe(200);
      await one.ask('DELETE', `/v1/oauth-clients/${others[0]}`);
    }
  });

  it('say when the database cannot tell one of them of commits, and when it can again', async () => {
    const deaf = await Replica.of(start({ DATABASE_DIRECT_URL: server.url('elsewhere') }));
    const says = (text: string) =>
      patiently(async () => expect(deaf.process.stderr.filter((line) => line.includes(text))).toHaveLength(1));
    await says('the database at DATABASE_DIRECT_URL cannot tell of commits');
    await says('The database of the cloud does not exist: create it');
    await server.admin('create database elsewhere');
    await says('the database tells of commits again');
  });

  it('let a directory take away no more together than it may alone, and all of that', async () => {
    const [one, two, three] = replicas as [Replica, Replica, Replica];
    const at = (index: number) => replicas[index % 3] as Replica;
    const fields = { name: 'okta', removals: '25%' };
    expect((await one.commit([{ op: 'create', kind: 'directory', fields }])).status).toBe(200);
    const made = await one.ask('POST', '/v1/api-keys', {
      body: { name: 'k', scopes: ['directory'], directory: 'okta' },
    });
    const as = made.body.secret;
    for (const replica of replicas)
      await patiently(async () => expect((await replica.ask('GET', '/scim/v2/Users', { as })).status).toBe(200));
    const users = Array.from({ length: 40 }, (_, index) => `u${index}`);
    const ids = await Promise.all(
      users.map(async (userName, index) => {
        const { status, body } = await at(index).ask('POST', '/scim/v2/Users', { as, body: { userName } });
        expect(status).toBe(201);
        return body.id as string;
      }),
    );
    const remove = async (id: string, replica: Replica) =>
      (await replica.ask('DELETE', `/scim/v2/Users/${id}`, { as })).status;
    const counted = (statuses: number[]) => [204, 503].map((wanted) => statuses.filter((one) => one === wanted).length);
    expect(counted(await Promise.all(ids.map((id, index) => remove(id, at(index)))))).toEqual([10, 30]);
    const held = async (replica: Replica) => (await replica.ask('GET', '/v1/directories/okta/status')).body;
    for (const replica of [one, two, three])
      expect(await held(replica)).toMatchObject({ subjects: 30, held_count: 30, taken_away: { people: 10 } });
    // One that has just started knows what the others have taken away.
    const late = await Replica.of(start());
    const left = (await late.ask('GET', '/scim/v2/Users?count=1000', { as })).body.Resources.map(
      ({ id }: { id: string }) => id,
    );
    expect(left).toHaveLength(30);
    expect(await remove(left[0], late)).toBe(503);
    // What an operator lets through at one, the others let through, and nothing else.
    const released = await two.ask('POST', '/v1/directories/okta/held-changes', { body: { decision: 'release' } });
    expect(released.body).toEqual({ decided: 30 });
    expect((await one.ask('POST', '/scim/v2/Users', { as, body: { userName: 'new' } })).status).toBe(201);
    expect(counted(await Promise.all(left.map((id: string, index: number) => remove(id, at(index)))))).toEqual([30, 0]);
    const [last] = (await three.ask('GET', '/scim/v2/Users', { as })).body.Resources;
    expect([last.userName, await remove(last.id, three)]).toEqual(['new', 503]);
  });

  it('lose no acknowledged commit when one of them is killed', async () => {
    const [one, two, three] = replicas as [Replica, Replica, Replica];
    const acknowledged: string[] = [];
    let killed = false;
    const write = async (replica: Replica, label: string) => {
      for (let at = 0; at < 40; at++) {
        const answer = await replica.commit([role(`${label}-${at}`)]).catch(() => undefined);
        if (answer === undefined) return;
        expect(answer.status).toBe(200);
        acknowledged.push(`role/${label}-${at}`);
        if (label === 'one' && at === 10) {
          killed = true;
          one.process.signal('SIGKILL');
        }
      }
    };
    await Promise.all([write(one, 'one'), write(two, 'two'), write(three, 'three')]);
    expect(killed).toBe(true);
    replicas = [two, three];
    await together();
    const { records } = (await two.ask('GET', '/v1/state')).body as { records: { address: string }[] };
    const there = new Set(records.map(({ address }) => address));
    expect(acknowledged.filter((address) => !there.has(address))).toEqual([]);
    const back = await Replica.of(start());
    expect(await back.revision()).toBe(await two.revision());
  });

  it('go on deciding while the database is down, refuse everything else, and are back after it', async () => {
    const [one] = replicas as [Replica, Replica, Replica];
    const key = (await one.ask('POST', '/v1/api-keys', { body: { name: 'k', scopes: ['decisions', 'bundle'] } })).body
      .secret;
    const may = { subject: { type: 'user', id: 'a' }, action: { name: 'x' }, resource: { type: 't', name: 'r' } };
    await server.kill();
    const refused = await one.commit([role('lost')]);
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([503, 'not_ready', '5']);
    expect(refused.body.detail).toContain('nothing was changed');
    await patiently(async () => {
      const answer = await one.ask('GET', '/v1/state');
      expect([answer.status, answer.body.code]).toEqual([503, 'not_ready']);
      expect(answer.headers.get('connection')).toBe('close');
    });
    const ready = await one.ask('GET', '/readyz');
    expect([ready.status, ready.body.status, ready.body.writable]).toEqual([503, 'cut_off', false]);
    expect(ready.body.reason).toContain('The database of the cloud cannot be reached');
    expect((await one.ask('POST', '/v1/authorize', { as: key, body: may })).status).toBe(200);
    const bundle = await one.ask('GET', '/v1/policies/bundle', { as: key });
    // The agent's next request may reach another replica.
    expect([bundle.status, bundle.headers.get('connection')]).toEqual([200, 'close']);
    await server.run();
    for (const replica of replicas)
      await patiently(async () =>
        expect((await replica.ask('GET', '/readyz')).body).toEqual({ status: 'ready', writable: true }),
      );
    expect((await one.commit([role('found')])).status).toBe(200);
    await together();
  });
});
