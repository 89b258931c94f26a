import type { CompiledEngine } from '@authz-service/core/access/engine/compiled-engine';
import { EngineBuilder } from '@authz-service/core/access/engine/engine-builder';
import { TenantSearch } from '@authz-service/core/access/search/tenant-search';
import type { Epoch } from '@authz-service/core/bundle/epoch';
import {
  type DecodedBundle,
  type DecodedTenant,
  decodeBundleInSteps,
  type RecordSink,
  type TenantHead,
} from '@authz-service/core/bundle/read';
import type { BundleStatement } from '@authz-service/core/bundle/statement';
import type { ByteSource, TenantName } from '@authz-service/core/bundle/types';
import { ProblemError } from '@authz-service/core/problem';
import { revisionNumber } from '@authz-service/core/state/revision';
import { compareEpochs, isBehind, type ServedRevision } from '../cache/last-served.js';
import { timeSlicing } from '../time-slicing.js';
import type { Last } from './bundle-state.js';
import type { Served } from './served.js';

/** A bundle whose signature has been verified. */
export interface Verified {
  /** The bytes of `bundle.json`. */
  bytes: ByteSource;
  statement: BundleStatement;
  /** The id of the key that signed it. */
  kid: string;
  /** The epoch that it states, which was verified, too. */
  epoch: Epoch | undefined;
}

export interface ActivateOptions {
  tenantId?: string | undefined;
  /** Whether to accept an older revision than the one served, or a different one with the same number. */
  allowRollback?: boolean;
}

/**
 * The revision that was served last; it is still served unless it was lost. What an earlier run served counts only for its
 * own tenant.
 */
export interface Former extends Last {
  served: Served | undefined;
  /** Whether the cloud has lost that revision, whatever the number of the one that it offers. */
  diverged: boolean;
}

/**
 * Compiles a verified bundle into what answers decisions. It refuses another tenant and a revision older than the one
 * served last, so that a mixed-up or rolled-back cloud neither removes nor grants a right. It works in short steps
 * between requests. Throws `invalid_bundle` with a detail for the log.
 */
export async function activate(
  { bytes, statement, kid, epoch }: Verified,
  { tenantId, allowRollback = false }: ActivateOptions,
  former: Former | undefined,
): Promise<Served> {
  const compiled = (tenant: TenantHead) =>
    isWanted(tenant, tenantId) && tenant.revision !== former?.served?.revision
      ? new EngineBuilder(tenant.slice && new Set(tenant.slice.applications))
      : NO_ENGINE;
  const bundle = await timeSlicing.run(decodeBundleInSteps<CompiledEngine | undefined>(bytes, compiled));
  const tenant = chooseTenant(bundle, tenantId);
  const { slice } = tenant;
  const signed = { bundleRevision: bundle.revision, issuedAt: statement.issued_at, signedBy: kid, epoch, slice };
  if (former !== undefined) {
    const { servedRevision, served, earlier } = former;
    if (!earlier) refuseOtherTenant(tenant, servedRevision);
    const same = tenant.revision === servedRevision.revision;
    if (same && served !== undefined) return { ...served, tenant: { id: tenant.id, name: tenant.name }, ...signed };
    if (!allowRollback) refuseOtherHistory({ tenant, revision: slice?.of ?? tenant.revision, epoch }, former);
  }
  const { made: engine, id, name, revision, digest, digests } = tenant;
  if (engine === undefined) throw new Error(`the tenant ${name} was not compiled`);
  const search = new TenantSearch(engine);
  return { engine, search, tenant: { id, name }, revision, digest, digests, activatedBy: 'bundle', ...signed };
}

/** Stands in for tenants whose records only need to be checked. */
const NO_ENGINE: RecordSink<undefined> = { add: () => {}, finish: () => undefined };

/** Whether this may turn out to be the tenant to serve. */
export function isWanted({ id, name }: Pick<TenantHead, 'id' | 'name'>, tenantId: string | undefined): boolean {
  return tenantId === undefined || id === tenantId || name === tenantId;
}

/** `tenantId` may be a tenant's id or its name. One that the cloud cannot read is there, and cannot be served. */
function chooseTenant<T>(
  { tenants, unreadable }: Pick<DecodedBundle<T>, 'tenants' | 'unreadable'>,
  tenantId: string | undefined,
): DecodedTenant<T> {
  const all: readonly TenantName[] = [...tenants, ...unreadable];
  const held = all.map(({ id, name }) => `${name} (${id})`).join(', ') || 'none';
  if (tenantId !== undefined) {
    const chosen = all.find(({ id }) => id === tenantId) ?? all.find(({ name }) => name === tenantId);
    const readable = tenants.find((tenant) => tenant === chosen);
    if (readable !== undefined) return readable;
    if (chosen !== undefined)
      throw invalid(
        `The cloud cannot read the tenant ${chosen.name} (${chosen.id}) at present, so that its changes do not arrive: the log of the cloud says why.`,
      );
    throw invalid(`The bundle has no tenant "${tenantId}" but ${held}: check SERVICE_TENANT_ID and SERVICE_API_KEY.`);
  }
  const [only] = tenants;
  if (only === undefined) throw invalid('The bundle has no tenant.');
  if (all.length > 1) {
    throw invalid(`The bundle has several tenants: set SERVICE_TENANT_ID to the id of one of ${held}.`);
  }
  return only;
}

function refuseOtherTenant(next: DecodedTenant<unknown>, current: ServedRevision): void {
  if (next.id !== current.tenant.id) {
    throw invalid(
      `The bundle belongs to tenant ${next.name} (${next.id}), but ${current.tenant.name} (${current.tenant.id}) is served. ` +
        `${TO_ACCEPT} if the agent is to serve the other tenant.`,
    );
  }
}

function refuseOtherHistory(next: ServedRevision, { servedRevision: last, served, diverged }: Former): void {
  const { revision } = next;
  const before = last.slice?.of ?? last.revision;
  if (revision === before || next.tenant.id !== last.tenant.id) return;
  // Whoever declared a later epoch may set back the cloud.
  if (compareEpochs(next, last) > 0) return;
  if (!diverged && !isBehind(next, last)) return;
  const [offered, known] = [revisionNumber(revision), revisionNumber(before)];
  const fault = offered < known ? 'is older than' : offered === known ? 'contradicts' : 'comes from a history without';
  throw invalid(
    `Revision ${revision} of the bundle ${fault} ${before}, which ${served ? 'is' : 'was'} served. ` +
      `${TO_ACCEPT}, or set SERVICE_ALLOW_ROLLBACK=true, if the cloud was reset on purpose.`,
  );
}

const TO_ACCEPT = 'Stop the agent, remove bundle.json from its cache directory and start it again';

function invalid(detail: string): ProblemError {
  return new ProblemError('invalid_bundle', detail);
}
