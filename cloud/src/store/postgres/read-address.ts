import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { Secret } from '@authz-service/core/values/secret';
import type { PostgresAddress, SslMode } from './postgres-address.js';

const SSL_MODES: readonly SslMode[] = ['disable', 'require', 'verify-ca', 'verify-full'];
const PARAMETERS = ['host', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey'];

/** A fault of an address, as the end of a sentence that begins with the name of the setting. */
export class AddressFault extends Error {
  override readonly name = 'AddressFault';
}

/**
 * Reads `postgres://USER:PASSWORD@HOST:PORT/DATABASE`. Without `sslmode`, connections to other machines are encrypted and the
 * server's certificate is verified. Throws `AddressFault`, which never contains the address, since it may hold a password.
 */
export function readAddress(text: string): PostgresAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^postgres(ql)?:$/.test(url.protocol)) {
    throw new AddressFault(
      'is not a URL like "postgres://USER:PASSWORD@HOST:5432/DATABASE": write one, with special characters of the password as percent escapes',
    );
  }
  for (const name of url.searchParams.keys()) {
    if (!PARAMETERS.includes(name))
      throw new AddressFault(
        `has the parameter "${name}", which is not known: leave it out, or use ${PARAMETERS.join(', ')}`,
      );
  }
  const host = url.searchParams.get('host') ?? decoded(url.hostname.replace(/^\[|\]$/g, ''), 'host');
  if (host === '')
    throw new AddressFault(
      'names no host: write one, or a socket folder as localhost/DATABASE?host=/var/run/postgresql',
    );
  const database = decoded(url.pathname.slice(1), 'database');
  if (database === '' || database.includes('/'))
    throw new AddressFault('names no database: write its name after the host');
  const user = decoded(url.username, 'user');
  if (user === '') throw new AddressFault('names no user: write one before the host');
  const { sslMode, ...files } = encryption(url.searchParams, host);
  return {
    host,
    port: url.port === '' ? 5432 : Number(url.port),
    database,
    user,
    ...(url.password !== '' && { password: new Secret(decoded(url.password, 'password')) }),
    sslMode,
    ...files,
  };
}

function encryption(
  parameters: URLSearchParams,
  host: string,
): Pick<PostgresAddress, 'sslMode' | 'ca' | 'cert' | 'key'> {
  const given = parameters.get('sslmode');
  const sslMode = SSL_MODES.find((mode) => mode === given) ?? (isLocal(host) ? 'disable' : 'verify-full');
  if (given !== null && given !== sslMode)
    throw new AddressFault(`has sslmode "${given}": use one of ${SSL_MODES.join(', ')}`);
  const [ca, cert, key] = ['sslrootcert', 'sslcert', 'sslkey'].map((name) => fileOf(parameters, name));
  if (sslMode === 'disable' && (ca ?? cert ?? key) !== undefined)
    throw new AddressFault('names certificates, but its connections are not encrypted: add sslmode=verify-full');
  if ((cert === undefined) !== (key === undefined))
    throw new AddressFault('has only one of sslcert and sslkey: give both');
  return {
    sslMode,
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key: new Secret(key) }),
  };
}

function fileOf(parameters: URLSearchParams, name: string): string | undefined {
  const path = parameters.get(name);
  if (path === null) return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new AddressFault(
      `names "${path}" as ${name}, which cannot be read (${(error as NodeJS.ErrnoException).code})`,
    );
  }
}

/** Connections within the machine need no encryption. */
function isLocal(host: string): boolean {
  return (
    host.startsWith('/') || host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
  );
}

function decoded(text: string, what: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new AddressFault(`has a malformed percent escape in its ${what}: write "%25" for a percent sign`);
  }
}
