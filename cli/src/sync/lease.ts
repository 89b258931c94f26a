import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { ProblemError } from '@authz-service/core/problem';
import type { SyncStatus } from '@authz-service/core/sync/sync-status';
import type { ServiceRequest } from '@authz-service/sdk/transport';
import type { senderOf } from '../config/connect.js';

const LEASE_SECONDS = 15;

type Sender = Awaited<ReturnType<typeof senderOf>>;

/** A lease as the cloud shows it. */
export interface ShownLease {
  stack: string;
  holder: string;
  term: number;
  live: boolean;
  status?: SyncStatus;
}

/** A name that no other process has. */
export function holderName(): string {
  return `${hostname()
    .replace(/[^\w.-]/g, '-')
    .slice(0, 100)}-${process.pid}-${randomBytes(4).toString('hex')}`;
}

/** The lease of one stack at the cloud: who holds it may apply. */
export class Lease {
  readonly #sender: Sender;
  readonly #stack: string;
  readonly #holder: string;
  #term: number | undefined;

  constructor(sender: Sender, stack: string, holder: string) {
    this.#sender = sender;
    this.#stack = stack;
    this.#holder = holder;
  }

  get isHeld(): boolean {
    return this.#term !== undefined;
  }

  /**
   * Takes the lease or renews it, and reports. Returns the lease; undefined if another controller has it. Throws `ProblemError`
   * where the service cannot be asked: then it is not known whether it is held.
   */
  async claim(status: SyncStatus | undefined, signal: AbortSignal): Promise<ShownLease | undefined> {
    return await this.#put({ lease_seconds: LEASE_SECONDS, ...(status && { status }) }, signal);
  }

  /** Does what `claim` does, but takes no lease that has been lost. */
  async renew(status: SyncStatus | undefined, signal: AbortSignal): Promise<ShownLease | undefined> {
    return this.isHeld ? await this.claim(status, signal) : undefined;
  }

  /** Gives the lease back, so that another controller need not wait. */
  async release(status: SyncStatus | undefined, signal: AbortSignal): Promise<void> {
    if (this.isHeld) await this.#put({ lease_seconds: 0, ...(status && { status }) }, signal);
    this.#term = undefined;
  }

  async #put(body: object, signal: AbortSignal): Promise<ShownLease | undefined> {
    const term = this.#term;
    try {
      const lease = (await ask(
        this.#sender,
        { method: 'PUT', path: `/v1/sync/${encodeURIComponent(this.#stack)}` },
        { holder: this.#holder, ...(term !== undefined && { term }), ...body },
        signal,
      )) as ShownLease;
      this.#term = lease.term;
      return lease;
    } catch (error) {
      if (!(error instanceof ProblemError) || error.code !== 'conflict') throw error;
      this.#term = undefined;
      return undefined;
    }
  }
}

/** The stacks that controllers follow, as the cloud shows them. */
export async function listLeases(sender: Sender, signal: AbortSignal): Promise<ShownLease[]> {
  const { stacks } = (await ask(sender, { method: 'GET', path: '/v1/sync' }, undefined, signal)) as {
    stacks: ShownLease[];
  };
  return stacks;
}

async function ask(
  { transport, authorization }: Sender,
  request: Pick<ServiceRequest, 'method' | 'path'>,
  body: object | undefined,
  signal: AbortSignal,
): Promise<unknown> {
  // Repeated, a claim of the same holder gives the same lease.
  const sent: ServiceRequest = { ...request, ...(body && { body }), repeat: 'harmless' };
  const answer = await transport.send(sent, { signal }, authorization);
  return JSON.parse(new TextDecoder().decode(answer.body));
}
