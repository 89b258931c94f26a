import type { TimeSlicing } from '@authz-service/core/concurrency/time-slicing';
import { ProblemError } from '@authz-service/core/problem';
import { type BrokenRule, brokenRules } from '@authz-service/core/questions/access-rules/violation';
import { splitAddress } from '@authz-service/core/records/address';
import { isSometimesDistributed, type Kind, mayBeDistributed } from '@authz-service/core/records/kinds';
import type { StoredRecord } from '@authz-service/core/records/registry';
import { SCOPES } from '@authz-service/core/records/scopes';
import type { Change, Staged } from '@authz-service/core/state/change';
import { revisionText } from '@authz-service/core/state/revision';
import { type Credential, demand, scopeToWrite, WRITING_SCOPES } from '../auth/credential.js';
import { touchesCredentials } from '../auth/credential-index.js';
import { demandDirectory } from '../auth/demand-directory.js';
import type { Cloud } from '../cloud.js';
import { assertStillValid } from '../console/assert-still-valid.js';
import { demandConsoleStack, guardSession } from '../console/guard-session.js';
import type { Loss } from '../store/directory-store.js';
import {
  type IdempotencyRow,
  type JudgeOperators,
  NoTenantError,
  StaleStoreError,
  TakenKeyError,
  type TenantStore,
} from '../store/store.js';
import type { Tenant } from '../tenants/tenant.js';
import { gone } from '../tenants/tenants.js';
import { stillOperator } from './create-tenant.js';
import { followTenant } from './follow-tenant.js';
import { guardCredentials, keepOperatorAfter, touchesOperators } from './guard-credentials.js';
import { guardRules } from './guard-rules.js';
import { chosenSecrets, type MadeSecret } from './mint-secrets.js';
import { type CommitOrder, countsOf, type PreparedCommit, prepareCommit } from './prepare-commit.js';
import { settleOrigins } from './settle-origins.js';

/**
 * The changes that a caller wants. `changes` is called with the tenant's present state when it is this commit's turn: the state
 * stays as it is until it resolves.
 */
export interface CommitCommand extends Omit<CommitOrder, 'changes' | 'by' | 'held' | 'writer' | 'session'> {
  changes(tenant: Tenant): Change[] | Promise<Change[]>;
  credential: Credential;
  /** Whether an operator hands records over to the directory that is the stack: else only its own key writes for it. */
  handsOver?: boolean;
  /** Counts what the changes take away, if a directory makes them; called after `changes`. */
  losses?(): Loss | undefined;
  /** The id of another tenant, to which an operator commits; the one of the credential unless given. */
  elsewhere?: string;
  /**
   * Refuse with `stale_base` unless the tenant is at this revision; commits to credentials that the changes do not
   * touch are ignored.
   */
  baseRevision?: string;
  idempotency?: { key: string; requestHash: string };
  /** Counts one commit of so many changes for whoever sends it. Throws `too_many_requests`. */
  charge?: (changes: number) => void;
}

export interface Committed {
  revision: string;
  added: number;
  changed: number;
  removed: number;
  created: { address: string; id: string }[];
  secrets: MadeSecret[];
  /** Absent where there are none. */
  broken_rules?: BrokenRule[];
}

/** The answer to a repeated request: the same as the first one, except for the secrets, which are not kept. */
export type Replayed = Omit<Committed, 'secrets'> & { secrets: ForgottenSecret[] };

export type ForgottenSecret = { address: string; id: string } & (
  | { secret: null }
  | { client_id: string; client_secret: null }
);

export type CommitOutcome =
  /** `records` are those written, as they are now. */
  { committed: Committed; records: StoredRecord[]; replayed: false } | { committed: Replayed; replayed: true };

/** A stored commit, and how the memory takes it over once the store has it for good. */
interface Stored {
  outcome: CommitOutcome;
  takeOver?: () => Promise<void>;
}

const NOTHING: Staged = { put: [], remove: [], created: [] };

/** How often others may commit between judging and storing, before nobody else is let in between. */
const LOSSES_MAX = 2;

/** The most changes that are judged while nobody else can commit to the tenant, once somebody else was faster. */
const FEW_CHANGES = 100;

/** The tenants to which others have committed since this process did last: they probably will again. */
const contended = new WeakSet<Tenant>();

/** The state of a commit after its attempts. */
interface Attempts {
  /** Whether it is to be judged for all tenants. */
  judged: boolean;
  /** Whether the store was asked to write, so that it may have done so. */
  storing: boolean;
  charged: boolean;
  /** Whether the memory was brought up to date since the commit began. */
  following: boolean;
}

