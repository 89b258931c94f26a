import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '@authz-service/core/json/json';
import type { PrismaField } from '@authz-service/sdk/prisma';
import pg from 'pg';
import { hasPostgres, PostgresServer } from '../../../cloud/testing/postgres-server.js';

const modules = fileURLToPath(new URL('../../peers/node_modules', import.meta.url));
const prisma = join(modules, 'prisma/build/index.js');

const SCHEMA = `
generator client {
  provider = "prisma-client-js"
  output = "./client"
}
datasource db {
  provider = "postgresql"
}
model doc {
  at Int @id
  name String
  t String?
  u String?
  up String?
  n Float?
  k Float?
  decimal Decimal?
  whole Int?
  long BigInt?
  b Boolean?
  l String[]
  needed String
  moment DateTime?
  json Json?
}
`;
const TABLE = `CREATE TABLE doc (at int PRIMARY KEY, name text COLLATE "de-x-icu" NOT NULL,
  ${['t', 'u', 'up'].map((name) => `${name} text COLLATE "de-x-icu"`).join(', ')}, n double precision, k double precision,
  "decimal" numeric, whole int, long bigint, b boolean, l text[], needed text NOT NULL, moment timestamptz, json jsonb)`;

export const hasPrisma = hasPostgres && existsSync(prisma);
if (!hasPrisma)
  process.stderr.write(
    `\n*** SKIPPED: no filter is asked through Prisma, because ${hasPostgres ? 'it' : 'PostgreSQL'} is not installed. CI skips none of it. ***\n\n`,
  );

interface Client {
  readonly doc: {
    readonly fields: Readonly<Record<string, PrismaField>>;
    findMany(query: object): Promise<{ at: number }[]>;
  };
  $disconnect(): Promise<void>;
}

/** A table of documents in PostgreSQL, and a client of Prisma that is generated for it. */
export class PrismaDatabase {
  private constructor(
    private readonly dir: string,
    private readonly server: PostgresServer,
    private readonly sql: pg.Client,
    private readonly client: Client,
  ) {}

  static async start(): Promise<PrismaDatabase> {
    const dir = mkdtempSync(join(tmpdir(), 'authz-prisma-'));
    symlinkSync(modules, join(dir, 'node_modules'));
    writeFileSync(join(dir, 'package.json'), '{}');
    writeFileSync(join(dir, 'schema.prisma'), SCHEMA);
    // Generating takes no program for migrations, which it would else fetch.
    const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1' };
    execFileSync(process.execPath, [prisma, 'generate', '--schema', 'schema.prisma'], { cwd: dir, env, stdio: 'pipe' });
    const server = await PostgresServer.start();
    const connectionString = server.url('postgres');
    const sql = new pg.Client({ connectionString });
    await sql.connect();
    await sql.query(TABLE);
    const load = createRequire(join(dir, 'package.json'));
    const { PrismaClient } = load('./client');
    const { PrismaPg } = load('@prisma/adapter-pg');
    return new PrismaDatabase(dir, server, sql, new PrismaClient({ adapter: new PrismaPg({ connectionString }) }));
  }

  get fields(): Readonly<Record<string, PrismaField>> {
    return this.client.doc.fields;
  }

  /** Holds these rows, and no others; each by its number. */
  async fill(rows: readonly JsonObject[]): Promise<void> {
    await this.sql.query('TRUNCATE doc');
    for (const [at, row] of rows.entries()) {
      const names = Object.keys(row).filter((name) => row[name] !== null);
      const columns = ['at', ...names].map((name) => `"${name}"`).join(', ');
      const places = ['at', ...names].map((_, index) => `$${index + 1}`).join(', ');
      await this.sql.query(`INSERT INTO doc (${columns}) VALUES (${places})`, [at, ...names.map((name) => row[name])]);
    }
  }

  /** The numbers of the rows that a query selects. */
  async selected(where: object): Promise<number[]> {
    const found = await this.client.doc.findMany({ where, select: { at: true }, orderBy: { at: 'asc' } });
    return found.map(({ at }) => at);
  }

  async stop(): Promise<void> {
    await this.client.$disconnect();
    await this.sql.end();
    await this.server.stop();
    rmSync(this.dir, { recursive: true, force: true });
  }
}
