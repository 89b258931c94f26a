import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { networkOf } from './client-addresses.js';
import { FailureLimit } from './failure-limit.js';
import { FairQueue } from './fair-queue.js';
import { type Derive, isScryptHash, isScryptOf, scryptHash } from './scrypt.js';
import { hashGeneratedSecret, NO_SECRET } from './secrets.js';

/** Who sends a secret to be checked. */
export interface Attempt {
  /** Of the caller, as `ClientAddresses` gives it. */
  address: string;
  clientId: string;
  /** Aborted when nobody waits for the answer any more. */
  signal?: AbortSignal;
}

/** Derivations that wait, each of which takes some 50 ms. */
const WAITING_MAX = 32;
const PROVEN_MAX = 10_000;

/**
 * What is stored of client secrets, and whether a secret is the stored one. Secrets that were generated have 256 random
 * bits, so that a fast hash gives nothing to guess: they are checked in microseconds. Those that somebody chose take
 * scrypt, which callers without any credential could have computed without end: few wait at a time, nothing is computed
 * for a caller who has gone, and whoever sends wrong ones has to wait.
 */
export class ClientSecrets {
  /** Apart, so that nobody's attempts delay those who choose a secret. */
  readonly #checks = new FairQueue(WAITING_MAX);
  readonly #choices = new FairQueue(WAITING_MAX);
  readonly #failures: FailureLimit;
  /**
   * Chosen secrets that are known to be right, by what is stored of them: a pipeline asks for a token at each of its
   * steps. Kept in memory alone, under a key that this process makes; the oldest is forgotten.
   */
  readonly #proven = new Map<string, Buffer>();
  readonly #provenKey = randomBytes(32);

  /** `now` gives milliseconds. */
  constructor(
    now: () => number,
    private readonly derive: Derive,
  ) {
    this.#failures = new FailureLimit(now);
  }

  /** What is stored of a secret that somebody chose, when the turn of `party` has come. Throws as `FairQueue.run` does. */
  async hashChosen(secret: string, party: string, signal?: AbortSignal): Promise<string> {
    const stored = await this.#choices.run(party, () => scryptHash(secret, this.derive), signal);
    this.#remember(stored, this.#proof(secret));
    return stored;
  }

  /**
   * Whether one of the secrets is the stored one. An unknown client has nothing stored, and is answered like one whose
   * secret was generated. Throws `too_many_requests` where the caller has to wait, and the reason of the signal.
   */
  async verify(secrets: readonly string[], stored: string | undefined, attempt: Attempt): Promise<boolean> {
    if (stored === undefined || !isScryptHash(stored)) {
      const right = secrets.filter((secret) => isSame(hashGeneratedSecret(secret), stored ?? NO_SECRET));
      return right.length > 0 && stored !== undefined;
    }
    const party = JSON.stringify([networkOf(attempt.address), attempt.clientId]);
    this.#failures.assertOpen(party);
    if (secrets.some((secret) => this.#isProven(secret, stored))) return true;
    return await this.#checks.run(party, () => this.#check(secrets, stored, party), attempt.signal);
  }

  async #check(secrets: readonly string[], stored: string, party: string): Promise<boolean> {
    // While this one waited, others of the same party may have failed, or have proven the same secret.
    this.#failures.assertOpen(party);
    for (const secret of secrets) {
      if (this.#isProven(secret, stored)) return true;
      if (!(await isScryptOf(secret, stored, this.derive))) continue;
      this.#remember(stored, this.#proof(secret));
      return true;
    }
    this.#failures.fail(party);
    return false;
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