/** Commits changes to the credential's tenant as one revision, all or none, one commit of a tenant at a time. */
export async function commit(cloud: Cloud, command: CommitCommand): Promise<CommitOutcome> {
  const tenant = await cloud.tenants.get(command.elsewhere ?? command.credential.tenant);
  return await tenant.exclusive(async () => {
    cloud.tenants.assertOpen(tenant.id);
    await cloud.revocationLog?.settle(tenant.id);
    try {
      return await commitOrFollow(cloud, tenant, command);
    } catch (error) {
      throw error instanceof NoTenantError ? gone() : error;
    } finally {
      // Every answer acknowledges what was committed before, be it that there is nothing left to remove.
      await cloud.revocationLog?.settle(tenant.id);
    }
  });
}

/**
 * Judges the changes at the revision in memory and stores them, if the store still is at that revision. If somebody else
 * was faster, follows and judges anew: at first without keeping others from committing meanwhile, and then with.
 *
 * What is stored was judged at the newest revision, whatever the memory was at. What is refused, or changes nothing, is
 * judged again unless the memory is known to be no older than the call.
 */
async function commitOrFollow(cloud: Cloud, tenant: Tenant, command: CommitCommand): Promise<CommitOutcome> {
  const attempts: Attempts = {
    judged: false,
    storing: false,
    charged: false,
    following: !cloud.store.shared,
  };
  for (let losses = 0; ; ) {
    attempts.storing = false;
    // Records may have come without what happened to credentials: the store does not tell that the memory lacks it.
    if (cloud.credentials.revisionOf(tenant.id) < tenant.revisionNumber) await hasMoved(cloud, tenant, attempts);
    const before = tenant.revision;
    try {
      const alone = losses >= LOSSES_MAX || (contended.has(tenant) && (await isSmall(tenant, command)));
      const once = alone ? judgeAlone : judgeAndStore;
      const { outcome, takeOver } = await once(cloud, tenant, command, attempts);
      await takeOver?.();
      if (attempts.storing || attempts.following || outcome.replayed) return outcome;
      await hasMoved(cloud, tenant, attempts);
    } catch (error) {
      const lost = error instanceof StaleStoreError || error instanceof TakenKeyError;
      if (!lost && !attempts.storing && !attempts.following) {
        if (await hasMoved(cloud, tenant, attempts)) continue;
        throw error;
      }
      // It may be unknown whether the store has the commit: the memory must not guess. If reading fails, too, the memory
      // stays as it was, and the store refuses the next commit on it.
      if (attempts.storing) {
        await hasMoved(cloud, tenant, attempts).catch((cause: unknown) => {
          if (lost) throw cause;
          cloud.log.error({ err: cause }, 'reading the store again failed');
        });
      }
      if (tenant.revision !== before) contended.add(tenant);
      if (!lost || losses > LOSSES_MAX) throw error;
      losses++;
    }
  }
}

/** Brings the memory up to date; tells whether it was not. */
async function hasMoved(cloud: Cloud, tenant: Tenant, attempts: Attempts, locked?: TenantStore): Promise<boolean> {
  const before = tenant.revision;
  await followTenant(cloud, tenant, locked);
  attempts.following = true;
  return tenant.revision !== before;
}

async function isSmall(tenant: Tenant, command: CommitCommand): Promise<boolean> {
  try {
    return (await command.changes(tenant)).length <= FEW_CHANGES;
  } catch {
    return true;
  }
}

/** Judges and stores while nobody else can commit to the tenant. */
async function judgeAlone(cloud: Cloud, tenant: Tenant, command: CommitCommand, attempts: Attempts): Promise<Stored> {
  const { judged } = attempts;
  return await cloud.store.locked(tenant.id, { judged }, async (locked) => {
    const isFirst = !attempts.following;
    if (!(await hasMoved(cloud, tenant, attempts, locked)) && isFirst) contended.delete(tenant);
    return await judgeAndStore(cloud, tenant, command, attempts, locked);
  });
}

