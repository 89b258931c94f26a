import pg from 'pg';
import type { StorageFault } from '../storage-fault.js';

const UNREACHABLE: StorageFault = {
  what: 'The database of the cloud cannot be reached',
  remedy: 'check that PostgreSQL runs and that the network leads to it',
  uncertain: true,
  passing: true,
};

/** The cloud has waited for as long as it may. */
export const SILENT: StorageFault = {
  what: 'The database of the cloud does not answer',
  remedy: 'look whether PostgreSQL stands still, its tables are locked, or the pooler before it is full',
  uncertain: true,
  passing: true,
};

/** The change was not stored, though its connection broke. */
export const BROKEN_OFF: StorageFault = {
  what: 'The connection to the database of the cloud broke',
  remedy: 'check that PostgreSQL runs',
  passing: true,
};

export const READ_ONLY: StorageFault = {
  what: 'The database of the cloud is read-only',
  remedy: 'connect the cloud to the primary server, or allow writing there',
};

const BUSY: StorageFault = {
  what: 'The database of the cloud is busy for too long',
  remedy: 'find what holds it up, such as a long transaction',
  passing: true,
};

/** By SQLSTATE. */
const BY_STATE: Record<string, StorageFault> = {
  '25006': READ_ONLY,
  '40001': BUSY,
  '40P01': BUSY,
  '53100': { what: 'The disk of the database is full', remedy: 'free space on the machine of PostgreSQL' },
  '53200': { what: 'PostgreSQL has no memory left', remedy: 'give its machine more', passing: true },
  '53300': {
    what: 'PostgreSQL accepts no more connections',
    remedy: 'raise its max_connections, or put a pooler such as PgBouncer before it',
    passing: true,
  },
  '55P03': BUSY,
  '57014': BUSY,
  '25P03': BUSY,
  '57P01': UNREACHABLE,
  '57P02': UNREACHABLE,
  '57P03': UNREACHABLE,
  '58030': { what: 'The disk of the database cannot be written or read', remedy: 'repair it', uncertain: true },
  '28000': { what: 'PostgreSQL refuses the user of the cloud', remedy: 'check DATABASE_URL' },
  '28P01': { what: 'PostgreSQL refuses the password of the cloud', remedy: 'check DATABASE_URL' },
  '3D000': { what: 'The database of the cloud does not exist', remedy: 'create it, or check DATABASE_URL' },
  '42501': {
    what: 'The user of the cloud lacks a right in the database',
    remedy: 'grant it, or make the user the owner of the database',
  },
  XX001: { what: 'The database of the cloud is damaged', remedy: 'restore a backup', uncertain: true },
  XX002: { what: 'The database of the cloud is damaged', remedy: 'restore a backup', uncertain: true },
};

const UNTRUSTED: StorageFault = {
  what: 'Nobody whom the cloud trusts has signed the certificate of PostgreSQL',
  remedy: 'name the certificate of who signed it in DATABASE_URL, as sslrootcert=FILE',
};

/** Errors of certificates, by their codes. */
const BY_CERTIFICATE: Record<string, StorageFault> = {
  CERT_HAS_EXPIRED: { what: 'The certificate of PostgreSQL has expired', remedy: 'renew it' },
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  ERR_TLS_CERT_ALTNAME_INVALID: {
    what: 'The certificate of PostgreSQL is that of another host',
    remedy: 'write a host that it names into DATABASE_URL, or sslmode=verify-ca if its signer alone is enough',
  },
};

/** Errors that have no code, by what `pg` says. */
const BY_TEXT: [RegExp, StorageFault][] = [
  [
    /client password must be a .*string/,
    {
      what: 'PostgreSQL asks for a password, and DATABASE_URL has none',
      remedy: 'write it there, as USER:PASSWORD@HOST',
    },
  ],
  [
    /does not support SSL connections/,
    {
      what: 'PostgreSQL offers no encryption',
      remedy: 'set it up there, or write sslmode=disable into DATABASE_URL if nobody else is on the network between',
    },
  ],
];

/** Errors of sockets and names, by their codes. */
const SOCKET = /^(ECONN\w+|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|ENETDOWN|ENOTFOUND|EAI_AGAIN|ENOENT|EACCES)$/;

/** Matches errors, without a code, of answers and connections that did not come in time. */
const LATE = /timeout (exceeded|expired)|silent for too long/i;

/** Matches what `pg` says, without a code, of connections that broke. */
const BROKEN = /Connection (terminated|ended)|not queryable/i;

/** The fault behind an error of PostgreSQL or of the connection to it. */
export function postgresFaultOf(error: unknown): StorageFault | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = String((error as { code?: unknown }).code ?? '');
  if (error.name === 'KnexTimeoutError') return BUSY;
  const [, said] = BY_TEXT.find(([text]) => text.test(error.message)) ?? [];
  if (LATE.test(error.message)) return SILENT;
  return BY_STATE[code] ?? BY_CERTIFICATE[code] ?? said ?? (isBroken(error) ? UNREACHABLE : undefined);
}

/** Whether the connection broke, so that it is unknown what became of its transaction. */
export function isBroken(error: unknown): boolean {
  const { code, message = '' } = error as { code?: string; message?: string };
  return SOCKET.test(code ?? '') || /^(08|57P)/.test(code ?? '') || LATE.test(message) || BROKEN.test(message);
}

/** Removes what PostgreSQL says of the values in an error, because some of them are hashes of secrets. */
export function withoutValues(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError)) return error;
  for (const member of ['detail', 'where', 'hint', 'internalQuery'] as const) delete error[member];
  return error;
}
