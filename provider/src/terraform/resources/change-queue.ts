import { randomUUID } from 'node:crypto';
import { ProblemError, type ProblemItem } from '@authz-service/core/problem';
import type { Address } from '@authz-service/core/records/address';
import type { Change } from '@authz-service/core/state/change';
import type { ChangesetRequest, ChangesetResult, CommitSource } from '@authz-service/sdk/wire';
import type { Log } from '../protocol/log.js';
import type { Composed } from './narrowings.js';

/**
 * How long a change waits for others to join it: until none has arrived for a moment, but not longer than the whole
 * wait. Terraform works on as many resources as `-parallelism` says and takes some milliseconds to send each one. Once
 * as many wait as ever did at the same time, no other arrives before one of them is answered.
 */
const QUIET_MS = 20;
const WAIT_MAX_MS = 100;
/** How long the creation of a record that still exists waits for its deletion, which Terraform may start later. */
const HOLD_MS = 150;
const GRACE_MS = 5_000;
/** How long a refused change that another one may make valid waits for it, from the last arrival on. */
const PATIENCE_MS = 3_000;

/** One change that a resource requests, and the record that it is about. */
export interface ChangeCommand {
  address: Address;
  change: Change;
}

/** A granted request: the revision that holds it, and what the service created for it. */
export interface Granted {
  /** Absent if nothing had to be sent. */
  revision?: string;
  id?: string;
  secret?: ChangesetResult['secrets'][number];
  /** Access rules that the commit broke and that did not refuse it; told with one of its requests. */
  brokenRules?: ChangesetResult['broken_rules'];
}

/**
 * The service's refusal of one request. `item` locates the fault in the request's own fields if it is there. Its
 * address differs from that of the request if the request would make another record invalid.
 */
export class Refused extends Error {
  constructor(
    readonly problem: ProblemError,
    readonly command: ChangeCommand,
    readonly item?: ProblemItem,
  ) {
    super(problem.detail);
  }
}

/** Terraform was interrupted before the request was sent: nothing was changed. */
export class Stopped extends Error {}

/** Terraform was interrupted, and the answer did not arrive in time: it is not known whether the change was made. */
export class Unanswered extends Error {}

/** How a request ends early: no further attempt begins once `stop` aborts, and `giveUp` ends the running one. */
export interface Ends {
  stop: AbortSignal;
  giveUp: AbortSignal;
}

export interface ChangeQueueOptions {
  send(body: ChangesetRequest, idempotencyKey: string, ends: Ends): Promise<ChangesetResult>;
  /** Whether the service holds a record at the address, as far as is known. */
  exists(address: Address): boolean;
  /** Decides what is sent for requests; see `Narrowings`. */
  compose?(commands: readonly ChangeCommand[], alone: boolean): Composed;
  /** Is told that something sent along with requests was refused. */
  leftBehind?(along: readonly ChangeCommand[], problem: ProblemError): void;
  /** Is told what was changed, before anybody else is. */
  done(commands: readonly ChangeCommand[], result: ChangesetResult): void;
  stack: string;
  /** The known origin of the configuration. */
  origin?: CommitSource;
  takeOwnership: boolean;
  /** Whether deletions may concern links of other stacks that grant what this stack owns. */
  exclusive?: boolean;
  log: Log;
  /** How long the answer to sent changes is awaited after Terraform was interrupted. */
  graceMs?: number;
  /** How long a refused change waits for one that may make it valid. */
  patienceMs?: number;
}

interface Entry extends ChangeCommand {
  heldUntil?: number;
  signal: AbortSignal;
  resolve(granted: Granted): void;
  reject(error: unknown): void;
}

/** A change as it is sent to the service for an entry. */
interface Sent extends ChangeCommand {
  entry: Entry;
}

/** The result if nothing had to be sent. */
const NOTHING: ChangesetResult = { revision: '', added: 0, changed: 0, removed: 0, created: [], secrets: [] };

/**
 * Joins the requests that Terraform makes at the same time into change-sets, sent one after the other, so that agents
 * see few revisions. A change-set is accepted as a whole or refused: refused requests fail one by one, and the others
 * are sent again without them. One that another request may make valid, such as a type whose parent names it as its own,
 * is sent once more with the next ones, since Terraform knows no order of the two. An interrupt of Terraform cancels waiting requests, but the answers to sent ones are
 * awaited.
 */