async function judgeAndStore(
  cloud: Cloud,
  tenant: Tenant,
  command: CommitCommand,
  attempts: Attempts,
  locked?: TenantStore,
): Promise<Stored> {
  const store = locked ?? cloud.store;
  const { limits, directory } = await assertStillValid(cloud, command.credential, command.now);
  const replay = await findReplay(cloud, store, command);
  if (replay) return { outcome: { committed: replay, replayed: true } };
  const { baseRevision } = command;
  const credential = actorOf(command);
  const writer = limits && { name: credential.name, limits };
  const changes = await command.changes(tenant);
  if (!attempts.charged) command.charge?.(changes.length);
  attempts.charged = true;
  if (baseRevision !== undefined && !isBase(baseRevision, tenant, command, changes)) {
    throw new ProblemError(
      'stale_base',
      `The tenant "${tenant.name}" is at revision ${tenant.revision}, not at ${baseRevision}: ` +
        '"servicectl audit" shows what changed; plan again, then apply.',
    );
  }
  const kinds = [
    ...changes.map(kindOf),
    ...[...(command.origins?.places.keys() ?? [])].map((at) => splitAddress(at).kind),
  ];
  if (command.handsOver !== true)
    demandDirectory({ ...credential, ...(directory !== undefined && { directory }) }, { ...command, kinds });
  if (directory === undefined) demandForKinds(credential, kinds);
  demandConsoleStack(credential, { ...command, kinds });
  cloud.health.clockBehindSeconds();
  const stopTimer = cloud.metrics.commitDurations.startTimer();
  const by = { kind: credential.kind, id: credential.id, name: credential.name };
  const session = credential.session !== undefined;
  const order = { ...command, session, ...(writer && { writer }), changes, by, held: cloud.credentials };
  const prepared = await prepare(cloud, tenant, command, order);
  if (prepared === undefined) {
    const nothing = { added: 0, changed: 0, removed: 0, created: [], secrets: [] };
    const unchanged: Committed = { revision: tenant.revision, ...nothing };
    const outcome: CommitOutcome = { committed: unchanged, records: [], replayed: false };
    if (!attempts.following) return { outcome };
    const row = idempotencyRow(cloud, command, unchanged);
    attempts.storing = row !== undefined || command.origins !== undefined;
    if (command.origins) {
      const settling = settleOrigins(command.origins, { ...order, staged: NOTHING, state: tenant.state });
      const origins = await cloud.slicing.run(settling, tenant.id);
      await store.noteOrigins({ tenant: tenant.id, base: tenant.revisionNumber, origins });
    }
    if (row) await store.saveIdempotent(row);
    return { outcome };
  }

  const { staged, secrets } = prepared;
  const { audit } = prepared.commit;
  const broken = brokenRules(staged.warnings);
  const ids = new Map(staged.put.map(({ record }) => [record.address, record.id]));
  const committed: Committed = {
    revision: revisionText(prepared.commit.revision, audit.digest),
    ...countsOf(staged),
    created: staged.created.map((address) => ({ address, id: ids.get(address) ?? '' })),
    secrets,
    ...(broken.length > 0 && { broken_rules: broken }),
  };
  const idempotency = idempotencyRow(cloud, command, committed);
  const judgedBefore = attempts.judged;
  const judge = judgeOf(cloud, command, staged);
  attempts.judged = judge !== undefined;
  // The lock of the operators comes before that of the tenant.
  if (locked && attempts.judged && !judgedBefore) throw new StaleStoreError(tenant.id, tenant.revisionNumber);
  if (touchesCredentials(staged)) await cloud.revocationLog?.assertWritable();
  attempts.storing = true;
  const losses = command.losses?.();
  await store.commit({
    ...prepared.commit,
    ...(losses && { losses }),
    ...(idempotency && { idempotency }),
    ...(judge && { judge }),
  });
  const takeOver = async () => {
    await tenant.follow(staged, audit, () => {
      // The tenant may have been removed meanwhile.
      if (cloud.tenants.rows(tenant.id).length > 0)
        cloud.credentials.follow(tenant.id, audit.revision, staged, prepared.commit.secrets);
    });
    cloud.metrics.commits.inc();
    for (const violation of staged.warnings ?? []) {
      if (violation.cause === undefined) continue;
      cloud.metrics.accessRuleBreaches.inc({ mode: 'warn' });
      cloud.log.warn({ tenant: tenant.id, revision: committed.revision, rule: violation.rule }, 'access rule broken');
    }
    stopTimer();
  };
  return { outcome: { committed, records: staged.put.map(({ record }) => record), replayed: false }, takeOver };
}

/** Judges by the operators as stored: the memory may not know yet that one of another tenant was revoked. */
function judgeOf({ credentials }: Cloud, command: CommitCommand, staged: Staged): JudgeOperators | undefined {
  const keep = touchesOperators(credentials, staged) ? keepOperatorAfter(staged, command.now) : undefined;
  const still = command.elsewhere === undefined ? undefined : stillOperator(command);
  if (keep === undefined || still === undefined) return keep ?? still;
  return (operators) => {
    still(operators);
    keep(operators);
  };
}

