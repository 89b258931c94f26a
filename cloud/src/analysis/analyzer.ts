import { Worker } from 'node:worker_threads';
import type { TimeSlicing } from '@authz-service/core/concurrency/time-slicing';
import { ProblemError } from '@authz-service/core/problem';
import type { ReviewPage, SignedReview } from '@authz-service/core/questions/review/found-review';
import type { WhyNot } from '@authz-service/core/questions/why-not/why-not';
import type { StoredRecord } from '@authz-service/core/records/registry';
import type { TenantState } from '@authz-service/core/state/tenant-state';
import type { Credential } from '../auth/credential.js';
import { FairQueue } from '../concurrency/fair-queue.js';
import { orAborted, untilAborted } from '../concurrency/until-aborted.js';
import { differingRecords } from '../history/differing-records.js';
import type { ReadableTenant } from '../tenants/tenant.js';
import type * as tasks from './analysis-tasks.js';

const WAITING_MAX = 16;
const TIMEOUT_MS = 60_000;
const MEMORY_MIB = 1024;
/** Records sent in one step, which is some tenths of a millisecond. */
const STEP = 25;

/** Remedies if the bound on time or memory is too little. */
const REMEDIES = {
  lint: 'run "servicectl lint" on the tree in Git',
  draft: 'split the draft, or run "servicectl plan" on the tree',
  denied: 'run "servicectl why-not", which has no such bound',
  compared: 'run "servicectl impact cloud@BEFORE cloud@AFTER", which has no such bound',
  review: 'choose a smaller scope',
};

/** Who waits for an answer, and until when. */
export interface AnalysisCaller {
  credential: Pick<Credential, 'tenant' | 'id'>;
  signal: AbortSignal;
}

/** A task on a tenant at a revision. */
export interface Prepared<Task> {
  tenant: ReadableTenant;
  revision: string;
  task: Task;
  /** The earlier state that the task is about, too. */
  before?: TenantState;
}

/** Called when it is the asker's turn, so that those who wait hold no past states in memory. Its time counts as well. */
type Prepare<P> = (signal: AbortSignal) => Promise<P>;

interface Answered<P, Found> {
  prepared: P;
  found: Found;
}

/** Links end as time goes by: findings of the same revision are kept for so long, and of so many tenants. */
const LINT_AGE_MS = 10 * 60 * 1000;
const LINTED_MAX = 100;

interface Thread {
  worker: Worker;
  /** Whose records it has; absent while it has none, or those of two revisions mixed. */
  key?: string;
}

/**
 * Finds what drafts would do, what would allow denied questions, what revisions did to access and who has it, in one
 * thread with a bound of its own on memory, so that decisions wait for none of it. Everybody waits for their turn, tenant
 * by tenant, and a turn is bounded in time, with what is read for it. The thread keeps the records of the last base, since
 * one who edits asks again and again.
 */
export class Analyzer {
  readonly #queue = new FairQueue(WAITING_MAX, 'drafts and questions are waiting for their turn');
  readonly #linted = new Map<string, { revision: string; at: number; found: tasks.Linted }>();
  #thread: Thread | undefined;
  /** True while somebody has their turn. */
  #asking = false;
  /** Counts calls of `forget`: what was read before one is not kept after it. */
  #forgotten = 0;

  constructor(private readonly slicing: TimeSlicing) {}

  /**
   * Plans what the draft would do to the tenant at this revision. Throws `stale_base` if the tenant has moved,
   * `too_many_requests`, `timeout` if it takes too much time or memory, and what a commit would throw, but nothing for
   * access rules.
   */
  plan(tenant: ReadableTenant, revision: string, draft: tasks.Draft, asked: AnalysisCaller): Promise<tasks.DraftPlan> {
    return this.#answer({ tenant, revision, task: { draft } }, asked);
  }

  /**
   * The smallest changes to the tenant at this revision that would allow the question. Throws as `plan` does, and
   * `invalid_request` where the question itself is at fault.
   */
  whyNot(tenant: ReadableTenant, revision: string, denied: tasks.Denied, asked: AnalysisCaller): Promise<WhyNot> {
    return this.#answer({ tenant, revision, task: { denied } }, asked);
  }

