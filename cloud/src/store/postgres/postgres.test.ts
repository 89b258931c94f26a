import { readdir, readFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { TenantState } from '@authz-service/core/state/tenant-state';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hasPostgres, PGBOUNCER, PostgresServer } from '../../../testing/postgres-server.js';
import { storeContract } from '../../../testing/store-contract.js';
import { verify } from '../../backup/verify.js';
import { prepareCommit } from '../../commands/prepare-commit.js';
import type { Commit } from '../store.js';
import { connectPostgres } from './connect.js';
import { openPostgresStore } from './postgres.js';
import { readAddress } from './read-address.js';

const NOW = Date.parse('2026-05-01T12:00:00.000Z');
const BY = { kind: 'oauth_client', id: 'c-1', name: 'tester' } as const;

if (!hasPostgres) process.stderr.write('PostgreSQL is not installed: what the cloud does on it is not tested.\n');

describe.skipIf(!hasPostgres)('PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server.stop());

  const open = (url: string) => openPostgresStore({ address: readAddress(url) });
  const nameOf = (url: string) => new URL(url).pathname.slice(1);

  // A collation for people, so that it shows where names are not compared by their bytes, and an isolation in which a
  // transaction does not see what was committed while it waited for a lock.
  storeContract('PostgreSQL', async () => {
    const url = await server.database("template template0 locale_provider icu icu_locale 'en'");
    await server.admin(`alter database ${nameOf(url)} set default_transaction_isolation = 'repeatable read'`);
    return { open: () => open(url), drop: () => server.drop(url) };
  });

  describe.skipIf(PGBOUNCER === undefined)('behind PgBouncer in transaction mode', () => {
    let port: number;
    beforeAll(async () => {
      port = await server.pooler();
    });
    storeContract('pooled PostgreSQL', async () => {
      const url = await server.database();
      return { open: () => open(server.url(nameOf(url), port)), drop: () => server.drop(url) };
    });
  });

  it('undoes one of two transactions that wait for each other, which then runs again', async () => {
    const store = await open(await server.database());
    const commitOf = async (id: string) => {
      const next = await commits(new TenantState(), id);
      const role = (name: string) => ({ op: 'create', kind: 'role', fields: { name } }) as const;
      await store.createTenant({ id, name: id, created_at: 'x' }, await next([role('a')]));
      return await next([role('b')]);
    };
    const [first, second] = [await commitOf('t-1'), await commitOf('t-2')];
    let runs = 0;
    let meet = () => {};
    const met = new Promise<void>((resolve) => {
      meet = resolve;
    });
    const crossing = (own: string, other: Commit) =>
      store.locked(own, { judged: false }, async (locked) => {
        if (++runs === 2) meet();
        await met;
        await locked.commit(other);
      });
    await Promise.all([crossing('t-1', second), crossing('t-2', first)]);
    // On a busy machine they may meet once more.
    expect(runs).toBeGreaterThanOrEqual(3);
    expect([(await store.load('t-1')).revision, (await store.load('t-2')).revision]).toEqual([2, 2]);
    await store.close();
  });

  it('tells of commits what they concern, once they are stored', async () => {
    const url = await server.database();
    const store = await openPostgresStore({ address: readAddress(url), direct: readAddress(url) });
    const notices: unknown[] = [];
    let listens = () => {};
    const listening = new Promise<void>((resolve) => {
      listens = resolve;
    });
    const onCommit = (one: unknown) => {
      // The first call says only that the connection is there.
      listens();
      if (one) notices.push(one);
    };
    const end = store.listen(onCommit, () => undefined);
    await listening;
    const next = await commits(new TenantState());
    const role = { op: 'create', kind: 'role', fields: { name: 'a' } } as const;
    const key = { op: 'create', kind: 'api_key', fields: { name: 'k', scopes: ['bundle'] } } as const;
    await store.createTenant({ id: 't-1', name: 'one', created_at: 'x' }, await next([role]));
    await store.commit(await next([{ ...role, fields: { name: 'b' } }]));
    const inLock = await next([key]);
    await store.locked('t-1', { judged: false }, (locked) => locked.commit(inLock));
    const refused = store.locked('t-1', { judged: false }, async (locked) => {
      await locked.commit(await next([{ ...role, fields: { name: 'c' } }]));
      throw new Error('refused');
    });
    await expect(refused).rejects.toThrow('refused');
    await store.deleteTenant({ id: 't-1', name: 'one', created_at: 'x' }, { at: 'x', request_id: 'q', credential: BY });
    const at = (revision: number, atLarge: boolean) => ({ tenant: 't-1', revision, atLarge });
    await vi.waitFor(() => expect(notices).toEqual([at(1, true), at(2, false), at(3, true), at(0, true)]), 10_000);
    await end();
    await store.close();
  });

  it('is verified without ending an erasure that a running cloud may be at', async () => {
    const url = await server.database();
    await (await open(url)).close();
    const note = 'values were taken out, and copies may be left';
    await server.admin(`comment on table record_versions is '${note}'`, nameOf(url));
    const database = connectPostgres(readAddress(url), { connectionsMax: 1, acquireMs: 5000, silenceMs: 0 });
    const noted = async () => {
      const { rows } = await database.raw("select obj_description('record_versions'::regclass) as note");
      return rows[0].note;
    };
    await verify({ postgres: { address: readAddress(url) } }, new AbortController().signal);
    expect(await noted()).toBe(note);
    await (await open(url)).close();
    expect(await noted()).toBeNull();
    await database.destroy();
  });

  it('has the columns that docs/schema.md lists', async () => {
    const url = await server.database();
    await (await open(url)).close();
    const database = connectPostgres(readAddress(url), { connectionsMax: 1, acquireMs: 5000, silenceMs: 0 });
    const { rows } = await database.raw(
      'select table_name as "table", column_name as "column" from information_schema.columns where table_schema = current_schema()',
    );
    await database.destroy();
    const own = (rows as { table: string; column: string }[]).filter(({ table }) => !table.startsWith('knex_'));
    const docs = await readFile(new URL('../../../../docs/schema.md', import.meta.url), 'utf8');
    expect(own.map(({ table, column }) => `${table}.${column}`).sort()).toEqual(
      [...docs.matchAll(/^\| `(\w+\.\w+)` \|/gm)].map(([, name]) => name).sort(),
    );
  });

  describe('a database', () => {
    const refusal = async (url: string) => {
      const error = await open(url).catch((reason: unknown) => reason);
      return error as { code: string; detail: string };
    };

    it.each([
      ["encoding 'LATIN1' template template0", '', 'its encoding is LATIN1: create it with'],
      [
        '',
        'alter database DB set default_transaction_read_only = on',
        'it is read-only: connect to the primary server',
      ],
    ])('that is made with %j and %j is refused', async (options, then, detail) => {
      const url = await server.database(options);
      if (then !== '') await server.admin(then.replace('DB', nameOf(url)));
      expect(await refusal(url)).toMatchObject({ code: 'invalid_config', detail: expect.stringContaining(detail) });
    });

    it('that is missing, or whose server is, is refused', async () => {
      expect((await refusal(server.url('nothing'))).detail).toContain('The database of the cloud does not exist');
      const detail = `The database postgres://cloud@127.0.0.1:1/x cannot be used: The database of the cloud cannot be reached`;
      expect((await refusal(server.url('x', 1))).detail).toContain(detail);
    });

    it('that a newer version wrote is refused', async () => {
      const url = await server.database();
      await (await open(url)).close();
      await server.admin(
        "insert into knex_migrations (name, batch, migration_time) values ('9999-later', 9, now())",
        nameOf(url),
      );
      expect((await refusal(url)).detail).toContain('a newer version of this program wrote it ("9999-later")');
    });

    it('is migrated once by many that open it at the same time', async () => {
      const url = await server.database();
      const stores = await Promise.all(Array.from({ length: 5 }, () => open(url)));
      for (const store of stores) expect(await store.tenants()).toEqual([]);
      for (const store of stores) await store.close();
    });

    it('keeps one of two operators that remove each other at the same time, however strictly it isolates', async () => {
      const url = await server.database();
      await server.admin(`alter database ${nameOf(url)} set default_transaction_isolation = 'repeatable read'`);
      const store = await open(url);
      const next = await commits(new TenantState());
      const key = (name: string) => ({ op: 'create', kind: 'api_key', fields: { name, scopes: ['bundle'] } }) as const;
      await store.createTenant({ id: 't-1', name: 'one', created_at: 'x' }, await next([key('a')]));
      const tenants = ['t-2', 't-3'].map((id) => ({ id, name: id, created_at: 'x' }));
      for (const tenant of tenants) {
        const first = await (await commits(new TenantState(), tenant.id))([key('operator')]);
        const secrets = first.secrets.map((secret) => ({ ...secret, operator: true }));
        await store.createTenant(tenant, { ...first, secrets });
      }
      const by = { at: 'x', request_id: 'q', credential: BY };
      const remove = (tenant: (typeof tenants)[number]) =>
        store.deleteTenant(tenant, by, (operators) => {
          if (operators.length < 2) throw new Error('the last one');
        });
      const waiting = "select from pg_locks where locktype = 'advisory' and not granted";
      // Both have begun before one of them gets the lock.
      const ends = await store.locked('t-1', { judged: true }, async () => {
        const removals = Promise.allSettled(tenants.map(remove));
        await vi.waitFor(async () => expect(await server.admin(waiting)).toHaveLength(2), 10_000);
        return () => removals;
      });
      expect((await ends()).filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect((await ends()).find(({ status }) => status === 'rejected')).toMatchObject({
        reason: { message: 'the last one' },
      });
      expect(await store.credentials()).toHaveLength(2);
      await store.close();
    });

    it('gives no event a number before one that is still being written', async () => {
      const store = await open(await server.database());
      const waiting = "select from pg_locks where locktype = 'advisory' and not granted";
      const by = { at: 'x', request_id: 'q', credential: BY };
      const end = await store.locked('t-1', { judged: true }, async () => {
        const retiring = store.retireAgents({ id: 't-1', name: 'one', created_at: 'x' }, { agent: 'a' }, by);
        await vi.waitFor(async () => expect(await server.admin(waiting)).toHaveLength(1), 10_000);
        return () => retiring;
      });
      expect(await end()).toBe(0);
      await store.close();
    });

    it('keeps what others have in its schema as it is', async () => {
      const url = await server.database();
      await server.admin('create table theirs (note text); create view seen as select note from theirs', nameOf(url));
      await (await open(url)).close();
      const others = await server.admin(
        `select distinct table_name as name from information_schema.columns where table_schema = 'public'
         and data_type = 'text' and collation_name is distinct from 'C' order by name`,
        nameOf(url),
      );
      expect(others).toEqual([{ name: 'seen' }, { name: 'theirs' }]);
    });

    it('that becomes read-only says so of its changes', async () => {
      const url = await server.database();
      const store = await open(url);
      expect(await store.writability()).toEqual({ writable: true });
      await server.admin(`alter database ${nameOf(url)} set default_transaction_read_only = on`);
      await server.admin(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${nameOf(url)}'`);
      const key = { version: 1, kid: 'k', jwk: '{}', created_at: 'x' };
      // The connections that were ended may be tried first.
      await vi.waitFor(
        () =>
          expect(store.addSigningKey(key, 0)).rejects.toMatchObject({
            code: 'storage_failed',
            detail: expect.stringContaining('is read-only, and nothing was changed'),
          }),
        { timeout: 20_000 },
      );
      expect(await store.writability()).toMatchObject({
        writable: false,
        reason: expect.stringContaining('read-only'),
      });
      await store.close();
    });

    it('removes what a shorter history forgets', async () => {
      const url = await server.database();
      const store = await open(url);
      const next = await commits(new TenantState());
      const role = (name: string) => ({ op: 'create', kind: 'role', fields: { name } }) as const;
      await store.createTenant({ id: 't-1', name: 'one', created_at: 'x' }, await next([role('a')]));
      await store.commit(await next([{ op: 'delete', address: 'role/a' }, role('b')]));
      const knex = connectPostgres(readAddress(url), { connectionsMax: 1, acquireMs: 5000, silenceMs: 0 });
      const versions = async () => (await knex('record_versions').select('address')).map(({ address }) => address);
      expect(await versions()).toContain('role/a');
      await store.pruneHistory('2100-01-01T00:00:00.000Z');
      expect(await versions()).not.toContain('role/a');
      await knex.destroy();
      await store.close();
    });

    it('keeps no copy of what is erased in the files of its tables', async () => {
      const url = await server.database();
      const store = await open(url);
      const EMAIL = 'alice.very.private@example.com';
      const state = new TenantState();
      const tenant = { id: 't-1', name: 'one', created_at: new Date(NOW).toISOString() };
      const subject = (properties: object) => ({ type: 'user', id: 'alice', properties });
      const next = await commits(state);
      await store.createTenant(
        tenant,
        await next([{ op: 'create', kind: 'subject', fields: subject({ email: EMAIL }) }]),
      );
      await store.commit(await next([{ op: 'update', address: 'subject/user/alice', fields: subject({}) }]));
      const isInFiles = async () => {
        await server.admin('checkpoint');
        const folder = join(server.data, 'base');
        const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((file) => file.isFile());
        const texts = await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), 'latin1')));
        return texts.some((text) => text.includes(EMAIL));
      };
      expect(await isInFiles()).toBe(true);
      const by = { at: tenant.created_at, request_id: 'q', credential: BY };
      expect(await store.eraseHistory({ tenant, subject: 'user/alice', by })).toMatchObject({ versions: 1 });
      expect(await isInFiles()).toBe(false);
      await store.close();
    });
  });

  describe('a commit whose connection breaks', () => {
    it.each([
      ['once the database has it', true],
      ['before the database has it', false],
    ])('%s is told from one that was not stored', async (_, stored) => {
      const url = await server.database();
      const proxy = await CuttingProxy.start(server.port);
      const store = await open(server.url(nameOf(url), proxy.port));
      const state = new TenantState();
      const next = await commits(state);
      const role = (name: string) => ({ op: 'create', kind: 'role', fields: { name } }) as const;
      await store.createTenant({ id: 't-1', name: 'one', created_at: 'x' }, await next([role('a')]));
      const commit = await next([role('b')]);
      proxy.cutAtCommit({ pass: stored });
      const done = store.commit(commit).then(
        () => 'stored',
        (error: { code: string; detail: string }) => error.detail,
      );
      expect(await done).toMatch(
        stored ? /^stored$/ : /connection to the database of the cloud broke, and nothing was changed/,
      );
      expect((await store.load('t-1')).revision).toBe(stored ? 2 : 1);
      await store.close();
      await proxy.close();
    });
  });
});

