import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { ProblemError } from '@authz-service/core/problem';
import { type Credential, grantsOf, holds } from '../auth/credential.js';
import type { CredentialIndex } from '../auth/credential-index.js';
import type { SessionRow } from '../store/console-sessions.js';
import type { Store } from '../store/store.js';
import type { Tenants } from '../tenants/tenants.js';
import type { Holder } from './holder.js';
import { personRights, type RightsSource } from './person-rights.js';

const MINUTE_MS = 60 * 1000;
const IDLE_MS = 30 * MINUTE_MS;
const ABSOLUTE_MS = 12 * 60 * MINUTE_MS;
/** A session that is in use is noted at most this often. */
const TOUCH_MS = MINUTE_MS;
const LINK_MS = MINUTE_MS;
/** The most links of a tenant that nobody has used yet, and sessions of one person or credential. */
const LINKS_MAX = 100;
const SESSIONS_MAX = 20;

/** A session that is in force. */
export interface Session {
  row: SessionRow;
  holder: Holder;
  /** The present rights of its holder. */
  credential: Credential;
}

/** Who is signed in to the console. Every question is answered from the store, so that an ended session has ended. */
export class Sessions {
  constructor(
    private readonly store: Store,
    readonly credentials: CredentialIndex,
    readonly tenants: Tenants,
    readonly oidc?: RightsSource['oidc'],
  ) {}

  /** The token of a new link for the holder of this credential, and when it expires. Throws `too_many_requests`. */
  async link(credential: Credential, now: number): Promise<{ token: string; expiresAt: string }> {
    const { kind, id, name, generation, tenant, expiresAt: until = Number.POSITIVE_INFINITY } = credential;
    if (kind === 'person') throw new Error('a person makes no links');
    const grants = grantsOf(credential);
    const holder: Holder = { kind, id, name, generation, grants, ...(Number.isFinite(until) && { until }) };
    const token = newToken();
    const expiresAt = instant(now + LINK_MS);
    const row = { hash: hashOf(token), tenant, holder: JSON.stringify(holder), expires_at: expiresAt };
    if (!(await this.store.addLink(row, { now: instant(now), max: LINKS_MAX }))) {
      throw new ProblemError(
        'too_many_requests',
        `${LINKS_MAX} sign-in links of this tenant have not been used yet: use one, or wait until they expire, within 60 seconds.`,
      );
    }
    return { token, expiresAt };
  }

  /** Signs in with the token of a link, which is used up. Throws `unauthorized`. */
  async redeem(token: string, now: number): Promise<{ token: string; session: Session }> {
    const link = await this.store.takeLink(hashOf(token));
    if (link === undefined || Date.parse(link.expires_at) <= now) throw spent();
    return await this.open(link.tenant, JSON.parse(link.holder), now);
  }

  /** Begins a session; of too many of one holder, those that were idle longest end. Its token is for the cookie alone. */
  async open(tenant: string, holder: Holder, now: number): Promise<{ token: string; session: Session }> {
    const token = newToken();
    const until = holder.kind === 'person' ? undefined : holder.until;
    if (until !== undefined && until <= now) throw spent();
    const row: SessionRow = {
      hash: hashOf(token),
      tenant,
      id: randomUUID(),
      holder: JSON.stringify(holder),
      created_at: instant(now),
      seen_at: instant(now),
      expires_at: instant(Math.min(now + ABSOLUTE_MS, until ?? Number.POSITIVE_INFINITY)),
    };
    const credential = await this.#credentialOf(row, holder, now);
    if (credential === undefined) throw spent();
    await this.#endIdlest(tenant, holder, now);
    await this.store.addSession(row);
    return { token, session: { row, holder, credential } };
  }

  /** The session of a cookie's token; using it keeps it from being idle. Throws `unauthorized`. */
  async authenticate(token: string | undefined, now: number): Promise<Session> {
    const session = token === undefined ? undefined : await this.#find(hashOf(token), now);
    if (session === undefined) throw signedOut();
    if (now - Date.parse(session.row.seen_at) >= TOUCH_MS) {
      session.row.seen_at = instant(now);
      // Where the disk is full, people can still look until the session is idle.
      await this.store.touchSession(session.row.hash, session.row.seen_at).catch(() => undefined);
    }
    return session;
  }

