import type { Secret } from '@authz-service/core/values/secret';

/** How a connection is encrypted, and what of the server's certificate is verified. */
export type SslMode = 'disable' | 'require' | 'verify-ca' | 'verify-full';

/** A PostgreSQL database and how to reach it. */
export interface PostgresAddress {
  /** A name, an IP address, or the folder of a Unix socket. */
  host: string;
  port: number;
  database: string;
  user: string;
  password?: Secret;
  sslMode: SslMode;
  /** PEM texts. */
  ca?: string;
  cert?: string;
  key?: Secret;
}

/** The address without what is secret. */
export function addressText({ host, port, database, user }: PostgresAddress): string {
  return `postgres://${user}@${host.includes(':') ? `[${host}]` : host}:${port}/${database}`;
}
