import * as z from 'zod';
import { ProblemError } from '../problem.js';
import { type BundleKey, keyIdOf, type SigningKey, signJson, verifiedJson } from './signing-key.js';
import type { BundleTenant } from './types.js';

const TYPE = 'policy-bundle+jws';
const DELTA_TYPE = 'policy-bundle-delta+jws';

const statementSchema = z.strictObject({
  format: z.literal(1),
  revision: z.string(),
  /**
   * The SHA-256 of the bytes of `bundle.json`, in hex: it also covers ids and names, which no digest of records does.
   */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** RFC 3339, UTC. */
  issued_at: z.iso.datetime(),
  /** The cloud's signed statement of its epoch; absent if it has declared none. */
  epoch: z.string().optional(),
  tenants: z.array(z.strictObject({ id: z.string(), name: z.string(), revision: z.string(), digest: z.string() })),
});

/** The statement about a bundle that a cloud signs. */
export type BundleStatement = z.infer<typeof statementSchema>;

export interface Statable {
  revision: string;
  tenants: readonly Pick<BundleTenant, 'id' | 'name' | 'revision' | 'digest'>[];
}

/** `sha256`: of the bytes of `bundle.json`, in hex. `epoch`: the cloud's signed statement of it. */
export function statementOf(
  { revision, tenants }: Statable,
  sha256: string,
  issuedAt: Date,
  epoch?: string,
): BundleStatement {
  return {
    format: 1,
    revision,
    sha256,
    issued_at: issuedAt.toISOString(),
    ...(epoch !== undefined && { epoch }),
    tenants: tenants.map(({ id, name, revision, digest }) => ({ id, name, revision, digest })),
  };
}

/** The text of `bundle.jws`. */
export function signStatement(statement: BundleStatement, key: SigningKey): Promise<string> {
  return signJson(statement, TYPE, key);
}

/**
 * The statement that one of these keys has signed about the bundle with this SHA-256. Throws `invalid_bundle` if there
 * is no signature, no trusted one, or one for other bytes.
 */
export function verifyStatement(
  jws: string | undefined,
  sha256: string,
  keys: readonly BundleKey[],
): Promise<BundleStatement> {
  return verified('bundle', { jws, type: TYPE, schema: statementSchema }, sha256, keys);
}

const deltaStatementSchema = z.strictObject({
  format: z.literal(1),
  /** The SHA-256 of the bytes of `delta.json`, in hex: they contain everything else. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** RFC 3339, UTC. */
  issued_at: z.iso.datetime(),
  /** The name of the epoch of both revisions; absent if the cloud has declared none. */
  epoch: z.string().optional(),
});

/** The statement about a delta that a cloud signs. */
export type DeltaStatement = z.infer<typeof deltaStatementSchema>;

/** The text of `delta.jws`; its type keeps a delta and a bundle from being taken for each other. */
export function signDelta(sha256: string, issuedAt: Date, key: SigningKey, epoch?: string): Promise<string> {
  const statement: DeltaStatement = {
    format: 1,
    sha256,
    issued_at: issuedAt.toISOString(),
    ...(epoch !== undefined && { epoch }),
  };
  return signJson(statement, DELTA_TYPE, key);
}

/** Does for a delta what `verifyStatement` does for a bundle. */
export function verifyDelta(
  jws: string | undefined,
  sha256: string,
  keys: readonly BundleKey[],
): Promise<DeltaStatement> {
  return verified('delta', { jws, type: DELTA_TYPE, schema: deltaStatementSchema }, sha256, keys);
}

async function verified<T extends { sha256: string }>(
  what: 'bundle' | 'delta',
  { jws, type, schema }: { jws: string | undefined; type: string; schema: z.ZodType<T> },
  sha256: string,
  keys: readonly BundleKey[],
): Promise<T> {
  if (jws === undefined) throw invalid(`The ${what} is not signed: it contains no ${what}.jws.`);
  const kid = keyIdOf(jws);
  const trusted = keys.map((key) => key.kid).join(', ') || 'none';
  if (kid === undefined) throw invalid(`The signature of the ${what} is not a JWS with a key id.`);
  if (!keys.some((key) => key.kid === kid)) {
    throw invalid(
      `The ${what} is signed by the key ${JSON.stringify(kid.slice(0, 100))}, which is not trusted (trusted: ${trusted}).`,
    );
  }
  const statement = schema.safeParse(await verifiedJson(jws, type, keys));
  if (!statement.success) throw invalid(`The signature of the ${what} was not made with the key ${kid}.`);
  if (statement.data.sha256 !== sha256) {
    throw invalid(
      `The signature belongs to another ${what}: it covers ${statement.data.sha256}, but the bytes have ${sha256}.`,
    );
  }
  return statement.data;
}

function invalid(detail: string): ProblemError {
  return new ProblemError('invalid_bundle', detail);
}
