import { Worker } from 'node:worker_threads';
import type { AccessReport } from '@authz-service/core/impact/report/access-report';
import type { LintFinding } from '@authz-service/core/lint/lint-finding';
import { ProblemError } from '@authz-service/core/problem';
import type { StoredRecord } from '@authz-service/core/records/registry';
import type { AccessReview, ReviewChanges } from '@authz-service/core/review/review-access';
import type { TimeSlicing } from '@authz-service/core/time-slicing';
import type { WhyNot } from '@authz-service/core/why-not/why-not';
import type { Credential } from '../auth/credential.js';
import { FairQueue } from '../auth/fair-queue.js';
import type { ReadableTenant } from '../tenants/tenant.js';
import type {
  Denied,
  Draft,
  DraftBase,
  DraftFound,
  DraftPlan,
  DraftSaid,
  DraftTask,
  DraftTold,
  EarlierState,
  ReviewedTask,
  ReviewTask,
} from './draft-work.js';

const WAITING_MAX = 16;
const TIMEOUT_MS = 60_000;
const MEMORY_MIB = 1024;
/** Records sent in one step, which is some tenths of a millisecond. */
const STEP = 25;

/** What to do where the bound on time or memory is too little. */
const REMEDIES = {
  lint: 'run "service lint" on the tree in Git',
  draft: 'split the draft, or run "service plan" on the tree',
  denied: 'run "service why-not", which has no such bound',
  earlier: 'run "service impact cloud@BEFORE cloud@AFTER", which has no such bound',
  review: 'choose a smaller part',
};

/** Who waits for an answer, and until when. */
export interface Asked {
  credential: Pick<Credential, 'tenant' | 'id'>;
  signal: AbortSignal;
}

/** A task on a tenant at a revision. */
export interface Prepared<Task> {
  tenant: ReadableTenant;
  revision: string;
  task: Task;
}

/** Called when it is the asker's turn, so that those who wait hold no past states in memory. */
type Prepare<P> = () => Promise<P>;

interface Answered<P, Found> {
  prepared: P;
  found: Found;
}

/** Links end as time goes by: findings of the same revision are kept for so long, and of so many tenants. */
const LINT_AGE_MS = 10 * 60 * 1000;
const LINTED_MAX = 100;

/**
 * Finds what drafts would do, what would allow denied questions and what revisions did to access, in one thread with a bound of its own on memory and
 * time, so that decisions wait for none of it. Everybody waits for their turn, tenant by tenant. The thread keeps the
 * records of the last base, since one who edits asks again and again.
 */
export class DraftPlanner {
  readonly #queue = new FairQueue(WAITING_MAX, 'drafts and questions are waiting for their turn');
  readonly #linted = new Map<string, { revision: string; at: number; findings: readonly LintFinding[] }>();
  #thread: { worker: Worker; key?: string } | undefined;
  /** True while somebody has their turn. */
  #asking = false;
  /** Counts calls of `forget`: what was read before one is not kept after it. */
  #forgotten = 0;

  constructor(private readonly slicing: TimeSlicing) {}

  /**
   * What the draft would do to the tenant at this revision. Throws `stale_base` if the tenant has moved,
   * `too_many_requests`, `timeout` if it takes too much time or memory, and what a commit would throw, but nothing for
   * access rules.
   */
  plan(tenant: ReadableTenant, revision: string, draft: Draft, asked: Asked): Promise<DraftPlan> {
    return this.#inTurn(asked, () => this.#ask(tenant, revision, { draft }, asked.signal)) as Promise<DraftPlan>;
  }

  /**
   * The smallest changes to the tenant at this revision that would allow the question. Throws as `plan` does, and
   * `invalid_request` where the question itself is at fault.
   */
  whyNot(tenant: ReadableTenant, revision: string, denied: Denied, asked: Asked): Promise<WhyNot> {
    return this.#inTurn(asked, () => this.#ask(tenant, revision, { denied }, asked.signal)) as Promise<WhyNot>;
  }