  /** Compares an earlier state with the tenant at this revision. Throws as `plan` does. */
  compare<P extends Prepared<tasks.ComparedTask>>(prepare: Prepare<P>, asked: AnalysisCaller) {
    return this.#answered<P, tasks.StatesCompared>(prepare, (compared) => ({ compared }), REMEDIES.compared, asked);
  }

  /** Who has access in a scope of the tenant at this revision. Throws as `plan` does, and `not_found`. */
  review<P extends Prepared<tasks.ReviewTask>>(prepare: Prepare<P>, asked: AnalysisCaller) {
    return this.#answered<P, ReviewPage | SignedReview>(prepare, (review) => ({ review }), REMEDIES.review, asked);
  }

  /** Finds what has changed in who has access in a scope between an earlier state and this revision. Throws as `plan` does. */
  reviewChanges<P extends Prepared<tasks.ReviewedTask>>(prepare: Prepare<P>, asked: AnalysisCaller) {
    return this.#answered<P, tasks.ReviewedSince>(prepare, (reviewed) => ({ reviewed }), REMEDIES.review, asked);
  }

  /** Finds what is unused in the tenant at this revision, and likely mistakes. Throws as `plan` does. */
  async lint(
    tenant: ReadableTenant,
    revision: string,
    lint: tasks.LintTask,
    asked: AnalysisCaller,
  ): Promise<tasks.Linted> {
    const kept = () => {
      const one = this.#linted.get(tenant.id);
      return one?.revision === revision && lint.now - one.at < LINT_AGE_MS ? one.found : undefined;
    };
    const turn = async (signal: AbortSignal) => kept() ?? (await this.#lint(tenant, revision, lint, signal));
    return kept() ?? this.#inTurn(turn, REMEDIES.lint, asked);
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

  async #lint(tenant: ReadableTenant, revision: string, lint: tasks.LintTask, signal: AbortSignal) {
    const forgotten = this.#forgotten;
    const found = (await this.#ask({ tenant, revision, task: { lint } }, signal)) as tasks.Linted;
    if (forgotten !== this.#forgotten) return found;
    this.#linted.delete(tenant.id);
    this.#linted.set(tenant.id, { revision, at: lint.now, found });
    const [oldest] = this.#linted.keys();
    if (oldest !== undefined && this.#linted.size > LINTED_MAX) this.#linted.delete(oldest);
    return found;
  }

  /** Does the work when it is the asker's turn, with a signal that ends it when they go away or it takes too long. */
  #inTurn<T>(
    turn: (signal: AbortSignal) => Promise<T>,
    remedy: string,
    { credential, signal }: AnalysisCaller,
  ): Promise<T> {
    const bounded = async () => {
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(tooMuch(`${TIMEOUT_MS / 1000} seconds`, remedy)), TIMEOUT_MS);
      const ends = AbortSignal.any([signal, late.signal]);
      try {
        return await turn(ends);
      } catch (error) {
        const isOut = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
        throw isOut ? tooMuch(`${MEMORY_MIB} MiB of memory`, remedy, error) : error;
      } finally {
        clearTimeout(timer);
      }
    };
    return this.#queue.run(credential.tenant, bounded, signal, credential.id);
  }

  #answer<Found extends tasks.AnalysisResult>(
    prepared: Prepared<tasks.AnalysisTask>,
    asked: AnalysisCaller,
  ): Promise<Found> {
    const turn = (signal: AbortSignal) => this.#ask(prepared, signal) as Promise<Found>;
    return this.#inTurn(turn, 'draft' in prepared.task ? REMEDIES.draft : REMEDIES.denied, asked);
  }

  #answered<P extends Prepared<unknown>, Found>(
    prepare: Prepare<P>,
    asTask: (task: P['task']) => tasks.AnalysisTask,
    remedy: string,
    asked: AnalysisCaller,
  ): Promise<Answered<P, Found>> {
    const turn = async (signal: AbortSignal) => {
      const prepared = await orAborted(prepare(signal), signal);
      return { prepared, found: (await this.#ask({ ...prepared, task: asTask(prepared.task) }, signal)) as Found };
    };
    return this.#inTurn(turn, remedy, asked);
  }

  async #ask(prepared: Prepared<tasks.AnalysisTask>, signal: AbortSignal): Promise<tasks.AnalysisResult> {
    signal.throwIfAborted();
    assertAt(prepared);
    this.#asking = true;
    const thread = this.#begun();
    const answer = answerOf(thread.worker, signal);
    answer.response.catch(() => undefined);
    try {
      await this.#send(thread, prepared, signal);
      send(thread.worker, { task: prepared.task });
      const response = await answer.response;
      if ('found' in response) return response.found;
      throw new ProblemError(response.fault.code, response.fault.detail, response.fault.errors);
    } catch (error) {
      // A refusal leaves the thread as it was; after anything else it may still be at work.
      if (signal.aborted || !(error instanceof ProblemError)) await this.#stop();
      throw error;
    } finally {
      this.#asking = false;
      answer.forget();
    }
  }

  #begun(): Thread {
    if (this.#thread !== undefined) return this.#thread;
    const thread = newThread();
    thread.worker.once('exit', () => {
      if (this.#thread === thread) this.#thread = undefined;
    });
    this.#thread = thread;
    return thread;
  }

  /** Gives the thread the records of the tenant, unless it has them, and how an earlier state differs from them. */
  async #send(thread: Thread, prepared: Prepared<unknown>, signal: AbortSignal): Promise<void> {
    const { tenant, revision, before } = prepared;
    const { worker } = thread;
    const base = { key: `${tenant.id} ${revision}`, tenant: tenant.name, revision };
    const isThere = thread.key === base.key;
    delete thread.key;
    const forgotten = this.#forgotten;
    const inSteps = (steps: Generator<undefined, void>) => this.slicing.run(untilAborted(steps, signal), tenant.id);
    if (!isThere) {
      send(worker, { base });
      await inSteps(sendInSteps(worker, tenant.state.records()));
    }
    if (before !== undefined)
      await inSteps(differingRecords(before, tenant.state, (differing) => send(worker, { differing })));
    // A commit in between has mixed two revisions.
    assertAt(prepared);
    if (forgotten === this.#forgotten) thread.key = base.key;
  }

  async #stop(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.worker.terminate();
  }
}

/** The next thing that the thread says. Rejects if it ends, or the signal is aborted. */
function answerOf(worker: Worker, signal: AbortSignal): { response: Promise<tasks.WorkerResponse>; forget(): void } {
  let forget = () => {};
  const response = new Promise<tasks.WorkerResponse>((resolve, reject) => {
    const exit = () => reject(new Error('the analysis thread ended and gave no answer'));
    const abort = () => reject(signal.reason);
    worker.once('message', resolve).once('error', reject).once('exit', exit);
    signal.addEventListener('abort', abort, { once: true });
    forget = () => {
      worker.off('message', resolve).off('error', reject).off('exit', exit);
      signal.removeEventListener('abort', abort);
    };
  });
  return { response, forget };
}

function newThread(): Thread {
  const worker = new Worker(new URL('./analysis-thread.js', import.meta.url), {
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
    send(worker, { records: part });
    part = [];
    yield;
  }
  send(worker, { records: part });
}

function send(worker: Worker, request: tasks.WorkerRequest): void {
  worker.postMessage(request);
}

function assertAt({ tenant, revision }: Prepared<unknown>): void {
  if (tenant.revision === revision) return;
  throw new ProblemError(
    'stale_base',
    `The tenant "${tenant.name}" is at revision ${tenant.revision}, not at ${revision}: look at what changed, then ask again.`,
  );
}

function tooMuch(what: string, remedy: string, cause?: Error): ProblemError {
  const detail = `The answer takes more than ${what} to find: ${remedy}.`;
  return new ProblemError('timeout', detail, [], { cause });
}
