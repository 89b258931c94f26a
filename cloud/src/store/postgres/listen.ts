import pg from 'pg';
import type { CommitNotice } from '../store.js';
import { CHANNEL, readNotice } from './commit-notifier.js';
import { clientConfig, giveUpAfter } from './connect.js';
import type { PostgresAddress } from './postgres-address.js';

const HEARTBEAT_MS = 5000;
/** A connection that has not answered two heartbeats is given up. */
const SILENCE_MS = 11_000;
const RETRY_MIN_MS = 500;
const RETRY_MAX_MS = 15_000;

/**
 * Calls back whenever PostgreSQL tells of a commit, and after each new connection, since commits may have been missed. It is
 * only a hint: whoever listens must look for commits by itself, too. `onError` gets the error when PostgreSQL cannot be listened
 * to, once until it can again, and then undefined. Call what it returns to end that.
 */
export function listenForCommits(
  address: PostgresAddress,
  onCommit: (notice?: CommitNotice) => void,
  onError: (error: unknown) => void,
): () => Promise<void> {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let ended = false;
  let deaf = false;
  let waitMs = RETRY_MIN_MS;

  const again = () => {
    if (ended) return;
    clearTimeout(timer);
    // Jitter, so that all processes do not come back to a restarted server at the same moment.
    timer = setTimeout(connect, waitMs * (0.5 + Math.random() / 2));
    timer.unref();
    waitMs = Math.min(waitMs * 2, RETRY_MAX_MS);
  };
  const connect = () => {
    const fresh = new pg.Client(clientConfig(address));
    client = fresh;
    let gone = false;
    const lose = (error?: unknown) => {
      if (gone) return;
      gone = true;
      if (!deaf && !ended) onError(error ?? new Error('Connection ended'));
      deaf = true;
      fresh.end().catch(() => undefined);
      again();
    };
    fresh.on('error', lose);
    fresh.on('end', () => lose());
    fresh.on('notification', ({ payload }) => onCommit(readNotice(payload)));
    const beat = () => {
      if (gone || ended) return;
      fresh.query('select 1').then(() => {
        if (gone || ended) return;
        timer = setTimeout(beat, HEARTBEAT_MS);
        timer.unref();
      }, lose);
    };
    const listen = async () => {
      await fresh.connect();
      giveUpAfter(fresh, SILENCE_MS);
      await fresh.query(`listen ${CHANNEL}`);
      waitMs = RETRY_MIN_MS;
      if (deaf) onError(undefined);
      deaf = false;
      onCommit();
      beat();
    };
    listen().catch(lose);
  };
  connect();
  return async () => {
    ended = true;
    clearTimeout(timer);
    await client?.end().catch(() => undefined);
  };
}
