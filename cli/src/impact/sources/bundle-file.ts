import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Bundle, BundleArchive } from '@authz-service/core/bundle/types';
import { ProblemError } from '@authz-service/core/problem';
import { addressOf, type DeclaredRecord } from '@authz-service/core/records/registry';
import { UsageError } from '../../errors/usage-error.js';
import type { Source } from './source.js';

/** The largest bundle, as an agent reads it. */
const LIMITS = { compressed: 128 * 1024 * 1024, unpacked: 512 * 1024 * 1024 };

/** The two bytes that a gzip file begins with (RFC 1952). */
export function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

export interface BundleOptions {
  /** The keys that must have signed it: a JWKS in a file. */
  jwks?: string | undefined;
  /** Which tenant, if it holds several. */
  tenant?: string | undefined;
}

/**
 * The records of a bundle as the cloud serves it (tar.gz), or of its `bundle.json`. That the records are those of its
 * digest and revision is always checked, and the signature if there are keys; what was not checked is a note. Throws
 * `invalid_bundle`.
 */
export async function bundleSource(file: string, bytes: Buffer, { jwks, tenant }: BundleOptions): Promise<Source> {
  const { decodeBundle, unpackBundle } = await import('@authz-service/core/bundle/read');
  const packed = isGzip(bytes);
  try {
    const archive: BundleArchive = packed ? await unpackBundle(bytes, LIMITS) : { json: bytes, jws: undefined };
    const signed = jwks !== undefined;
    if (signed) await verify(archive, jwks, packed);
    const { id: _, name, revision, records } = chosen(decodeBundle(archive.json), tenant);
    const how = packed ? 'its signature was not: --bundle-jwks FILE names the keys' : 'it has no signature by itself';
    return {
      label: `${file} (tenant "${name}", revision ${revision})`,
      records: records.map(
        ({ kind, fields }) => ({ kind, address: addressOf(kind, fields), fields }) as DeclaredRecord,
      ),
      tenant: name,
      notes: signed ? [] : [`${file}: the digest of its records was verified; ${how}.`],
      gaps: [],
    };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    throw new ProblemError(error.code, `${file}: ${error.detail}`, error.errors, { cause: error });
  }
}

async function verify({ json, jws }: BundleArchive, jwks: string, packed: boolean): Promise<void> {
  const [{ verifyStatement }, { readServedKeys }] = await Promise.all([
    import('@authz-service/core/bundle/statement'),
    import('@authz-service/core/bundle/served-keys'),
  ]);
  if (!packed) {
    throw new UsageError(
      '--bundle-jwks needs the archive that the cloud serves: a bundle.json alone has no signature.',
    );
  }
  const { keys } = readServedKeys(await readFile(jwks, 'utf8'));
  await verifyStatement(jws, createHash('sha256').update(json).digest('hex'), keys);
}

function chosen({ tenants }: Bundle, wanted: string | undefined): Bundle['tenants'][number] {
  const [first] = tenants;
  const found = wanted === undefined ? first : tenants.find(({ name, id }) => name === wanted || id === wanted);
  const names = tenants.map(({ name }) => name).join(', ');
  if (found === undefined) {
    throw new ProblemError(
      'invalid_bundle',
      wanted === undefined ? 'It holds no tenant.' : `It holds no tenant "${wanted}", but ${names}.`,
    );
  }
  if (wanted === undefined && tenants.length > 1) {
    throw new ProblemError('invalid_bundle', `It holds several tenants (${names}): choose one with --tenant.`);
  }
  return found;
}
