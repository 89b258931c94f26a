import { randomUUID } from 'node:crypto';
import type { StoredRecord } from '@authz-service/core/records/registry';
import type { Change, Staged } from '@authz-service/core/state/change';
import type { TenantState } from '@authz-service/core/state/tenant-state';
import { hashApiKey, hashClientSecret, newApiKey, newClientSecret } from '../auth/secrets.js';
import type { AuditedChange, AuditRow, Commit, NewSecret } from '../store/store.js';

/** Who commits what, and when. */
export interface CommitOrder {
  changes: Change[];
  /** The stack on whose behalf; without one, ownership is not asked. */
  stack?: string;
  takeOwnership?: boolean;
  /** Makes the credentials that are created operators. */
  operator?: boolean;
  by: AuditRow['credential'];
  requestId: string;
  /** Milliseconds since the epoch. */
  now: number;
  /** In place of made ones: how a first administrator is given. */
  given?: { clientId: string; secret: string };
}

/** The secret of a credential just made: the only time that it is known. */
export type MadeSecret = { address: string; id: string } & (
  | { secret: string }
  | { client_id: string; client_secret: string }
);

/** A commit ready to be stored. */
export interface PreparedCommit {
  staged: Staged;
  commit: Commit;
  secrets: MadeSecret[];
}

/** The most changes of a commit that its audit row names. */
const AUDITED_MAX = 100;

/**
 * Stages changes on a tenant's state and makes the secrets of new credentials. Undefined when the changes change
 * nothing. Throws what `TenantState.stage` throws.
 */
export async function prepareCommit(
  tenant: { id: string; state: TenantState; revisionNumber: number },
  order: CommitOrder,
  check: (staged: Staged) => void = () => {},
): Promise<PreparedCommit | undefined> {
  const revision = tenant.revisionNumber + 1;
  const at = new Date(order.now);
  const staged = tenant.state.stage(order.changes, {
    ...(order.stack !== undefined && { stack: order.stack }),
    takeOwnership: order.takeOwnership ?? false,
    now: at,
    newId: () => order.given?.clientId ?? randomUUID(),
    revision,
  });
  check(staged);
  if (staged.put.length === 0 && staged.remove.length === 0) return undefined;

  const made: NewSecret[] = [];
  const secrets: MadeSecret[] = [];
  for (const { record, previous } of staged.put) {
    if (previous !== undefined) continue;
    const minted = await mint(record, order);
    if (minted === undefined) continue;
    made.push(minted.stored);
    secrets.push(minted.shown);
  }
  const { changes, truncated } = audited(staged);
  const audit: AuditRow = {
    revision,
    digest: tenant.state.digestAfter(staged),
    at: at.toISOString(),
    request_id: order.requestId,
    credential: order.by,
    ...(order.stack !== undefined && { stack: order.stack }),
    counts: countsOf(staged),
    changes,
    truncated,
  };
  const commit: Commit = {
    tenant: tenant.id,
    base: tenant.revisionNumber,
    revision,
    put: staged.put,
    remove: staged.remove,
    secrets: made,
    audit,
  };
  return { staged, commit, secrets };
}

async function mint(
  record: StoredRecord,
  order: CommitOrder,
): Promise<{ stored: NewSecret; shown: MadeSecret } | undefined> {
  const { address, id } = record;
  const operator = order.operator ?? false;
  if (record.kind === 'api_key') {
    const secret = newApiKey();
    return { stored: { kind: 'api_key', id, hash: hashApiKey(secret), operator }, shown: { address, id, secret } };
  }
  if (record.kind === 'oauth_client') {
    const secret = order.given?.secret ?? newClientSecret();
    const hash = await hashClientSecret(secret);
    return {
      stored: { kind: 'oauth_client', id, hash, operator },
      shown: { address, id, client_id: id, client_secret: secret },
    };
  }
  return undefined;
}

export function countsOf(staged: Staged): AuditRow['counts'] {
  const changed = staged.put.filter(({ previous }) => previous !== undefined).length;
  return { added: staged.put.length - changed, changed, removed: staged.remove.length };
}

function audited(staged: Staged): { changes: AuditedChange[]; truncated: boolean } {
  const changes: AuditedChange[] = [];
  for (const { record, previous } of staged.put) {
    if (changes.length === AUDITED_MAX) return { changes, truncated: true };
    const { address } = record;
    if (previous === undefined) changes.push({ op: 'create', address });
    else if (previous.address !== address) changes.push({ op: 'move', address, from: previous.address });
    else changes.push({ op: 'update', address });
  }
  for (const { address } of staged.remove) {
    if (changes.length === AUDITED_MAX) return { changes, truncated: true };
    changes.push({ op: 'delete', address });
  }
  return { changes, truncated: false };
}
