import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hasPostgres, PostgresServer } from '../../../testing/postgres-server.js';
import { openPostgresStore } from './postgres.js';
import { readAddress } from './read-address.js';

describe.skipIf(!hasPostgres)('a connection to PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server.stop());

  const open = (url: string) => openPostgresStore({ address: readAddress(url) });
  const openBoth = (url: string, direct: string) =>
    openPostgresStore({ address: readAddress(url), direct: readAddress(direct) });
  const nameOf = (url: string) => new URL(url).pathname.slice(1);
  const refusal = async (url: string) =>
    (await open(url).catch((reason: unknown) => reason)) as { code: string; detail: string };

  it('is made over TLS only where the certificate is the expected one', async () => {
    const files = server.certificate();
    const url = await server.database();
    expect((await refusal(`${url}?sslmode=require`)).detail).toContain('write sslmode=disable into DATABASE_URL');
    await server.kill();
    await server.run(['ssl=on', `ssl_cert_file=${files.cert}`, `ssl_key_file=${files.key}`]);
    const named = url.replace('127.0.0.1', 'localhost');
    await (await open(`${named}?sslmode=verify-full&sslrootcert=${files.cert}`)).close();
    await (await open(`${url}?sslmode=verify-ca&sslrootcert=${files.cert}`)).close();
    await (await open(`${url}?sslmode=require`)).close();
    expect((await refusal(`${named}?sslmode=verify-full`)).detail).toMatch(/sslrootcert=FILE.*self-signed certificate/);
    expect((await refusal(`${url}?sslmode=verify-full&sslrootcert=${files.cert}`)).detail).toMatch(
      /is that of another host: write a host that it names.*127\.0\.0\.1/,
    );
  });

  it('past a pooler has to lead to the same database', async () => {
    const url = await server.database();
    const other = await server.database(`template ${nameOf(url)}`);
    const refused = openBoth(url, other.replace('cloud@', 'cloud:not-to-be-told@'));
    const named = (one: string) => `postgres://cloud@127.0.0.1:${server.port}/${nameOf(one)}`;
    await expect(refused).rejects.toMatchObject({
      code: 'invalid_config',
      detail: expect.stringContaining(
        `DATABASE_DIRECT_URL leads to another database, ${named(other)}, than DATABASE_URL, ${named(url)}: `,
      ),
    });
    await expect(refused).rejects.not.toThrow('not-to-be-told');
    // One that cannot be reached now only makes the replica deaf.
    for (const direct of [url, server.url('missing')]) await (await openBoth(url, direct)).close();
  });

  it('names the setting that lacks the password which is asked for', async () => {
    const url = await server.database();
    const rules = join(server.data, 'pg_hba.conf');
    const before = await readFile(rules, 'utf8');
    await writeFile(rules, `host ${nameOf(url)} all 127.0.0.1/32 scram-sha-256\n${before}`);
    await server.admin('select pg_reload_conf()');
    await vi.waitFor(
      async () =>
        expect((await refusal(url)).detail).toContain(
          'asks for a password, and DATABASE_URL has none: write it there, as USER:PASSWORD@HOST',
        ),
      { timeout: 20_000 },
    );
  });
});
