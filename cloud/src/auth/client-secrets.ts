import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { FairQueue } from '../concurrency/fair-queue.js';
import { networkOf } from './client-addresses.js';
import { FailureLimit } from './failure-limit.js';
import { type Derive, isScryptHash, isScryptOf, scryptHash } from './scrypt.js';
import { hashGeneratedSecret, NO_SECRET } from './secrets.js';

/** The sender of a secret to check. */
export interface Attempt {
  /** The caller's address, as `ClientAddresses` gives it. */
  address: string;
  clientId: string;
  /** Aborted when nobody waits for the answer any more. */
  signal?: AbortSignal;
}

/** The number of derivations that may wait; each takes some 50 ms. */
const WAITING_MAX = 32;
const WAITING = 'secrets are waiting to be checked';
const PROVEN_MAX = 10_000;

/**
 * Hashes client secrets for storage and checks secrets against the stored hashes. Generated secrets have 256 random
 * bits, so that a fast hash gives nothing to guess: they are checked in microseconds. Secrets that somebody chose take
 * scrypt, which callers without any credential could make the service compute endlessly. Therefore only few may wait,
 * nothing is computed for a caller that has gone, and a caller that sends wrong secrets has to wait.
 */
export class ClientSecrets {
  /** A separate queue, so that failing log-ins do not delay those who choose a secret. */
  readonly #checks = new FairQueue(WAITING_MAX, WAITING);
  readonly #choices = new FairQueue(WAITING_MAX, WAITING);
  readonly #failures: FailureLimit;
  /**
   * Chosen secrets that were proven right, by their stored hash, because a pipeline asks for a token at each of its
   * steps. They are kept only in memory, under a key that this process generates; the oldest are dropped.
   */
  readonly #proven = new Map<string, Buffer>();
  readonly #provenKey = randomBytes(32);

  /** `now` returns milliseconds. */
  constructor(
    now: () => number,
    private readonly derive: Derive,
  ) {
    this.#failures = new FailureLimit(now);
  }

  /**
   * The hash to store for a secret that somebody chose, once it is the turn of `party`. Throws as `FairQueue.run` does.
   */
  async hashChosen(secret: string, party: string, signal?: AbortSignal): Promise<string> {
    const stored = await this.#choices.run(party, () => scryptHash(secret, this.derive), signal);
    this.#remember(stored, this.#proof(secret));
    return stored;
  }

  /**
   * The stored hash that one of the secrets matches: that of the client's secret, or of the one before. An unknown client
   * has none and is answered like one whose secret was generated. Throws `too_many_requests` if the caller has to wait, and
   * the signal's reason if it is aborted.
   */
  async verify(secrets: readonly string[], stored: readonly string[], attempt: Attempt): Promise<string | undefined> {
    const generated = stored.filter((hash) => !isScryptHash(hash));
    const right = (generated.length > 0 ? generated : [NO_SECRET]).find((hash) =>
      secrets.some((secret) => isSame(hashGeneratedSecret(secret), hash)),
    );
    const chosen = stored.filter(isScryptHash);
    if (right !== undefined || chosen.length === 0) return right === NO_SECRET ? undefined : right;
    const party = JSON.stringify([networkOf(attempt.address), attempt.clientId]);
    this.#failures.assertOpen(party);
    const proven = this.#provenOf(secrets, chosen);
    return proven ?? (await this.#checks.run(party, () => this.#check(secrets, chosen, party), attempt.signal));
  }

  async #check(secrets: readonly string[], stored: readonly string[], party: string): Promise<string | undefined> {
    // While this one waited, others of the same party may have failed, or have proven the same secret.
    this.#failures.assertOpen(party);
    const proven = this.#provenOf(secrets, stored);
    if (proven !== undefined) return proven;
    for (const hash of stored)
      for (const secret of secrets) {
        if (!(await isScryptOf(secret, hash, this.derive))) continue;
        this.#remember(hash, this.#proof(secret));
        return hash;
      }
    this.#failures.fail(party);
    return undefined;
  }

  #provenOf(secrets: readonly string[], stored: readonly string[]): string | undefined {
    return stored.find((hash) => secrets.some((secret) => this.#isProven(secret, hash)));
  }

  #isProven(secret: string, stored: string): boolean {
    const known = this.#proven.get(stored);
    return known !== undefined && timingSafeEqual(known, this.#proof(secret));
  }

  #proof(secret: string): Buffer {
    return createHmac('sha256', this.#provenKey).update(secret).digest();
  }

  #remember(stored: string, proof: Buffer): void {
    const [oldest] = this.#proven.keys();
    if (oldest !== undefined && this.#proven.size >= PROVEN_MAX) this.#proven.delete(oldest);
    this.#proven.set(stored, proof);
  }
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
