import { ProblemError } from '@authz-service/core/problem';
import { splitAddress } from '@authz-service/core/records/address';
import { isDistributed, type Kind } from '@authz-service/core/records/kinds';
import type { StoredRecord } from '@authz-service/core/records/registry';
import type { Change, Staged } from '@authz-service/core/state/change';
import { revisionText } from '@authz-service/core/state/revision';
import { type Credential, demand, scopeToWrite, WRITING_SCOPES } from '../auth/credential.js';
import type { Cloud } from '../cloud.js';
import { assertStanding } from '../console/assert-standing.js';
import type { IdempotencyRow } from '../store/store.js';
import type { Tenant } from '../tenants/tenant.js';
import { guardCredentials, touchOperators } from './guard-credentials.js';
import { chosenSecrets, type MadeSecret } from './mint-secrets.js';
import { type CommitOrder, countsOf, prepareCommit } from './prepare-commit.js';

/**
 * The changes that a caller wants. `changes` is called with the tenant's present state when it is this commit's turn.
 */
export interface CommitWish extends Omit<CommitOrder, 'changes' | 'by' | 'held' | 'writer'> {
  changes(tenant: Tenant): Change[];
  credential: Credential;
  /**
   * Refuse with `stale_base` unless the tenant is at this revision; commits to credentials that the changes do not
   * touch are ignored.
   */
  baseRevision?: string;
  idempotency?: { key: string; requestHash: string };
}

/** A wish with the limits that its credential has when it is granted. */
type LimitedWish = CommitWish & Pick<CommitOrder, 'writer'>;

export interface Committed {
  revision: string;
  added: number;
  changed: number;
  removed: number;
  created: { address: string; id: string }[];
  secrets: MadeSecret[];
}

/** The answer to a repeated request: the same as the first one, except for the secrets, which are not kept. */
export type Replayed = Omit<Committed, 'secrets'> & { secrets: ForgottenSecret[] };

export type ForgottenSecret = { address: string; id: string } & (
  | { secret: null }
  | { client_id: string; client_secret: null }
);

interface Done {
  committed: Committed;
  /** The written records as they are now. */
  records: StoredRecord[];
}

export type CommitOutcome = (Done & { replayed: false }) | { committed: Replayed; replayed: true };

const DAY_MS = 24 * 60 * 60 * 1000;

/** Commits changes to the credential's tenant as one revision, all or none, one commit of a tenant at a time. */
export async function commit(cloud: Cloud, wish: CommitWish): Promise<CommitOutcome> {
  const tenant = await cloud.tenants.get(wish.credential.tenant);
  return await tenant.exclusive(async () => {
    cloud.tenants.assertOpen(tenant.id);
    const { limits } = await assertStanding(cloud, wish.credential, wish.now);
    const replay = await findReplay(cloud, wish);
    if (replay) return { committed: replay, replayed: true };
    const writer = limits && { name: wish.credential.name, limits };
    return { ...(await commitNow(cloud, tenant, { ...wish, ...(writer && { writer }) })), replayed: false };
  });
}

async function commitNow(cloud: Cloud, tenant: Tenant, wish: LimitedWish): Promise<Done> {
  const { credential, baseRevision } = wish;
  const changes = wish.changes(tenant);
  if (baseRevision !== undefined && !isBase(baseRevision, tenant, wish, changes)) {
    throw new ProblemError(
      'stale_base',
      `The tenant "${tenant.name}" is at revision ${tenant.revision}, not at ${baseRevision}: ` +
        '"service audit" shows what changed; plan again, then apply.',
    );
  }
  demandForKinds(credential, changes);
  const work = () => commitChanges(cloud, tenant, wish, changes);
  // The last operator is counted across all tenants, each of which has a queue of its own.
  return await (touchOperators(cloud.credentials, tenant.state, changes) ? cloud.credentials.exclusive(work) : work());
}

