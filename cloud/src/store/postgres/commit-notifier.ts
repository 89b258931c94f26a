import type { Knex } from 'knex';
import type { CommitNotice } from '../store.js';

/** The channel of notices. */
export const CHANNEL = 'authz_service_commits';

/**
 * Notifies other processes of commits. Not in the transactions of these: PostgreSQL lets only one transaction with a
 * notification end at a time, so that all commits of all tenants would wait for each other's disk.
 */
export class CommitNotifier {
  #waiting: CommitNotice[] = [];
  #sending = false;

  constructor(private readonly knex: Knex) {}

  /**
   * Announces commits. Those that come while a notification is under way are announced together; nothing is repeated if that
   * fails.
   */
  notify(notices: readonly CommitNotice[]): void {
    this.#waiting.push(...notices);
    if (!this.#sending) void this.#send();
  }

  async #send(): Promise<void> {
    this.#sending = true;
    while (this.#waiting.length > 0) {
      const texts = JSON.stringify(this.#waiting.map(noticeText));
      this.#waiting = [];
      const all = 'select pg_notify(?, notice) from json_array_elements_text(?::json) as notice';
      await this.knex.raw(all, [CHANNEL, texts]).catch(() => undefined);
    }
    this.#sending = false;
  }
}

function noticeText({ tenant, revision, atLarge }: CommitNotice): string {
  return `${tenant} ${revision} ${atLarge ? 'all' : 'one'}`;
}

/** Reads a notification; undefined if another version has written it. */
export function readNotice(text = ''): CommitNotice | undefined {
  const [tenant, revision, extent, ...rest] = text.split(' ');
  if (tenant === undefined || (extent !== 'all' && extent !== 'one') || rest.length > 0) return undefined;
  return { tenant, revision: Number(revision), atLarge: extent === 'all' };
}
