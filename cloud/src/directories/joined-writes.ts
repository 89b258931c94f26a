import { type ProblemCode, ProblemError } from '@authz-service/core/problem';
import type { Change } from '@authz-service/core/state/change';
import { ownerOf } from '../auth/demand-directory.js';
import type { Cloud } from '../cloud.js';
import { commit } from '../commands/commit.js';
import type { Loss } from '../store/directory-store.js';
import type { Tenant } from '../tenants/tenant.js';
import { type HeldError, heldId, NO_LOSS, plus, sizeOf } from './brake.js';
import { type Choice, type Chosen, chooseWrites } from './choose-writes.js';
import type { DirectoryWrite, Waiting, WriteResult } from './directory-write.js';
import { whenViewed } from './view-of.js';

/** How long the first of several requests waits while others arrive, and at most. */
const GAP_MS = 20;
const STEP_MS = 2;
const WAIT_MAX_MS = 200;
/** Requests in one commit. */
const JOINED_MAX = 500;

/** Joins what the directories send at the same time into commits, so that many requests make few revisions. */
export class JoinedWrites {
  /** The waiting requests of each credential whose commits are under way. */
  readonly #waiting = new Map<string, Waiting[]>();
  /** The number of requests in the last commit of each. */
  readonly #joined = new Map<string, number>();

  /** Resolves once the write is committed. Throws what refuses it, which refuses no other. */
  write(cloud: Cloud, write: DirectoryWrite): Promise<WriteResult> {
    return new Promise((resolve, reject) => {
      const key = `${write.credential.tenant} ${write.credential.id}`;
      const waiting = this.#waiting.get(key);
      const own = { ...write, charged: false, resolve, reject };
      if (waiting !== undefined) {
        waiting.push(own);
        return;
      }
      const queue = [own];
      this.#waiting.set(key, queue);
      void this.#run(cloud, key, queue);
    });
  }

  async #run(cloud: Cloud, key: string, queue: Waiting[]): Promise<void> {
    let isLeft = false;
    while (queue.length > 0) {
      if (!isLeft) await quiet(queue, this.#joined.get(key) ?? 0);
      const joined = queue.splice(0, JOINED_MAX);
      this.#joined.set(key, joined.length);
      // Those about the same resources come next, before what has arrived meanwhile.
      const left = await this.#commit(cloud, joined);
      queue.unshift(...left);
      isLeft = left.length > 0;
    }
    this.#waiting.delete(key);
  }

  /** Commits what it can of the requests at once; returns those that have to wait for others among them. */
  async #commit(cloud: Cloud, joined: readonly Waiting[]): Promise<Waiting[]> {
    const [first] = joined;
    if (first === undefined) return [];
    const { credential, requestId, now } = first;
    const owner = ownerOf(credential.directory);
    let { chosen, later, refused }: Choice = { chosen: [], later: [], refused: new Map() };
    const changes = async (tenant: Tenant): Promise<Change[]> => {
      ({ chosen, later, refused } = await chooseWrites(cloud, tenant, joined));
      return chosen.flatMap(({ planned }) => planned.changes);
    };
    try {
      const order = {
        ...{ credential, changes, stack: owner, requestId, now },
        losses: () => lossOf(chosen),
      };
      const tenant = await cloud.tenants.get(credential.tenant);
      const { committed } = await whenViewed(tenant, () => commit(cloud, order));
      const released = chosen.flatMap(({ releases }) => releases ?? []);
      if (released.length > 0)
        await cloud.store
          .forgetHeld(credential.tenant, owner, released)
          .catch((error: unknown) => cloud.log.error({ err: error, directory: owner }, 'held changes not forgotten'));
      for (const { waiting, planned } of chosen) waiting.resolve({ tenant, planned, revision: committed.revision });
    } catch (error) {
      const parts = chosen.map(({ waiting }) => waiting);
      if (parts.length > 1 && isFaultOfOne(error)) {
        const half = Math.ceil(parts.length / 2);
        for (const part of [parts.slice(0, half), parts.slice(half)]) later.push(...(await this.#commit(cloud, part)));
      } else if (parts.length > 0) for (const waiting of parts) waiting.reject(error);
      else {
        // Nothing was asked of them yet.
        for (const waiting of joined) waiting.reject(error);
        return [];
      }
    }
    await noteHeld(cloud, credential, [...refused.values()].filter(isHeld));
    for (const [waiting, error] of refused) waiting.reject(error);
    return later;
  }
}

/** Notes what the brake holds. It stays held where that fails. */
async function noteHeld(
  cloud: Cloud,
  { tenant, directory }: DirectoryWrite['credential'],
  errors: readonly HeldError[],
): Promise<void> {
  if (errors.length === 0) return;
  const last_at = new Date(cloud.now()).toISOString();
  const held = errors.map(({ braked, detail, changes }) => ({ id: heldId(changes), braked, detail, changes, last_at }));
  for (const { braked, detail } of held) {
    cloud.metrics.directoryHolds.inc({ limit: braked });
    cloud.log.warn({ tenant, directory, detail }, 'directory held');
  }
  try {
    await cloud.store.noteHeld(tenant, ownerOf(directory), held);
  } catch (error) {
    cloud.log.error({ err: error, tenant, directory }, 'held changes not noted');
  }
}

/**
 * Waits until no request has arrived for a moment, or as many have as the time before: a client with so many connections
 * sends no more before these are answered.
 */
async function quiet(queue: readonly unknown[], before: number): Promise<void> {
  let [seen, gap] = [queue.length, 0];
  for (let waited = 0; waited < WAIT_MAX_MS && gap < GAP_MS; waited += STEP_MS, gap += STEP_MS) {
    if (before > 1 && queue.length >= before) return;
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
    if (queue.length > seen) [seen, gap] = [queue.length, 0];
  }
}

function lossOf(chosen: readonly Chosen[]): Loss | undefined {
  const sum = chosen.reduce((total, { loss }) => plus(total, loss), NO_LOSS);
  return sizeOf(sum) === 0 ? undefined : sum;
}

const FAULTS_OF_ONE: readonly ProblemCode[] = [
  'access_rule_violated',
  'conflict',
  'forbidden',
  'invalid_records',
  'not_owner',
];

/** Whether a commit is refused for what one of its requests asks. */
function isFaultOfOne(error: unknown): boolean {
  return error instanceof ProblemError && FAULTS_OF_ONE.includes(error.code);
}

/** Every problem is an instance of every class of problems, so that only the limit tells. */
function isHeld(error: unknown): error is HeldError {
  return error instanceof Error && 'braked' in error;
}
