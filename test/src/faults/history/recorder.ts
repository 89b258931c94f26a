import { setTimeout as pause } from 'node:timers/promises';
import { ProblemError } from '@authz-service/core/problem';
import type { ServiceClient } from '@authz-service/sdk/client';
import type { Random } from '../random.js';
import { CLOUD } from './check.js';
import type { Answer, Commit, Sighting, Snapshot } from './events.js';
import { follow, QUESTIONS, randomChanges } from './universe.js';

/** How long one attempt may take before it counts as unanswered. */
const ATTEMPT_MS = 1_500;

/** A decision point that is asked: the cloud, or an agent while it runs. */
export interface Asked {
  process: string;
  /** Undefined while nobody is there. */
  url(): string | undefined;
  headers: Record<string, string>;
}

/** Sends commits and questions and writes down what is answered, until it is told to stop. */
export class Recorder {
  readonly commits: Commit[] = [];
  readonly sightings: Sighting[] = [];
  readonly answers: Answer[] = [];
  /** Answers that nothing explains: neither an answer nor a refusal nor a broken connection. */
  readonly oddities: string[] = [];
  /** Commits refused after an attempt that nobody answered: what became of that one, only the audit tells. */
  readonly doubtful = new Set<Commit>();
  #there = new Set<string>();
  #newest: string;
  #stopped = false;

  constructor(
    start: Snapshot,
    private readonly random: Random,
  ) {
    this.#newest = start.revision;
  }

  /** The revision that was acknowledged last. */
  get newest(): string {
    return this.#newest;
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Commits at random, `everyMs` apart. Several writers know of each other's commits a little late: some conflict. */
  async write(client: ServiceClient, name: string, everyMs: number): Promise<void> {
    for (let count = 0; !this.#stopped; count++) {
      const changes = randomChanges(this.random, this.#there);
      const base = this.random.chance(0.2) ? { base_revision: this.#newest } : {};
      await pause(this.random.next() * 2 * everyMs);
      const id = `${name}-${count}`;
      const commit: Commit = { id, sentAt: performance.now(), answeredAt: 0, changes, outcome: 'refused' };
      commit.outcome = await this.#commit(client, commit, base);
      commit.answeredAt = performance.now();
      this.commits.push(commit);
      if (typeof commit.outcome !== 'object') continue;
      follow(this.#there, changes);
      this.#newest = commit.outcome.revision;
    }
  }

  async #commit(client: ServiceClient, commit: Commit, base: object): Promise<Commit['outcome']> {
    for (let unanswered = 0; ; unanswered++) {
      try {
        const options = { idempotencyKey: commit.id, requestId: commit.id };
        const done = await client.changeset({ changes: commit.changes, ...base }, options);
        return done.added + done.changed + done.removed === 0 ? 'unchanged' : { revision: done.revision };
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        if (['network', 'timeout', 'not_ready', 'storage_failed'].includes(error.code)) {
          await pause(20);
          continue;
        }
        if (error.code === 'internal') this.oddities.push(`commit ${commit.id}: ${error.detail}`);
        if (unanswered > 0) this.doubtful.add(commit);
        return 'refused';
      }
    }
  }

  /** Asks at a place, one question or all of them in one request. */
  async read(place: Asked, everyMs: number): Promise<void> {
    while (!this.#stopped) {
      await pause(everyMs);
      await this.ask(place, this.random.chance(0.4));
    }
  }

  /** Asks with the revision that is served before and after. `all`: every question in one request, else one at random. */
  async ask(place: Asked, all: boolean): Promise<void> {
    const url = place.url();
    if (url === undefined) return;
    const questions = all ? QUESTIONS : [this.random.pick(QUESTIONS)];
    try {
      const before = await this.#sight(place, url);
      const askedAt = performance.now();
      const decisions = before === undefined ? undefined : await this.#decide(place, url, questions);
      const answeredAt = performance.now();
      const after = await this.#sight(place, url);
      if (before === undefined || after === undefined || decisions === undefined) return;
      this.answers.push({ process: place.process, askedAt, answeredAt, before, after, questions, decisions });
    } catch (error) {
      // Whoever is killed, cut off or hung gives no answer; everything else is a fault.
      if (error instanceof TypeError || (error as Error).name === 'TimeoutError') return;
      this.oddities.push(`${place.process}: ${error}`);
    }
  }

  /** The revision that a process says it serves; undefined while it has none. */
  async #sight({ process, headers }: Asked, url: string): Promise<string | undefined> {
    const askedAt = performance.now();
    const path = process === CLOUD ? '/v1/audit?limit=1' : '/v1/status';
    const told = await fetched(`${url}${path}`, { headers });
    const revision = process === CLOUD ? told?.items[0].revision : told?.revision;
    if (typeof revision !== 'string') return undefined;
    this.sightings.push({ process, askedAt, answeredAt: performance.now(), revision });
    return revision;
  }

  async #decide({ headers }: Asked, url: string, questions: readonly object[]): Promise<boolean[] | undefined> {
    const post = (path: string, body: unknown) =>
      fetched(`${url}${path}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    if (questions.length > 1) {
      const told = await post('/access/v1/evaluations', { evaluations: questions });
      return told?.evaluations.map(({ decision }: { decision: boolean }) => decision);
    }
    const told = await post(this.random.pick(['/v1/authorize', '/access/v1/evaluation']), questions[0]);
    return told && [told.decision];
  }
}

/** The body of a 200; undefined where the service says that it is not there for now. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers.
async function fetched(url: string, init: RequestInit): Promise<any> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(ATTEMPT_MS) });
  if (response.status === 503) {
    await response.arrayBuffer();
    return undefined;
  }
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return await response.json();
}