export class ChangeQueue {
  private waiting: Entry[] = [];
  /** Refused requests that others may make valid, and until when they wait. */
  private patient: Entry[] = [];
  private patientUntil = 0;
  private sending = false;
  /** The largest number of requests that ever waited at the same time. */
  private peak = 1;
  private timer: NodeJS.Timeout | undefined;
  private firstAt = 0;
  private readonly watched = new WeakSet<AbortSignal>();

  constructor(private readonly options: ChangeQueueOptions) {}

  /** Rejects with `Refused`, with `Stopped` if nothing was sent, or with the error that sending threw. */
  ask(command: ChangeCommand, signal: AbortSignal): Promise<Granted> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(new Stopped());
        return;
      }
      this.watch(signal);
      if (this.waiting.length === 0) this.firstAt = performance.now();
      this.waiting.push({ ...command, signal, resolve, reject });
      const held = this.waiting.length + this.patient.length;
      this.schedule(held === this.peak && this.peak > 1 ? 0 : QUIET_MS);
      this.peak = Math.max(this.peak, held);
    });
  }

  /** All calls of a process share one signal; one listener is enough. */
  private watch(signal: AbortSignal): void {
    if (this.watched.has(signal)) return;
    this.watched.add(signal);
    signal.addEventListener('abort', () => {
      for (const entry of [...this.waiting.splice(0), ...this.patient.splice(0)]) entry.reject(new Stopped());
    });
  }

  private schedule(ms: number): void {
    if (this.sending) return;
    const now = performance.now();
    const left =
      this.waiting.length > 0
        ? Math.min(ms, this.firstAt + WAIT_MAX_MS - now)
        : this.patient.length > 0
          ? this.patientUntil - now
          : undefined;
    if (left === undefined) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), Math.max(0, left));
  }

  private flush(): void {
    const ready = this.takeReady();
    const expired = this.waiting.length === 0 && this.patientUntil <= performance.now();
    const batch = ready.length > 0 || expired ? [...this.patient.splice(0), ...ready] : ready;
    if (ready.length > 0) this.patientUntil = performance.now() + (this.options.patienceMs ?? PATIENCE_MS);
    if (batch.length === 0) {
      const soonest = Math.min(...this.waiting.map((entry) => entry.heldUntil ?? 0));
      this.firstAt = soonest;
      this.schedule(soonest - performance.now());
      return;
    }
    this.sending = true;
    this.send(batch).finally(() => {
      this.sending = false;
      this.firstAt = performance.now();
      this.schedule(QUIET_MS);
    });
  }

  /**
   * Takes what can be sent now. Of two requests about one record, the later one waits for the next change-set, unless they
   * are its deletion and its new creation. The creation of a record that still exists waits a moment for its deletion.
   */
  private takeReady(): Entry[] {
    const now = performance.now();
    const ready = new Map<Address, Entry[]>();
    const later: Entry[] = [];
    for (const entry of this.waiting) {
      const before = ready.get(entry.address) ?? [];
      const [first] = before;
      const pair = before.length === 1 && first !== undefined && isPair(first, entry);
      if (before.length > 0 && !pair) later.push(entry);
      else ready.set(entry.address, [...before, entry]);
    }
    for (const [address, [only, ...rest]] of ready) {
      if (only === undefined || only.change.op !== 'create' || rest.length > 0 || !this.options.exists(address))
        continue;
      only.heldUntil ??= now + HOLD_MS;
      if (only.heldUntil <= now) continue;
      ready.delete(address);
      later.push(only);
    }
    this.waiting = later;
    return [...ready.values()].flat();
  }

  private async send(batch: Entry[]): Promise<void> {
    let rest = batch;
    let alone = false;
    for (let again = false; rest.length > 0; again = true) {
      if (again && rest[0]?.signal.aborted) {
        for (const entry of rest) entry.reject(new Stopped());
        return;
      }
      const { changes, along } = this.options.compose?.(rest, alone) ?? {
        changes: rest.map(({ change }) => change),
        along: [],
      };
      const sent = rest.flatMap((entry, index): Sent[] => {
        const change = changes[index];
        return change === undefined ? [] : [{ address: entry.address, change, entry }];
      });
      const commands = [...sent, ...along];
      try {
        const result = commands.length === 0 ? NOTHING : await this.sendOnce(commands, rest[0]?.signal);
        if (commands.length > 0) this.options.done(commands, result);
        this.grant(rest, result);
        return;
      } catch (error) {
        const refused = error instanceof ProblemError ? refusedOf(sent, error) : new Map<Entry, ProblemItem>();
        if (refused.size === 0 && isOne(error) && along.length > 0) {
          this.options.leftBehind?.(along, error);
          alone = true;
          continue;
        }
        if (refused.size === 0 && isOne(error) && rest.length > 1) {
          const half = Math.ceil(rest.length / 2);
          await this.send(rest.slice(0, half));
          rest = rest.slice(half);
          continue;
        }
        for (const entry of rest) {
          const item = refused.get(entry);
          if (refused.size > 0 && item === undefined) continue;
          if (item !== undefined && isProblemThatMayPass(error, entry, item) && this.patientUntil > performance.now()) {
            this.patient.push(entry);
            continue;
          }
          entry.reject(error instanceof ProblemError ? new Refused(error, entry, item) : error);
        }
        rest = refused.size === 0 ? [] : rest.filter((entry) => !refused.has(entry));
      }
    }
  }

  private async sendOnce(batch: readonly ChangeCommand[], stop = AbortSignal.abort()): Promise<ChangesetResult> {
    const { stack, origin, takeOwnership, exclusive = false, log, send, graceMs = GRACE_MS } = this.options;
    const body: ChangesetRequest = {
      stack,
      ...(takeOwnership && { take_ownership: true }),
      ...(exclusive && { exclusive: true }),
      ...(origin && { origins: origin }),
      changes: batch.map(({ change }) => change),
    };
    const giveUp = new AbortController();
    let grace: NodeJS.Timeout | undefined;
    const onStop = () => {
      grace ??= setTimeout(() => giveUp.abort(new Unanswered()), graceMs);
    };
    if (stop.aborted) onStop();
    stop.addEventListener('abort', onStop, { once: true });
    try {
      log.log('debug', 'sending changes', { count: batch.length });
      return await send(body, randomUUID(), { stop, giveUp: giveUp.signal });
    } finally {
      clearTimeout(grace);
      stop.removeEventListener('abort', onStop);
    }
  }

  private grant(batch: readonly Entry[], { revision, created, secrets, broken_rules: broken }: ChangesetResult): void {
    const ids = new Map(created.map(({ address, id }) => [address, id]));
    const made = new Map(secrets.map((secret) => [secret.address, secret]));
    for (const [index, { address, change, resolve }] of batch.entries()) {
      const id = change.op === 'create' ? ids.get(address) : undefined;
      const secret = made.get(address);
      resolve({
        ...(revision !== '' && { revision }),
        ...(id !== undefined && { id }),
        ...(secret !== undefined && { secret }),
        ...(index === 0 && broken && { brokenRules: broken }),
      });
    }
  }
}