/** Prepares one commit of a tenant after the other. */
async function commits(state: TenantState, id = 't-1') {
  let revisionNumber = 0;
  return async (changes: Parameters<typeof prepareCommit>[1]['changes']): Promise<Commit> => {
    const order = { changes, by: BY, requestId: 'request', now: NOW };
    const prepared = await prepareCommit({ id, state, revisionNumber, committedAt: 0 }, order);
    if (prepared === undefined) throw new Error('nothing to commit');
    state.commit(prepared.staged);
    revisionNumber++;
    return prepared.commit;
  };
}

/** Stands between the store and PostgreSQL, and can cut a connection at the moment when its transaction is to end. */
class CuttingProxy {
  #armed: { pass: boolean } | undefined;
  readonly #sockets = new Set<Socket>();
  private constructor(private readonly server: ReturnType<typeof createServer>) {}

  static async start(port: number): Promise<CuttingProxy> {
    const server = createServer();
    const proxy = new CuttingProxy(server);
    server.on('connection', (client) => proxy.#join(client, connect(port, '127.0.0.1')));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.server.address() as { port: number }).port;
  }

  /** Whether the database still gets the next `COMMIT`, whose answer is lost. */
  cutAtCommit(armed: { pass: boolean }): void {
    this.#armed = armed;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  #join(client: Socket, database: Socket): void {
    for (const socket of [client, database]) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
    }
    client.on('close', () => database.end());
    database.on('close', () => client.destroy());
    database.on('data', (bytes) => client.write(bytes));
    client.on('data', (bytes) => {
      if (this.#armed === undefined || !bytes.includes('COMMIT')) {
        database.write(bytes);
        return;
      }
      const { pass } = this.#armed;
      this.#armed = undefined;
      // What comes back from here on is lost.
      database.removeAllListeners('data').resume();
      if (pass) database.end(bytes);
      else database.destroy();
      client.destroy();
    });
  }
}