  /** What has changed in who may do what between an earlier state and the tenant at this revision. Throws as `plan` does. */
  changeSince<P extends Prepared<EarlierState>>(prepare: Prepare<P>, asked: Asked): Promise<Answered<P, AccessReport>> {
    return this.#answered(asked, prepare, (earlier) => ({ earlier }));
  }

  /** Who has access to a part of the tenant at this revision. Throws as `plan` does, and `not_found`. */
  review<P extends Prepared<ReviewTask>>(prepare: Prepare<P>, asked: Asked): Promise<Answered<P, AccessReview>> {
    return this.#answered(asked, prepare, (review) => ({ review }));
  }

  /** What has changed in who has access to a part between an earlier state and this revision. Throws as `plan` does. */
  reviewChanges<P extends Prepared<ReviewedTask>>(
    prepare: Prepare<P>,
    asked: Asked,
  ): Promise<Answered<P, ReviewChanges>> {
    return this.#answered(asked, prepare, (reviewed) => ({ reviewed }));
  }

  /** What of the tenant at this revision does nothing, or likely not what was meant. Throws as `plan` does. */
  async lint(tenant: ReadableTenant, revision: string, now: number, asked: Asked): Promise<readonly LintFinding[]> {
    const kept = () => {
      const one = this.#linted.get(tenant.id);
      return one?.revision === revision && now - one.at < LINT_AGE_MS ? one.findings : undefined;
    };
    return kept() ?? this.#inTurn(asked, async () => kept() ?? this.#lint(tenant, revision, now, asked.signal));
  }

  /** Forgets what is kept of a tenant: what was erased from its history must not be told again. */
  forget(tenant: string): void {
    this.#forgotten++;
    this.#linted.delete(tenant);
    const thread = this.#thread;
    if (!thread?.key?.startsWith(`${tenant} `)) return;
    delete thread.key;
    if (!this.#asking) void this.#stop();
  }

  /** Ends the thread. */
  close(): Promise<void> {
    return this.#stop();
  }

  async #lint(tenant: ReadableTenant, revision: string, now: number, signal: AbortSignal) {
    const forgotten = this.#forgotten;
    const findings = (await this.#ask(tenant, revision, { lint: { now } }, signal)) as readonly LintFinding[];
    if (forgotten !== this.#forgotten) return findings;
    this.#linted.delete(tenant.id);
    this.#linted.set(tenant.id, { revision, at: now, findings });
    const [oldest] = this.#linted.keys();
    if (oldest !== undefined && this.#linted.size > LINTED_MAX) this.#linted.delete(oldest);
    return findings;
  }

  #inTurn<T>({ credential: { tenant, id }, signal }: Asked, work: () => Promise<T>): Promise<T> {
    return this.#queue.run(tenant, work, signal, id);
  }

  #answered<Task, P extends Prepared<Task>, Found>(
    asked: Asked,
    prepare: Prepare<P>,
    asTask: (task: P['task']) => DraftTask,
  ): Promise<Answered<P, Found>> {
    return this.#inTurn(asked, async () => {
      const prepared = await prepare();
      const { tenant, revision, task } = prepared;
      return { prepared, found: (await this.#ask(tenant, revision, asTask(task), asked.signal)) as Found };
    });
  }

  async #ask(tenant: ReadableTenant, revision: string, task: DraftTask, signal: AbortSignal): Promise<DraftFound> {
    signal.throwIfAborted();
    assertAt(tenant, revision);
    this.#asking = true;
    const thread = this.#begun();
    const answer = answerOf(thread.worker, remedyOf(task), signal);
    answer.said.catch(() => undefined);
    try {
      await this.#send(thread, tenant, revision);
      tell(thread.worker, { task });
      const said = await answer.said;
      if ('found' in said) return said.found;
      throw new ProblemError(said.fault.code, said.fault.detail, said.fault.errors);
    } catch (error) {
      // A refusal leaves the thread as it was; after anything else it may still be at work.
      if (!(error instanceof ProblemError) || error.code === 'timeout') await this.#stop();
      throw error;
    } finally {
      this.#asking = false;
      answer.forget();
    }
  }

