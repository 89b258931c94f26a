import type { Socket } from 'node:net';
import knex, { type Knex } from 'knex';
import pg from 'pg';
import type { PostgresAddress } from './postgres-address.js';
import type { Pulse } from './pulse.js';

const INT8 = 20;
const CONNECT_MS = 5000;
const KEEP_ALIVE_MS = 10_000;

export interface PoolOptions {
  connectionsMax: number;
  /** How long work waits for a connection. */
  acquireMs: number;
  /** A connection on which nothing has been heard for so long is given up: its other end may be gone without a word. */
  silenceMs: number;
  /** Gives connections up earlier where the database is known not to answer. */
  pulse?: Pulse;
}

/** A pool of connections. No connection keeps a state between transactions, so that poolers can share them. */
export function connectPostgres(address: PostgresAddress, options: PoolOptions): Knex {
  return knex.default({
    client: 'pg',
    // What is sent together does not wait for the answers to what was before, see `sendAll`.
    connection: { ...clientConfig(address), pipeline: true } as Knex.PgConnectionConfig,
    // Error texts must not contain bound values, because some of them are keys.
    compileSqlOnError: false,
    // Errors are thrown as well; knex must not write to standard output.
    log: { warn() {}, error() {}, deprecate() {}, debug() {} },
    acquireConnectionTimeout: options.acquireMs,
    pool: {
      min: 0,
      max: options.connectionsMax,
      afterCreate: (client: pg.Client, done: (error: Error | null, client: pg.Client) => void) => {
        giveUpAfter(client, options.silenceMs);
        options.pulse?.watch(streamOf(client));
        done(null, client);
      },
    },
  });
}

/** The settings of one connection. */
export function clientConfig(address: PostgresAddress): pg.ClientConfig {
  const { host, port, database, user, password } = address;
  return {
    host,
    port,
    database,
    user,
    password: password?.reveal() ?? '',
    ssl: sslOf(address),
    application_name: 'authz-service',
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    connectionTimeoutMillis: CONNECT_MS,
    // Revisions and keys are far below the integers that a number cannot hold.
    types: { getTypeParser: (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) },
  };
}

function sslOf({ sslMode, ca, cert, key }: PostgresAddress): pg.ClientConfig['ssl'] {
  if (sslMode === 'disable') return false;
  return {
    rejectUnauthorized: sslMode !== 'require',
    ...(sslMode === 'verify-ca' && { checkServerIdentity: () => undefined }),
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key: key.reveal() }),
  };
}

export function giveUpAfter(client: pg.Client, silenceMs: number): void {
  const stream = streamOf(client);
  stream.setTimeout(silenceMs, () => stream.destroy(new Error('the database was silent for too long')));
}

/** The socket, or what encrypts it. */
function streamOf(client: pg.Client): Socket {
  return (client as unknown as { connection: { stream: Socket } }).connection.stream;
}
