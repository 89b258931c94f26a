import { type FileHandle, open, readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { ProblemError } from '@authz-service/core/problem';
import type { Logger } from 'pino';
import type { CredentialIndex } from '../auth/credential-index.js';
import { lockFile } from '../store/folder-lock.js';
import type { Store } from '../store/store.js';
import { type LogEntry, type LogKey, type LogLine, NO_LINE } from './log-line.js';
import { readLog } from './read-log.js';

interface Parts {
  credentials: CredentialIndex;
  store: Pick<Store, 'setBackAt'>;
  log: Pick<Logger, 'error' | 'info'>;
  /** Milliseconds since the epoch. */
  now: () => number;
}

/** A tenant as the file has it. */
interface LoggedCredentials {
  revision: number;
  good: ReadonlySet<string>;
}

/**
 * A file beside the database that says which credentials are good, so that a restore knows it. It takes whatever this process
 * learns of credentials, its own commits and those of others; nobody is told of a commit before the file has it. The file only
 * grows, and belongs to one process.
 */
export class RevocationLog {
  readonly #logged = new Map<string, LoggedCredentials>();
  /** The tenants whose credentials may be others than the file says. */
  readonly #changed = new Set<string>();
  #last: Pick<LogLine, 'line' | 'code'> = NO_LINE;
  #endsInLine = false;
  #setBack = '';
  #writing: Promise<void> = Promise.resolve();
  #failure: string | undefined;
  #proof: string | undefined;

  private constructor(
    private readonly file: FileHandle,
    private readonly place: string,
    private readonly key: LogKey,
    private readonly parts: Parts,
    private readonly release: () => Promise<void>,
  ) {}

  /**
   * Goes on with the file, or begins it. Throws `invalid_config` if it cannot be written, another process has it, or its last
   * line was not made with this key.
   */
  static async open(place: string, key: LogKey, parts: Parts): Promise<RevocationLog> {
    const release = await lockFile(`${place}.lock`).catch((error: unknown) => {
      throw unusable(place, (error as NodeJS.ErrnoException).code ?? 'error');
    });
    if (release === undefined)
      throw unusable(place, 'another process has it open: give each process a file of its own');
    try {
      const file = await open(place, 'a', 0o600).catch((error: NodeJS.ErrnoException) => {
        throw unusable(place, error.code ?? 'error');
      });
      const log = new RevocationLog(file, place, key, parts, release);
      await log.#findEnd();
      await log.#readSetBack();
      if (log.#last.line > 0) log.proveSetBack(await log.#findLoss());
      await log.#sayAll();
      await syncFolder(place);
      parts.credentials.onChange = (tenant) => log.#note(tenant);
      return log;
    } catch (error) {
      await release();
      throw error;
    }
  }

  /** Why no change of credentials is taken. */
  get reason(): string | undefined {
    return this.#proof ?? this.#failure;
  }

  /** Whether the database is known to lack commits that this process has seen, and that nobody has spoken of. */
  get isSetBack(): boolean {
    return this.#proof !== undefined;
  }

  /**
   * From now on the file stays as it is, and no change of credentials is taken, until somebody has said which credentials are
   * good: what was revoked since may be good in this database again. `loss` is what the database lacks, if anything.
   */
  proveSetBack(loss: string | undefined): void {
    if (loss === undefined || this.#proof !== undefined) return;
    this.#proof = `The database was set back: ${loss}. Credentials that were revoked since are good in it again, and none can be changed until "servicectl cloud disable-credentials", with this log as --revocation-log, has said which are good: see "Restoring, as a drill" in docs/operating.md.`;
    this.parts.log.error({ reason: this.#proof, file: this.place }, 'the database was set back');
  }

  /** Resolves once the file has all that is known of the tenant's credentials. Throws `storage_failed`. */
  async settle(tenant: string): Promise<void> {
    // What could not be written counts as changed again.
    await this.#writing;
    if (this.#changed.has(tenant)) await this.#write();
  }

  /** For who is about to change credentials: throws `storage_failed` if the file could not be written and still cannot. */
  async assertWritable(): Promise<void> {
    await this.#writing;
    if (this.#proof !== undefined) throw new ProblemError('storage_failed', this.#proof);
    if (this.#failure !== undefined) await this.#write();
  }

  /** Lines of the file that the database lacks. */
  async #findLoss(): Promise<string | undefined> {
    const { setBack, tenants, endsAt } = await readLog(this.place, this.key);
    if (setBack > this.#setBack) return `by the revocation log, credentials were last turned off at ${setBack}`;
    if (setBack < this.#setBack) return undefined;
    for (const [id, logged] of tenants) {
      const revision = this.parts.credentials.revisionOf(id);
      if (logged !== undefined && revision > 0 && revision < logged.revision)
        return `it is at revision ${revision} of the tenant ${id}, and at ${endsAt} this process knew ${logged.revision}`;
    }
    return undefined;
  }

  /** Says that nothing else has changed, so that it is seen until when the file tells. */
  alive(): Promise<void> {
    return this.#run(() => {
      const revisions: Record<string, number> = {};
      for (const [tenant, logged] of this.#logged) {
        const revision = this.parts.credentials.revisionOf(tenant);
        if (revision > logged.revision) revisions[tenant] = revision;
      }
      return [...this.#changes(), { is: 'alive', revisions }];
    });
  }

  /** Says everything anew after the database was set back. What cannot be written now is said by the next write. */
  async restate(): Promise<void> {
    await this.#readSetBack();
    this.#proof = undefined;
    await this.#sayAll().catch(() => undefined);
  }

  async close(): Promise<void> {
    this.parts.credentials.onChange = () => {};
    await this.#run(() => [...this.#changes(), { is: 'close' }]).catch(() => undefined);
    await this.file.close();
    await this.release();
  }

  async #readSetBack(): Promise<void> {
    this.#setBack = (await this.parts.store.setBackAt()) ?? '';
  }

  #sayAll(): Promise<void> {
    return this.#run(() => [this.#opening()]);
  }

  /** Behind the last whole line there may be what a write has left that broke off. */
  async #findEnd(): Promise<void> {
    const text = await readFile(this.place, 'utf8');
    this.#endsInLine = text !== '' && !text.endsWith('\n');
    const lines = text.split('\n').slice(0, -1);
    for (let index = lines.length - 1; index >= 0; index--) {
      const read = this.key.read(lines[index] ?? '');
      if (read === undefined) continue;
      this.#last = read;
      return;
    }
    if (lines.length > 0)
      throw unusable(
        this.place,
        'no line in it was written with this key: give the key that it was written with, or move it to another place and keep it',
      );
  }

  /** Writes what others have committed, without anybody waiting for it. */
  #note(tenant: string): void {
    this.#changed.add(tenant);
    setImmediate(() => {
      if (this.#changed.has(tenant)) this.#write().catch(() => undefined);
    });
  }

  #write(): Promise<void> {
    return this.#run(() => this.#changes());
  }

  /** Writes what `entries` gives when it is its turn: for what was written meanwhile, nothing. */
  #run(entries: () => LogEntry[]): Promise<void> {
    const run = this.#writing
      .catch(() => undefined)
      .then(async () => (this.#proof === undefined ? await this.#append(entries()) : undefined));
    this.#writing = run.catch(() => undefined);
    return run;
  }

  #opening(): LogEntry {
    const { credentials } = this.parts;
    const tenants: Record<string, { revision: number; good: string[] }> = {};
    for (const tenant of credentials.tenants())
      tenants[tenant] = { revision: credentials.revisionOf(tenant), good: [...this.#goodOf(tenant)] };
    return { is: 'open', set_back: this.#setBack, tenants };
  }

  #changes(): LogEntry[] {
    const { credentials } = this.parts;
    return [...this.#changed].flatMap((tenant): LogEntry[] => {
      const revision = credentials.revisionOf(tenant);
      const before = this.#logged.get(tenant);
      if (revision === 0) return before === undefined ? [] : [{ is: 'removed', tenant }];
      const now = this.#goodOf(tenant);
      const good = [...now].filter((one) => before?.good.has(one) !== true);
      const ended = [...(before?.good ?? [])].filter((one) => !now.has(one));
      if (before !== undefined && good.length + ended.length === 0 && before.revision === revision) return [];
      return [{ is: 'change', tenant, revision, good, ended }];
    });
  }

  #goodOf(tenant: string): Set<string> {
    const on = [...this.parts.credentials.ofTenant(tenant)].filter(({ offSince }) => offSince === undefined);
    return new Set(on.map((known) => this.key.fingerprint(known)));
  }

  async #append(wanted: LogEntry[]): Promise<void> {
    // Nobody knows how much of what could not be written is there: all is said anew.
    const entries = this.#failure === undefined ? wanted : [this.#opening()];
    const changed = new Set(this.#changed);
    this.#changed.clear();
    if (entries.length === 0) return;
    let last = this.#last;
    try {
      if (this.#failure !== undefined) await this.#findEnd();
      last = this.#last;
      let text = this.#endsInLine ? '\n' : '';
      const at = new Date(this.parts.now()).toISOString();
      for (const entry of entries) {
        const line = this.key.write(entry, last, at);
        text += line.text;
        last = line;
      }
      await this.file.appendFile(text);
      await this.file.datasync();
    } catch (cause) {
      for (const tenant of changed) this.#changed.add(tenant);
      const code = (cause as NodeJS.ErrnoException).code ?? 'error';
      const detail = `The revocation log cannot be written (${code}), so that no change of credentials is acknowledged: one that was sent may be stored. Free space for it, or repair its disk, and ask again.`;
      if (this.#failure === undefined)
        this.parts.log.error({ err: cause, file: this.place }, 'the revocation log cannot be written');
      this.#failure = detail;
      throw new ProblemError('storage_failed', detail, [], { cause });
    }
    this.#endsInLine = false;
    this.#last = last;
    for (const entry of entries) this.#take(entry);
    if (this.#failure !== undefined) this.parts.log.info('the revocation log is written again');
    this.#failure = undefined;
  }

  #take(entry: LogEntry): void {
    if (entry.is === 'open') {
      this.#logged.clear();
      for (const [id, { revision, good }] of Object.entries(entry.tenants))
        this.#logged.set(id, { revision, good: new Set(good) });
    }
    if (entry.is === 'removed') this.#logged.delete(entry.tenant);
    if (entry.is === 'change') {
      const good = new Set([...(this.#logged.get(entry.tenant)?.good ?? []), ...entry.good]);
      for (const ended of entry.ended) good.delete(ended);
      this.#logged.set(entry.tenant, { revision: entry.revision, good });
    }
    if (entry.is === 'alive')
      for (const [id, revision] of Object.entries(entry.revisions)) {
        const logged = this.#logged.get(id);
        if (logged !== undefined) this.#logged.set(id, { ...logged, revision });
      }
  }
}

/** A new file is there after a loss of power only once its folder is written. */
async function syncFolder(place: string): Promise<void> {
  const folder = await open(dirname(place), 'r');
  await folder.sync().finally(() => folder.close());
}

function unusable(place: string, why: string): ProblemError {
  return new ProblemError(
    'invalid_config',
    `The revocation log "${basename(place)}" in "${dirname(place)}" cannot be used: ${why}.`,
  );
}