  #begun(): { worker: Worker; key?: string } {
    if (this.#thread !== undefined) return this.#thread;
    const thread = newThread();
    thread.worker.once('exit', () => {
      if (this.#thread === thread) this.#thread = undefined;
    });
    this.#thread = thread;
    return thread;
  }

  /** Gives the thread the records of the tenant, unless it has them. */
  async #send(thread: { worker: Worker; key?: string }, tenant: ReadableTenant, revision: string): Promise<void> {
    const base: DraftBase = { key: `${tenant.id} ${revision}`, tenant: tenant.name, revision };
    if (thread.key === base.key) return;
    delete thread.key;
    const forgotten = this.#forgotten;
    tell(thread.worker, { base });
    await this.slicing.run(sendInSteps(thread.worker, tenant.state.records()), tenant.id);
    // A commit in between has mixed two revisions.
    assertAt(tenant, revision);
    if (forgotten === this.#forgotten) thread.key = base.key;
  }

  async #stop(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.worker.terminate();
  }
}

/** The next thing that the thread says. Rejects if it ends, takes too much, or nobody waits for it any more. */
function answerOf(worker: Worker, remedy: string, signal: AbortSignal): { said: Promise<DraftSaid>; forget(): void } {
  let forget = () => {};
  const said = new Promise<DraftSaid>((resolve, reject) => {
    const fail = (error: Error & { code?: string }) =>
      reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooMuch(`${MEMORY_MIB} MiB of memory`, remedy, error) : error);
    const exit = () => reject(new Error('the thread of drafts ended and gave no answer'));
    const abort = () => reject(signal.reason);
    const late = setTimeout(() => reject(tooMuch(`${TIMEOUT_MS / 1000} seconds`, remedy)), TIMEOUT_MS);
    worker.once('message', resolve).once('error', fail).once('exit', exit);
    signal.addEventListener('abort', abort, { once: true });
    forget = () => {
      clearTimeout(late);
      worker.off('message', resolve).off('error', fail).off('exit', exit);
      signal.removeEventListener('abort', abort);
    };
  });
  return { said, forget };
}

function newThread(): { worker: Worker; key?: string } {
  const worker = new Worker(new URL('./draft-thread.js', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB },
  });
  worker.unref();
  // Whoever waits hears of it, too.
  worker.on('error', () => undefined);
  return { worker };
}

function* sendInSteps(worker: Worker, records: Iterable<StoredRecord>): Generator<undefined, void> {
  let part: StoredRecord[] = [];
  for (const record of records) {
    part.push(record);
    if (part.length < STEP) continue;
    tell(worker, { records: part });
    part = [];
    yield;
  }
  tell(worker, { records: part });
}

function tell(worker: Worker, told: DraftTold): void {
  worker.postMessage(told);
}

function assertAt(tenant: ReadableTenant, revision: string): void {
  if (tenant.revision === revision) return;
  throw new ProblemError(
    'stale_base',
    `The tenant "${tenant.name}" is at revision ${tenant.revision}, not at ${revision}: look at what changed, then ask again.`,
  );
}

function remedyOf(task: DraftTask): string {
  if ('draft' in task) return REMEDIES.draft;
  if ('denied' in task) return REMEDIES.denied;
  if ('lint' in task) return REMEDIES.lint;
  return 'earlier' in task ? REMEDIES.earlier : REMEDIES.review;
}

function tooMuch(what: string, remedy: string, cause?: Error): ProblemError {
  const detail = `The answer takes more than ${what} to find: ${remedy}.`;
  return new ProblemError('timeout', detail, [], { cause });
}
