import type { Json } from '@authz-service/core/json/json';
import type { SqlFilter } from '@authz-service/sdk';
import mysql from 'mysql2/promise';
import pg from 'pg';
import sqlite from 'sqlite3';
import { hasMariadb, MariadbServer } from '../../../cloud/testing/mariadb-server.js';
import { hasPostgres, PostgresServer } from '../../../cloud/testing/postgres-server.js';
import type { RowColumn, RowDatabase, SqlValue } from './row-table.js';

const hasNul = (value: Json) => JSON.stringify(value).includes('\\u0000');
const isWhole = (value: Json) => Number.isSafeInteger(value);
const isWholeText = (value: Json) => /^(?:0|-?[1-9]\d{0,15})$/.test(String(value));
const isMoment = (value: Json) => /^\d{4}-\d\d-\d\dT[\d:]{8}Z$/.test(String(value));
/** A number whose digits single precision shows. */
const isShort = (value: Json) => Number(value) === 0 || String(value).length <= 4;
const isLatin1 = (value: Json) => [...String(value)].every((one) => one <= '\u00ff');
const isUnnested = (value: Json) => (value as Json[]).every((item) => typeof item !== 'object' || item === null);
const areTexts = (value: Json) => !hasNul(value) && (value as Json[]).every((item) => typeof item === 'string');
const json = (value: Json) => JSON.stringify(value);
/** JSON as Python writes it. */
const asciiJson = (value: Json) =>
  JSON.stringify(value).replace(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
const isUnpadded = (value: Json) => !hasNul(value) && !String(value).endsWith(' ');

const TEXT_ATTRIBUTES = ['name', 't', 'u', 'up', 'by', 'in'];
const NUMBER_ATTRIBUTES = ['n', 'k'];
const of = (attributes: readonly string[], columns: readonly Omit<RowColumn, 'attribute'>[]) =>
  attributes.flatMap((attribute) => columns.map((column) => ({ attribute, ...column })));

const SQLITE = [
  ...of(TEXT_ATTRIBUTES, [
    { type: 'TEXT COLLATE NOCASE' },
    { type: 'TEXT COLLATE RTRIM' },
    { type: 'INTEGER', holds: isWholeText },
    { type: '' },
  ]),
  ...of(NUMBER_ATTRIBUTES, [{ type: 'REAL' }, { type: 'NUMERIC' }, { type: 'INTEGER', holds: isWhole }]),
  ...of(['b'], [{ type: 'INTEGER', write: Number }]),
  ...of(
    ['l'],
    [
      { type: 'TEXT', write: json },
      { type: 'TEXT COLLATE NOCASE', write: asciiJson },
    ],
  ),
];

const POSTGRES = [
  ...of(TEXT_ATTRIBUTES, [
    { type: 'text COLLATE "de-x-icu"', holds: (value) => !hasNul(value) },
    { type: 'varchar(200)', holds: (value) => !hasNul(value) },
    { type: 'citext', holds: (value) => !hasNul(value) },
    { type: 'char(200)', holds: isUnpadded },
    { type: 'text COLLATE loose', as: '? COLLATE "C"', holds: (value) => !hasNul(value) },
    { type: 'bigint', holds: isWholeText },
    {
      type: 'timestamptz',
      as: `to_char(? AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`,
      holds: isMoment,
    },
  ]),
  ...of(NUMBER_ATTRIBUTES, [
    { type: 'double precision' },
    { type: 'numeric' },
    { type: 'bigint', holds: isWhole },
    { type: 'smallint', holds: (value) => isWhole(value) && Math.abs(Number(value)) < 2 ** 15 },
    {
      type: 'real',
      as: 'CAST(CAST(? AS text) AS numeric)',
      holds: (value) => Math.abs(Number(value)) < 1000 && isShort(value),
    },
  ]),
  ...of(['b'], [{ type: 'boolean' }]),
  ...of(
    ['l'],
    [
      { type: 'jsonb', holds: (value) => !hasNul(value), write: json },
      { type: 'json', holds: (value) => !hasNul(value), write: json },
      { type: 'text[]', isArray: true, holds: areTexts },
    ],
  ),
];

const MARIADB = [
  ...of(TEXT_ATTRIBUTES, [
    { type: 'VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci' },
    { type: 'VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci' },
    { type: 'VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin' },
    { type: 'VARCHAR(200) CHARACTER SET latin1', as: 'CONVERT(? USING utf8mb4)', holds: isLatin1 },
    { type: 'VARBINARY(200)' },
    { type: 'CHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci', holds: isUnpadded },
    { type: 'BIGINT', holds: isWholeText },
    {
      type: 'DATETIME',
      as: `DATE_FORMAT(?, '%Y-%m-%dT%TZ')`,
      holds: isMoment,
      write: (value) => String(value).replace('T', ' ').replace('Z', ''),
    },
  ]),
  ...of(NUMBER_ATTRIBUTES, [
    { type: 'DOUBLE' },
    { type: 'DECIMAL(40, 20)', holds: (value) => Math.abs(Number(value)) < 1e16 && value !== 5e-324 },
    { type: 'BIGINT', holds: isWhole },
  ]),
  ...of(['b'], [{ type: 'BOOLEAN', write: Number }]),
  ...of(
    ['l'],
    [
      { type: 'JSON', holds: isUnnested, write: json },
      { type: 'JSON', holds: isUnnested, write: asciiJson },
      { type: 'TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci', holds: isUnnested, write: json },
    ],
  ),
];

/** In memory. */
async function openSqlite(): Promise<RowDatabase> {
  const database = new sqlite.Database(':memory:');
  const all = (sql: string, values: readonly SqlValue[]) =>
    new Promise<{ at: number }[]>((resolve, reject) => {
      database.all<{ at: number }>(sql, values, (error, rows) => (error === null ? resolve(rows) : reject(error)));
    });
  return {
    dialect: 'sqlite',
    columns: SQLITE,
    run: async (sql, values = []) => void (await all(sql, values)),
    numbers: async (sql, values) => (await all(sql, values)).map(({ at }) => at),
    close: () => new Promise((resolve) => database.close(() => resolve())),
  };
}

async function openPostgres(): Promise<RowDatabase> {
  const server = await PostgresServer.start();
  await server.admin('CREATE EXTENSION citext');
  await server.admin(`CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level1', deterministic = false)`);
  const client = new pg.Client(server.url('postgres'));
  await client.connect();
  return {
    dialect: 'postgres',
    columns: POSTGRES,
    run: async (sql, values = []) => void (await client.query(sql, [...values])),
    numbers: async (sql, values: SqlFilter['params']) =>
      (await client.query<{ at: number }>(sql, [...values])).rows.map(({ at }) => at),
    close: async () => {
      await client.end();
      await server.stop();
    },
  };
}

async function openMariadb(): Promise<RowDatabase> {
  const connect = (port: number) => mysql.createConnection({ host: '127.0.0.1', port, user: 'root' });
  const server = await MariadbServer.start(async (port) => (await connect(port)).end());
  const connection = await connect(server.port);
  await connection.query('CREATE DATABASE rows_of_tests CHARACTER SET utf8mb4');
  await connection.query('USE rows_of_tests');
  return {
    dialect: 'mysql',
    columns: MARIADB,
    run: async (sql, values = []) => void (await connection.query({ sql, values: [...values] })),
    numbers: async (sql, values) => {
      const [rows] = await connection.execute<mysql.RowDataPacket[]>(sql, [...values]);
      return rows.map(({ at }) => at);
    },
    close: async () => {
      await connection.end();
      await server.stop();
    },
  };
}

/** The databases that filters are asked in; MariaDB stands for MySQL, too. Those that are not installed are skipped. */
export const ROW_DATABASES = [
  { label: 'SQLite', isThere: true, open: openSqlite },
  { label: 'PostgreSQL', isThere: hasPostgres, open: openPostgres },
  { label: 'MariaDB', isThere: hasMariadb, open: openMariadb },
];
for (const { label, isThere } of ROW_DATABASES)
  if (!isThere) process.stderr.write(`\nFilters are not asked in ${label}: it is not installed.\n`);
