import { setTimeout as pause } from 'node:timers/promises';
import { ProblemError } from '@authz-service/core/problem';
import type { ServiceClient } from '@authz-service/sdk/client';
import type { Answer } from '../history/events.js';
import type { Asked, Recorder } from '../history/recorder.js';
import { QUESTIONS } from '../history/universe.js';
import type { Random } from '../random.js';
import type { BoundedAnswer, Demand, Duel, Enforcement } from './check-replicas.js';
import type { ReplicaDeployment } from './replica-deployment.js';

/** The maximum age that some requests to replicas want; the poll of a replica takes half of it. */
const MAX_AGE_SECONDS_ASKED = 1;
/** Longer than a process waits for a revision that it is asked for. */
const ATTEMPT_MS = 7_000;
const REPORT_EVERY_MS = 300;

export interface Operator {
  client: ServiceClient;
  name: string;
}

/** A process to ask, and how old at most what it answers by is of its own accord. */
export interface Place extends Asked {
  maxAgeMs?: number;
}

/** Asks replicas and agents, with and without a revision that has been acknowledged, until it is told to stop. */
export class ReplicaRecorder {
  readonly answers: Answer[] = [];
  readonly demands: Demand[] = [];
  readonly bounded: BoundedAnswer[] = [];
  readonly enforcements: Enforcement[] = [];
  readonly duels: Duel[] = [];
  /** Answers that nothing explains: neither an answer nor a refusal nor a broken connection. */
  readonly oddities: string[] = [];
  /** Requests refused by agents since they know too little that is young. */
  tooOld = 0;
  #stopped = false;

  constructor(
    private readonly written: Pick<Recorder, 'newest'>,
    private readonly random: Random,
  ) {}

  stop(): void {
    this.#stopped = true;
  }

  /**
   * Asks all questions in one request, now and then from a revision on that has been acknowledged, and now and then by nothing
   * that is older than a second.
   */
  async read(place: Place, everyMs: number): Promise<void> {
    while (!this.#stopped) {
      await pause(this.random.next() * 2 * everyMs);
      const wanted = this.random.chance(0.4) ? this.written.newest : undefined;
      const maxAgeSeconds = wanted === undefined && this.random.chance(0.5) ? MAX_AGE_SECONDS_ASKED : undefined;
      await this.ask(place, wanted, maxAgeSeconds).catch((error: unknown) => {
        // Whoever is killed, cut off or hung gives no answer; everything else is a fault.
        if (error instanceof TypeError || (error as Error).name === 'TimeoutError') return;
        this.oddities.push(`${place.process}: ${error}`);
      });
    }
  }

  /** `wanted` is the earliest revision that may answer. */
  async ask({ process, headers, url, maxAgeMs }: Place, wanted?: string, maxAgeSeconds?: number): Promise<void> {
    const at = url();
    if (at === undefined) return;
    const askedAt = performance.now();
    const response = await fetch(`${at}/access/v1/evaluations`, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        ...(wanted !== undefined && { 'service-min-revision': wanted }),
        ...(maxAgeSeconds !== undefined && { 'service-max-age': `${maxAgeSeconds}` }),
      },
      body: JSON.stringify({ evaluations: QUESTIONS }),
      signal: AbortSignal.timeout(ATTEMPT_MS),
    });
    const revision = response.headers.get('service-revision') ?? '';
    const text = await response.text();
    const answeredAt = performance.now();
    const { code, evaluations } = JSON.parse(text);
    if (response.status === 412 && wanted !== undefined) {
      this.demands.push({ process, wanted, answered: 'unknown' });
      return;
    }
    if (code === 'too_old') this.tooOld++;
    if (response.status === 503 || response.status === 429) return;
    if (response.status !== 200) throw new Error(`${process} answered ${response.status}: ${text}`);
    if (wanted !== undefined) this.demands.push({ process, wanted, answered: revision });
    const bound = Math.min(maxAgeMs ?? Number.POSITIVE_INFINITY, (maxAgeSeconds ?? Number.POSITIVE_INFINITY) * 1000);
    if (Number.isFinite(bound)) this.bounded.push({ process, askedAt, maxAgeMs: bound, revision });
    const decisions = (evaluations as { decision: boolean }[]).map(({ decision }) => decision);
    const answer = { process, askedAt, answeredAt, before: revision, after: revision };
    this.answers.push({ ...answer, questions: QUESTIONS, decisions });
  }

  /** Asks again and again whether the newest revision is enforced. */
  async awaitEnforcement(client: ServiceClient): Promise<void> {
    while (!this.#stopped) {
      await pause(REPORT_EVERY_MS);
      const revision = this.written.newest;
      try {
        const { enforced } = await client.agents({ enforces: revision, waitSeconds: 1 });
        if (enforced) this.enforcements.push({ revision, answeredAt: performance.now() });
      } catch (error) {
        this.#excuse(error, 'agents');
      }
    }
  }

  /** Lets the last two operators delete each other at the same time, again and again. */
  async duel(
    deployment: ReplicaDeployment,
    operators: readonly [Operator, Operator],
    everyMs: number,
    deputyOf: (operator: Operator) => Promise<Operator>,
  ): Promise<void> {
    const remove = (by: Operator, name: string) => by.client.records('oauth_client').delete(name);
    let pair = operators;
    while (!this.#stopped) {
      await pause(everyMs);
      const [one, other] = pair;
      const done = await Promise.allSettled([remove(one, other.name), remove(other, one.name)]);
      for (const each of done) if (each.status === 'rejected') this.#excuse(each.reason, 'duel');
      const acknowledged = done.filter(({ status }) => status === 'fulfilled').length;
      const left = await this.#patiently(() => deployment.lastingOperators());
      this.duels.push({ acknowledged, left });
      if (left.length === 0) return;
      // Whoever is left finds another one. A deletion without an answer may have happened since.
      pair = await this.#patiently(async () => {
        const now = await deployment.lastingOperators();
        const survivor = pair.find(({ name }) => now.includes(name));
        if (survivor === undefined) throw new Error(`none of ${pair.map(({ name }) => name).join(', ')} is left`);
        for (const name of now) if (name !== survivor.name) await remove(survivor, name);
        return [survivor, await deputyOf(survivor)];
      });
    }
  }

  async #patiently<T>(work: () => Promise<T>): Promise<T> {
    for (let tries = 0; ; tries++) {
      try {
        return await work();
      } catch (error) {
        if (tries > 200) throw error;
        await pause(300);
      }
    }
  }

  #excuse(error: unknown, what: string): void {
    if (!(error instanceof ProblemError)) throw error;
    if (error.code === 'internal') this.oddities.push(`${what}: ${error.detail}`);
  }
}