async function commitChanges(cloud: Cloud, tenant: Tenant, wish: LimitedWish, changes: Change[]): Promise<Done> {
  const { credential, now } = wish;
  cloud.health.clockBehindSeconds();
  const stopTimer = cloud.metrics.commitDurations.startTimer();
  const by = { kind: credential.kind, id: credential.id, name: credential.name };
  const order = { ...wish, changes, by, held: cloud.credentials };
  const check = (staged: Staged) =>
    guardCredentials(cloud.credentials, tenant, credential, { staged, chosen: chosenSecrets(changes, staged), now });
  const prepared = await prepareCommit(tenant, order, check, (steps) => cloud.slicing.run(steps, tenant.id)).catch(
    (error: unknown) => {
      if (error instanceof ProblemError && error.code === 'access_rule_violated')
        cloud.metrics.accessRuleBreaches.inc({ mode: 'enforce' });
      throw error;
    },
  );
  if (prepared === undefined) {
    const unchanged: Committed = {
      revision: tenant.revision,
      added: 0,
      changed: 0,
      removed: 0,
      created: [],
      secrets: [],
    };
    const row = idempotencyRow(wish, unchanged);
    if (row) await cloud.store.saveIdempotent(row);
    return { committed: unchanged, records: [] };
  }

  const { staged, secrets } = prepared;
  const ids = new Map(staged.put.map(({ record }) => [record.address, record.id]));
  const committed: Committed = {
    revision: revisionText(prepared.commit.revision, prepared.commit.audit.digest),
    ...countsOf(staged),
    created: staged.created.map((address) => ({ address, id: ids.get(address) ?? '' })),
    secrets,
  };
  const idempotency = idempotencyRow(wish, committed);
  try {
    await cloud.store.commit({ ...prepared.commit, ...(idempotency && { idempotency }) });
    await tenant.follow(staged, prepared.commit.audit, () =>
      cloud.credentials.follow(tenant.id, staged, prepared.commit.secrets),
    );
  } catch (error) {
    // It may be unknown whether the store has the commit: the memory must not guess. If reading fails, too, the memory
    // stays as it was, and the store refuses the next commit on it.
    await catchUp(cloud, tenant).catch((cause: unknown) =>
      cloud.log.error({ err: cause }, 'reading the store again failed'),
    );
    throw error;
  }
  cloud.metrics.commits.inc();
  for (const violation of staged.warnings ?? []) {
    cloud.metrics.accessRuleBreaches.inc({ mode: 'warn' });
    cloud.log.warn({ tenant: tenant.id, revision: committed.revision, rule: violation.rule }, 'access rule broken');
  }
  stopTimer();
  return { committed, records: staged.put.map(({ record }) => record) };
}

async function catchUp(cloud: Cloud, tenant: Tenant): Promise<void> {
  await tenant.reload(cloud.store);
  cloud.credentials.replaceTenant(tenant.id, await cloud.store.credentials());
}

/**
 * Whether changes made for this revision may be made now. Commits to what no bundle holds, credentials, access rules and schemas,
 * create a revision but leave the digest: changes that touch nothing of that were made for exactly the present records.
 * The digest does not cover owners either: a take-over is checked against the owners that the caller has seen.
 */
function isBase(base: string, tenant: Tenant, { takeOwnership }: CommitWish, changes: readonly Change[]): boolean {
  if (base === tenant.revision) return true;
  if (takeOwnership) return false;
  const [number] = base.split('.');
  const sameRecords = base === revisionText(Number(number), tenant.state.digest());
  return (
    sameRecords && Number(number) < tenant.revisionNumber && changes.every((change) => isDistributed(kindOf(change)))
  );
}

/** Each kind needs the scope that writes it; a change-set without changes needs any of these. */
function demandForKinds(credential: Credential, changes: Change[]): void {
  const needed = new Set(changes.map((change) => scopeToWrite(kindOf(change))));
  for (const scope of needed) demand(credential, [scope]);
  if (needed.size === 0) demand(credential, WRITING_SCOPES);
}

function kindOf(change: Change): Kind {
  if (change.op === 'create') return change.kind;
  return splitAddress(change.op === 'move' ? change.from : change.address).kind;
}

async function findReplay(cloud: Cloud, wish: CommitWish): Promise<Replayed | undefined> {
  if (!wish.idempotency) return undefined;
  const { tenant, id } = wish.credential;
  const row = await cloud.store.findIdempotent({ tenant, credential: id, key: wish.idempotency.key });
  if (row === undefined || Date.parse(row.created_at) < wish.now - DAY_MS) return undefined;
  if (row.request_hash !== wish.idempotency.requestHash) {
    throw new ProblemError(
      'idempotency_mismatch',
      `The idempotency key "${wish.idempotency.key}" was used for another change-set: use a new key for a new one.`,
    );
  }
  return JSON.parse(row.response);
}

function idempotencyRow(wish: CommitWish, committed: Committed): IdempotencyRow | undefined {
  if (!wish.idempotency) return undefined;
  const secrets: ForgottenSecret[] = committed.secrets.map((made) =>
    'secret' in made ? { ...made, secret: null } : { ...made, client_secret: null },
  );
  const kept: Replayed = { ...committed, secrets };
  return {
    tenant: wish.credential.tenant,
    credential: wish.credential.id,
    key: wish.idempotency.key,
    request_hash: wish.idempotency.requestHash,
    response: JSON.stringify(kept),
    created_at: new Date(wish.now).toISOString(),
  };
}