  /**
   * For work that begins some time after its session was found: throws `unauthorized` if the session has ended meanwhile
   * or its holder may do less. Returns the holder as they are now.
   */
  async assertStillValid(credential: Credential, hash: string, now: number): Promise<Credential> {
    const present = (await this.#find(hash, now))?.credential;
    if (present !== undefined && [...credential.grants].every((grant) => holds(present, grant))) return present;
    throw signedOut();
  }

  /** The sessions of a tenant that are in force, the latest first. */
  async list(tenant: string, now: number): Promise<Session[]> {
    const rows = await this.store.sessions(tenant);
    const sessions = await Promise.all(rows.map((row) => this.#inForce(row, now)));
    return sessions.filter((session) => session !== undefined);
  }

  /** Returns false if there is no such session. */
  end(tenant: string, id: string): Promise<boolean> {
    return this.store.endSession(tenant, id);
  }

  /** Ends the session of a cookie's token, if there is one. */
  async endOf(token: string | undefined): Promise<void> {
    const row = token === undefined ? undefined : await this.store.findSession(hashOf(token));
    if (row) await this.store.endSession(row.tenant, row.id);
  }

  /** Forgets what is over. */
  async purge(now: number): Promise<void> {
    await this.store.purgeSessions({ now: instant(now), idle: instant(now - IDLE_MS) });
  }

  /** Makes room for one more session of the holder. */
  async #endIdlest(tenant: string, { kind, id }: Holder, now: number): Promise<void> {
    const own = (await this.list(tenant, now)).filter(({ holder }) => holder.kind === kind && holder.id === id);
    own.sort((one, other) => (one.row.seen_at < other.row.seen_at ? 1 : -1));
    for (const { row } of own.slice(SESSIONS_MAX - 1)) await this.store.endSession(tenant, row.id);
  }

  async #find(hash: string, now: number): Promise<Session | undefined> {
    const row = await this.store.findSession(hash);
    return row && this.#inForce(row, now);
  }

  async #inForce(row: SessionRow, now: number): Promise<Session | undefined> {
    if (Date.parse(row.expires_at) <= now || Date.parse(idleAt(row)) <= now) return undefined;
    const holder: Holder = JSON.parse(row.holder);
    const credential = await this.#credentialOf(row, holder, now);
    return credential && { row, holder, credential };
  }

  /** Returns the present rights of the holder: undefined if none are left. */
  async #credentialOf({ tenant, hash }: SessionRow, holder: Holder, now: number): Promise<Credential | undefined> {
    if (holder.kind === 'person') {
      const rights = await personRights(this, { tenant, holder, now });
      return rights && { ...rights, session: hash };
    }
    const known = this.credentials.held(holder.kind, holder.id);
    if (known?.tenant !== tenant || known.person !== undefined) return undefined;
    if (known.generation !== holder.generation || known.expiresAt <= now || known.offSince !== undefined)
      return undefined;
    const { kind, id, name, generation, limits } = known;
    const grants = new Set(holder.grants.filter((grant) => holds(known, grant)));
    return { kind, id, name, tenant, grants, generation, ...(limits && { limits }), session: hash };
  }
}

/** When the session ends unless it is used before. */
export function idleAt({ seen_at, expires_at }: SessionRow): string {
  const idle = instant(Date.parse(seen_at) + IDLE_MS);
  return idle < expires_at ? idle : expires_at;
}

function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** A token has 256 random bits, so a fast hash cannot be reversed by guessing. */
function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}

function signedOut(): ProblemError {
  return new ProblemError('unauthorized', 'Nobody is signed in here, or the session has ended: sign in again.');
}

function spent(): ProblemError {
  return new ProblemError(
    'unauthorized',
    'The link was used already, is older than 60 seconds, or its credential has changed: run "servicectl console" again.',
  );
}
