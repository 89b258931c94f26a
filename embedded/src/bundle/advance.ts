import type { RecordChange } from '@authz-service/core/access/api/engine';
import { TenantSearch } from '@authz-service/core/access/search/tenant-search';
import type { Delta } from '@authz-service/core/bundle/delta';
import { moveDigests } from '@authz-service/core/bundle/delta-digest';
import { decodeDeltaInSteps } from '@authz-service/core/bundle/delta-read';
import type { DeltaStatement } from '@authz-service/core/bundle/statement';
import { areForSame } from '@authz-service/core/bundle/untrusted';
import { ProblemError } from '@authz-service/core/problem';
import { revisionNumber } from '@authz-service/core/state/revision';
import { timeSlicing } from '../time-slicing.js';
import type { Served } from './served.js';

/** A delta whose signature has been verified. */
interface VerifiedDelta {
  /** The bytes of `delta.json`. */
  json: Buffer;
  statement: Pick<DeltaStatement, 'issued_at'>;
  /** The id of the key that signed it. */
  kid: string;
}

/** A step of the engine, and what is served after it: see `BundleState#advanced`. */
export interface Advance {
  changes: readonly RecordChange[];
  next: Served;
}

/**
 * Checks that a verified delta leads from what is served to a later revision with the digest that it states. Afterwards
 * the leaves of the digest are already those of the later revision: nothing but the change of the engine may follow.
 * `stepsMax` is the largest change allowed, in the engine's steps. Throws `invalid_bundle` and leaves everything as it
 * was.
 */
export async function advance(
  { json, statement, kid }: VerifiedDelta,
  served: Served,
  stepsMax = Number.POSITIVE_INFINITY,
): Promise<Advance> {
  const delta = await timeSlicing.run(decodeDeltaInSteps(json));
  refuseOtherBase(delta, served);
  const steps = served.engine.weigh(delta.changes);
  if (steps > stepsMax) throw invalid(`The delta would take ${steps} steps at once, more than ${stepsMax}.`);
  await timeSlicing.run(moveDigests(served.digests, delta));
  const { tenant, revision, digest, slice, changes } = delta;
  const next: Served = {
    ...served,
    search: new TenantSearch(served.engine),
    tenant,
    revision,
    digest,
    slice,
    activatedBy: 'delta',
    bundleRevision: revision,
    issuedAt: statement.issued_at,
    signedBy: kid,
  };
  return { changes, next };
}

/** Returns what is served, as another signature states it. Throws `invalid_bundle` if anything differs. */
export async function confirmed({ json, statement, kid }: VerifiedDelta, served: Served): Promise<Advance> {
  const { tenant, base, revision, digest, slice, changes } = await timeSlicing.run(decodeDeltaInSteps(json));
  if (tenant.id !== served.tenant.id || revision !== base.revision || digest !== base.digest || changes.length > 0)
    throw invalid(`The bundle is another one than that of revision ${base.revision}, which is served.`);
  return {
    changes,
    next: { ...served, tenant, slice, bundleRevision: revision, issuedAt: statement.issued_at, signedBy: kid },
  };
}

function refuseOtherBase({ tenant, base, revision, slice }: Delta, served: Served): void {
  if (!areForSame(slice, served.slice))
    throw invalid(
      `The delta is for ${slice?.applications.join(', ') ?? 'all applications'}, and what is served for others.`,
    );
  if (tenant.id !== served.tenant.id) {
    throw invalid(`The delta belongs to tenant ${tenant.name} (${tenant.id}), but ${served.tenant.name} is served.`);
  }
  if (base.revision !== served.revision || base.digest !== served.digest) {
    throw invalid(`The delta starts at revision ${base.revision}, but ${served.revision} is served.`);
  }
  if (revisionNumber(revision) <= revisionNumber(served.revision)) {
    throw invalid(`The delta leads to revision ${revision}, which is not later than the served ${served.revision}.`);
  }
}

function invalid(detail: string): ProblemError {
  return new ProblemError('invalid_bundle', detail);
}