function isPair(first: ChangeCommand, second: ChangeCommand): boolean {
  const ops = [first.change.op, second.change.op];
  return ops.includes('delete') && ops.includes('create');
}

/** The entries that the problem's items point at, by their place in the change-set. */
function refusedOf(batch: readonly Sent[], problem: ProblemError): Map<Entry, ProblemItem> {
  const refused = new Map<Entry, ProblemItem>();
  for (const item of problem.errors) {
    const [, index, , rest] = /^\/changes\/(\d+)(\/fields(\/.*)?)?$/.exec(item.pointer) ?? [];
    const entry = index === undefined ? undefined : batch[Number(index)]?.entry;
    if (entry !== undefined && !refused.has(entry)) refused.set(entry, { ...item, pointer: rest ?? '' });
  }
  return refused;
}

/**
 * Whether another request may make a refused one valid: types, resources and roles that mention each other by text, and schemas with the conditions and
 * subjects that are checked against them, are no references by which Terraform could order them.
 */
function isProblemThatMayPass(error: unknown, { address, change }: ChangeCommand, { pointer }: ProblemItem): boolean {
  if (!(error instanceof ProblemError)) return false;
  const kind = address.slice(0, address.indexOf('/'));
  if (error.code === 'conflict') return change.op === 'delete' && ['resource_type', 'resource', 'role'].includes(kind);
  if (error.code !== 'invalid_records') return false;
  if (kind === 'resource_type' || kind === 'resource') return pointer.startsWith('/parents');
  if (kind === 'role') return pointer.startsWith('/includes');
  if (kind === 'policy') return pointer === '/condition';
  if (kind === 'subject') return pointer.startsWith('/properties');
  return kind === 'subject_type' || kind === 'context_attribute';
}

/** Refusals that may concern only one request, so that the others are worth another attempt without it. */
function isOne(error: unknown): error is ProblemError {
  return (
    error instanceof ProblemError &&
    [
      'access_rule_violated',
      'conflict',
      'forbidden',
      'invalid_records',
      'invalid_request',
      'not_owner',
      'outside_limits',
      'payload_too_large',
    ].includes(error.code)
  );
}
