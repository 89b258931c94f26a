import type { OutageLog } from '../outages/outage-log.js';
import type { CredentialUse, CredentialUseStore } from '../store/credential-uses.js';
import type { Credential } from './credential.js';
import type { CredentialIndex } from './credential-index.js';

/** The time for which another use of a credential is not noted again. */
const NOTED_EVERY_MS = 60_000;
/** Uses are written together after so long. */
const GATHER_MS = 2000;
/** In one transaction, since commits wait for it where there is one connection. */
const ROWS_MAX = 500;

/**
 * Notes when credentials are used, and writes it to the database beside the requests, which wait for none of it. Each
 * process notes what it sees; a use within a minute of the last one is not noted.
 */
export class CredentialUses {
  /** When uses were last noted here, longest ago first. */
  readonly #noted = new Map<string, number>();
  readonly #unwritten = new Map<string, CredentialUse>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(
    private readonly store: CredentialUseStore,
    private readonly credentials: Pick<CredentialIndex, 'ofPerson'>,
    private readonly outages: OutageLog,
    private readonly now: () => number,
  ) {}

  /** Notes that a request came by this credential; the OAuth client that names a person is used by what they do. */
  note({ kind, tenant, id }: Pick<Credential, 'kind' | 'tenant' | 'id'>): void {
    const usedAt = this.now();
    // One person may act in several tenants.
    const key = kind === 'person' ? `${tenant} ${id}` : id;
    // Not a number where it has not been noted: then nothing is less.
    if (this.#closed || Math.abs(usedAt - (this.#noted.get(key) ?? Number.NaN)) < NOTED_EVERY_MS) return;
    this.#noted.delete(key);
    this.#noted.set(key, usedAt);
    const clients = kind === 'person' ? this.credentials.ofPerson(tenant, id) : [{ id }];
    for (const client of clients) this.#unwritten.set(client.id, { tenant, id: client.id, usedAt });
    if (clients.length > 0) this.#schedule(GATHER_MS);
  }

  /** Notes that a key of the directory with this record was used. */
  noteDirectory(tenant: string, id: string): void {
    this.note({ kind: 'api_key', tenant, id });
  }

  /**
   * When these credentials of a tenant were last used, as far as it is written or noted here, by id. What cannot be read is
   * left out: whoever asks wants the records, or has changed them already.
   */
  async lastUsed(tenant: string, ids: readonly string[]): Promise<Map<string, number>> {
    const known = await this.store.credentialUses(tenant, ids).catch((err: unknown) => {
      this.outages.failed('when credentials were last used could not be read; it is left out', { err });
      return new Map<string, number>();
    });
    for (const id of ids) {
      const own = this.#unwritten.get(id);
      if (own?.tenant === tenant) known.set(id, Math.max(own.usedAt, known.get(id) ?? 0));
    }
    return known;
  }

  /** Writes what is noted, as far as that can be done, and notes nothing more. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#writing;
    while (this.#unwritten.size > 0 && (await this.#write()));
  }

  #schedule(ms: number): void {
    if (this.#timer !== undefined || this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#writing = this.#write();
    }, ms);
    this.#timer.unref();
  }

  /** Returns whether that could be done. */
  async #write(): Promise<boolean> {
    this.#forgetSome();
    const uses = [...this.#unwritten.values()].slice(0, ROWS_MAX);
    if (uses.length === 0) return true;
    try {
      await this.store.noteCredentialUses(uses, this.now());
      for (const use of uses) if (this.#unwritten.get(use.id) === use) this.#unwritten.delete(use.id);
      if (this.#unwritten.size > 0) this.#schedule(this.#unwritten.size >= ROWS_MAX ? 0 : GATHER_MS);
      return true;
    } catch (err) {
      this.outages.failed('when credentials were last used could not be written; it is tried again', { err });
      this.#schedule(NOTED_EVERY_MS);
      return false;
    }
  }

  /** Forgets what is older than a minute, which is noted anew in any case. */
  #forgetSome(): void {
    const now = this.now();
    for (const [id, at] of this.#noted) {
      if (Math.abs(now - at) < NOTED_EVERY_MS) break;
      this.#noted.delete(id);
    }
  }
}
