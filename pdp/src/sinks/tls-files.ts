import { readFileSync } from 'node:fs';

/** The files of a TLS client, PEM; they are read for each connection, so that a new certificate needs no restart. */
export interface TlsFiles {
  /** The authorities that the receiver's certificate must come from, instead of Node's. */
  caFile?: string | undefined;
  certFile?: string | undefined;
  keyFile?: string | undefined;
}

export function tlsOptions({ caFile, certFile, keyFile }: TlsFiles): { ca?: Buffer; cert?: Buffer; key?: Buffer } {
  return {
    ...(caFile !== undefined && { ca: readFileSync(caFile) }),
    ...(certFile !== undefined && { cert: readFileSync(certFile) }),
    ...(keyFile !== undefined && { key: readFileSync(keyFile) }),
  };
}

/** The header in a file: one line like `Authorization: Bearer TOKEN`. Throws without repeating it. */
export function readHeader(file: string): Record<string, string> {
  const [, name, value] =
    /^([!#$%&'*+.^_`|~\w-]+):[ \t]*([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)\s*$/.exec(readFileSync(file, 'utf8')) ??
    [];
  if (name === undefined || value === undefined) {
    throw new Error(`the header file "${file}" holds no header: write one line like "Authorization: Bearer TOKEN"`);
  }
  return { [name.toLowerCase()]: value };
}
