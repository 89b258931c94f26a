import type { Dialect } from './dialect.js';

/** A one-time link into the console. */
export interface LinkRow {
  /** The hash of the link's token. */
  hash: string;
  tenant: string;
  /** For whom it was made, as JSON text. */
  holder: string;
  expires_at: string;
}

/** A session of the console. */
export interface SessionRow extends LinkRow {
  /** Names the session without giving it to anybody. */
  id: string;
  created_at: string;
  seen_at: string;
}

/** The sessions of the console, and the links that begin them. */
export interface SessionStore {
  addSession(row: SessionRow): Promise<void>;
  /** By the hash of the session's cookie. */
  findSession(hash: string): Promise<SessionRow | undefined>;
  /** The sessions of a tenant, the latest first. */
  sessions(tenant: string): Promise<SessionRow[]>;
  /** Notes that the session was used. */
  touchSession(hash: string, seenAt: string): Promise<void>;
  /** Returns false if there is no such session. */
  endSession(tenant: string, id: string): Promise<boolean>;
  /** Removes the sessions and links that are over at `now`, and the sessions that were last used before `idle`. */
  purgeSessions(before: { now: string; idle: string }): Promise<void>;
  /** Removes all sessions and links of all tenants. */
  endAllSessions(): Promise<void>;
  /** Returns false, and adds none, where so many of the tenant are waiting that have not expired `now`. */
  addLink(row: LinkRow, bound: { now: string; max: number }): Promise<boolean>;
  /** Takes the link with this hash out of the store, so that it is found once. */
  takeLink(hash: string): Promise<LinkRow | undefined>;
}

type Stored<Row extends { tenant: string }> = Omit<Row, 'tenant'> & { tenant_id: string };

/** The part of the store that holds who is signed in to the console. */
export function consoleSessions({ reading, writing }: Pick<Dialect, 'reading' | 'writing'>): SessionStore {
  return {
    addSession: (row) =>
      writing(async (trx) => {
        await trx('console_sessions').insert(stored(row));
      }),

    findSession: (hash) =>
      reading(async (db) => {
        const row = await db('console_sessions').where({ hash }).first<Stored<SessionRow> | undefined>();
        return row && read(row);
      }),

    sessions: (tenant) =>
      reading(async (db) => {
        const rows = await db<Stored<SessionRow>>('console_sessions')
          .where({ tenant_id: tenant })
          .orderBy([{ column: 'created_at', order: 'desc' }, 'id']);
        return rows.map((row) => read(row as Stored<SessionRow>));
      }),

    touchSession: (hash, seenAt) =>
      writing(async (trx) => {
        await trx('console_sessions').where({ hash }).update({ seen_at: seenAt });
      }),

    endSession: (tenant, id) =>
      writing(async (trx) => (await trx('console_sessions').where({ tenant_id: tenant, id }).delete()) > 0),

    purgeSessions: ({ now, idle }) =>
      writing(async (trx) => {
        await trx('console_sessions').where('expires_at', '<=', now).orWhere('seen_at', '<=', idle).delete();
        await trx('console_links').where('expires_at', '<=', now).delete();
      }),

    endAllSessions: () =>
      writing(async (trx) => {
        await trx('console_sessions').delete();
        await trx('console_links').delete();
      }),

    addLink: (row, { now, max }) =>
      writing(async (trx) => {
        const waiting = trx('console_links').where({ tenant_id: row.tenant }).where('expires_at', '>', now);
        const [counted] = await waiting.count({ links: '*' });
        if (Number(counted?.links) >= max) return false;
        await trx('console_links').insert(stored(row));
        return true;
      }),

    takeLink: (hash) =>
      writing(async (trx) => {
        const row = await trx('console_links').where({ hash }).first<Stored<LinkRow> | undefined>();
        // Of two that take it at once, one finds it gone.
        const taken = await trx('console_links').where({ hash }).delete();
        return row && taken === 1 ? read(row) : undefined;
      }),
  };
}

function stored<Row extends LinkRow>({ tenant, ...rest }: Row) {
  return { tenant_id: tenant, ...rest };
}

function read<Row extends LinkRow>({ tenant_id: tenant, ...rest }: Stored<Row>): Row {
  return { tenant, ...rest } as unknown as Row;
}
