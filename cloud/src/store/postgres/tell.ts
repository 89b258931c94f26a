import type { Knex } from 'knex';
import type { Told } from '../store.js';

/** The channel on which commits are told. */
export const CHANNEL = 'authz_service_commits';

/**
 * Tells other processes of commits. Not in the transactions of these: PostgreSQL lets only one transaction with a
 * notification end at a time, so that all commits of all tenants would wait for each other's disk.
 */
export class Teller {
  #waiting: Told[] = [];
  #sending = false;

  constructor(private readonly knex: Knex) {}

  /**
   * Announces commits. Those that come while the database is being told are announced together; nothing is repeated if that
   * fails.
   */
  tell(told: readonly Told[]): void {
    this.#waiting.push(...told);
    if (!this.#sending) void this.#send();
  }

  async #send(): Promise<void> {
    this.#sending = true;
    while (this.#waiting.length > 0) {
      const texts = JSON.stringify(this.#waiting.map(toldText));
      this.#waiting = [];
      const all = 'select pg_notify(?, told) from json_array_elements_text(?::json) as told';
      await this.knex.raw(all, [CHANNEL, texts]).catch(() => undefined);
    }
    this.#sending = false;
  }
}

function toldText({ tenant, revision, atLarge }: Told): string {
  return `${tenant} ${revision} ${atLarge ? 'all' : 'one'}`;
}

/** Reads a notification; undefined if another version has written it. */
export function readTold(text = ''): Told | undefined {
  const [tenant, revision, extent, ...rest] = text.split(' ');
  if (tenant === undefined || (extent !== 'all' && extent !== 'one') || rest.length > 0) return undefined;
  return { tenant, revision: Number(revision), atLarge: extent === 'all' };
}