/** Operators, who can remove a tenant, may do in another one whatever they are given a way to. */
function actorOf({ credential, elsewhere }: CommitCommand): Credential {
  if (elsewhere === undefined) return credential;
  demand(credential, ['operator']);
  return { ...credential, grants: new Set([...SCOPES, 'operator']) };
}

async function prepare(
  cloud: Cloud,
  tenant: Tenant,
  command: CommitCommand,
  order: CommitOrder,
): Promise<PreparedCommit | undefined> {
  const { now } = command;
  const credential = actorOf(command);
  const check = (staged: Staged) => {
    const chosen = chosenSecrets(order.changes, staged);
    guardCredentials(cloud.credentials, tenant, credential, { staged, chosen, now });
    guardRules(credential, staged);
    assertRoom(cloud, tenant, staged);
    if (credential.session !== undefined) guardSession(credential.limits?.applications ?? [], tenant.state, staged);
  };
  const run: TimeSlicing['run'] = (steps) => cloud.slicing.run(steps, tenant.id);
  return await prepareCommit(tenant, order, check, run).catch((error: unknown) => {
    if (error instanceof ProblemError && error.code === 'access_rule_violated')
      cloud.metrics.accessRuleBreaches.inc({ mode: 'enforce' });
    throw error;
  });
}

/** A tenant that holds as many records as it may can only change and remove some. */
function assertRoom({ tenantRecordsMax }: Cloud, tenant: Tenant, staged: Staged): void {
  const { added, removed } = countsOf(staged);
  const after = tenant.state.size + added - removed;
  if (added <= removed || after <= tenantRecordsMax) return;
  throw new ProblemError(
    'conflict',
    `The tenant would hold ${after} records, and may hold ${tenantRecordsMax}: remove some, or ask the operator for more.`,
  );
}

/**
 * Whether changes made for this revision may be made now. Commits to what no bundle holds, credentials, access rules and schemas,
 * create a revision but leave the digest: changes that touch nothing of that were made for exactly the present records.
 * The digest does not cover owners either: a take-over is checked against the owners that the caller has seen.
 */
function isBase(base: string, tenant: Tenant, { takeOwnership }: CommitCommand, changes: readonly Change[]): boolean {
  if (base === tenant.revision) return true;
  if (takeOwnership) return false;
  const [number] = base.split('.');
  const sameRecords = base === revisionText(Number(number), tenant.state.digest());
  const inDigest = (change: Change) => mayBeDistributed(kindOf(change)) && !isSometimesDistributed(kindOf(change));
  return sameRecords && Number(number) < tenant.revisionNumber && changes.every(inDigest);
}

/** Each kind needs the scope that writes it; a change-set without changes needs any of these. */
function demandForKinds(credential: Credential, kinds: readonly Kind[]): void {
  const needed = new Set(kinds.map(scopeToWrite));
  for (const scope of needed) demand(credential, [scope]);
  if (needed.size === 0) demand(credential, WRITING_SCOPES);
}

function kindOf(change: Change): Kind {
  if (change.op === 'create') return change.kind;
  return splitAddress(change.op === 'move' ? change.from : change.address).kind;
}

async function findReplay(
  { idempotencyMs }: Cloud,
  store: TenantStore,
  command: CommitCommand,
): Promise<Replayed | undefined> {
  if (!command.idempotency) return undefined;
  const { tenant, id } = command.credential;
  const row = await store.findIdempotent({ tenant, credential: id, key: command.idempotency.key });
  if (row === undefined || Date.parse(row.created_at) < command.now - idempotencyMs) return undefined;
  if (row.request_hash !== command.idempotency.requestHash) {
    throw new ProblemError(
      'idempotency_mismatch',
      `The idempotency key "${command.idempotency.key}" was used for another change-set: use a new key for a new one.`,
    );
  }
  return JSON.parse(row.response);
}

function idempotencyRow(
  { idempotencyMs }: Cloud,
  command: CommitCommand,
  committed: Committed,
): IdempotencyRow | undefined {
  if (!command.idempotency) return undefined;
  const secrets: ForgottenSecret[] = committed.secrets.map((made) =>
    'secret' in made ? { ...made, secret: null } : { ...made, client_secret: null },
  );
  const kept: Replayed = { ...committed, secrets };
  return {
    tenant: command.credential.tenant,
    credential: command.credential.id,
    key: command.idempotency.key,
    request_hash: command.idempotency.requestHash,
    response: JSON.stringify(kept),
    created_at: new Date(command.now).toISOString(),
    free_before: new Date(command.now - idempotencyMs).toISOString(),
  };
}
