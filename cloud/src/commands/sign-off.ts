import { randomUUID } from 'node:crypto';
import { ProblemError } from '@authz-service/core/problem';
import type { ReviewScope, ScopeKind } from '@authz-service/core/questions/review/review-scope';
import { address, splitReference } from '@authz-service/core/records/address';
import type { Credential } from '../auth/credential.js';
import type { Cloud } from '../cloud.js';
import { assertStillValid } from '../console/assert-still-valid.js';
import type { SignOffRow } from '../store/sign-off-store.js';
import { type AccessChanges, accessChanges } from './access-changes.js';
import { signedReview } from './access-review.js';

export interface SignOffCommand {
  scope: ReviewScope;
  /** The revision whose access was looked at. */
  revision: string;
  /** The clock of what was looked at: milliseconds since the epoch. */
  asOf: number;
  decision: SignOffRow['decision'];
  note: string;
  /** The identities of the rows, and members of rows, that need change. */
  toChange: readonly string[];
  credential: Credential;
  requestId: string;
  now: number;
}

/**
 * Records that somebody has reviewed a scope of the tenant at a revision, from a moment on. The rows are found anew, so that nobody
 * signs off what was not there. Throws as `accessReview` does; `conflict` where there was too much to look at; `invalid_request` for
 * rows that are not in the review; `unauthorized` where the session has ended.
 */
export async function signOff(cloud: Cloud, command: SignOffCommand, signal: AbortSignal): Promise<SignOffRow> {
  const { scope, revision, asOf, decision, note, toChange, credential, requestId, now } = command;
  const asked = { credential, at: revision, asOf, scope, now, marked: toChange };
  const found = await signedReview(cloud, asked, signal);
  if (!found.complete)
    throw new ProblemError(
      'conflict',
      'There was too much to look at, so that somebody may have access who was not shown: sign off smaller scopes within it, or fewer actions.',
    );
  const known = new Set(found.marked.map((row) => row.id));
  const unknown = toChange.findIndex((one) => !known.has(one));
  if (unknown >= 0) {
    const detail = `is "${toChange[unknown]}", which is not in the review: look at it again.`;
    throw new ProblemError('invalid_request', `The body is malformed: /rows_to_change/${unknown} ${detail}`, [
      { pointer: `/rows_to_change/${unknown}`, detail },
    ]);
  }
  const { kind, id, name } = credential;
  const at = cloud.now();
  // The search may have waited long.
  await assertStillValid(cloud, credential, at);
  const row: SignOffRow = {
    id: randomUUID(),
    tenant: credential.tenant,
    at: new Date(at).toISOString(),
    request_id: requestId,
    person: { kind, id, name },
    scope: address(scope.kind, scope.path),
    ...(scope.actions && { actions: scope.actions }),
    revision: found.revision,
    as_of: found.as_of,
    decision,
    note,
    row_count: found.row_count,
    rows_digest: found.rows_digest,
    to_change: found.marked,
  };
  await cloud.store.addSignOff(row);
  return row;
}

/**
 * Finds what has changed in who has access in a scope since it was signed off. Throws `not_found`, `outside_history` where
 * the revision is no longer kept, and what the analyzer throws.
 */
export async function changesSinceSignOff(
  cloud: Cloud,
  { credential, id, now }: { credential: Credential; id: string; now: number },
  signal: AbortSignal,
): Promise<AccessChanges> {
  const row = await cloud.store.findSignOff(credential.tenant, id);
  if (row === undefined) throw new ProblemError('not_found', `There is no sign-off "${id.slice(0, 100)}".`);
  const asked = { credential, scope: scopeOf(row), before: row.revision, timed: false, now };
  return await accessChanges(cloud, asked, signal);
}

function scopeOf({ scope, actions }: SignOffRow): ReviewScope {
  const { kind, path } = splitReference(scope);
  return { kind: kind as ScopeKind, path, ...(actions && { actions }) };
}
