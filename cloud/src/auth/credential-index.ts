import { createHash } from 'node:crypto';
import { ProblemError } from '@authz-service/core/problem';
import { address, encodeSegment } from '@authz-service/core/records/address';
import { isCredential } from '@authz-service/core/records/kinds';
import { personId } from '@authz-service/core/records/person';
import type { StoredRecord } from '@authz-service/core/records/registry';
import type { CredentialScope } from '@authz-service/core/records/scopes';
import type { Staged } from '@authz-service/core/state/change';
import type {
  ActorKind,
  CredentialKind,
  CredentialRow,
  FormerSecret,
  NewSecret,
  TenantCredentials,
} from '../store/store.js';
import { type Credential, type Grant, holds } from './credential.js';

/** A credential at the newest revision. */
export interface KnownCredential extends Credential {
  kind: CredentialKind;
  hash: string;
  /** The secret before, where a rotation has left it good for some time. */
  former?: FormerSecret;
  /** Milliseconds since the epoch. */
  expiresAt: number;
  operator: boolean;
  /** Since when it is off, after a restore (RFC 3339); undefined while it can be used. */
  offSince?: string;
  /** Who has its rights in the console: see `personId`. */
  person?: string;
}

/**
 * All credentials of all tenants in memory, at the newest committed revision: what a commit removes is refused from the
 * next request on.
 */
export class CredentialIndex {
  readonly #keys = new Map<string, KnownCredential>();
  readonly #keyHashes = new Map<string, string>();
  readonly #clients = new Map<string, KnownCredential>();
  readonly #ofTenants = new Map<string, Set<KnownCredential>>();
  /** The revision of each tenant that its credentials are known at, or at a later one. */
  readonly #revisions = new Map<string, number>();
  /** Is told of each tenant whose credentials may have changed. */
  onChange: (tenant: string) => void = () => {};

  /** `revisions` are those that the tenants had before the rows were read. */
  constructor(rows: Iterable<CredentialRow>, revisions: ReadonlyMap<string, number> = new Map()) {
    for (const row of rows) this.#put(row);
    for (const [tenant, revision] of revisions) this.#revisions.set(tenant, revision);
  }

  /** The revision of a tenant that its credentials are known at; 0 if there is none. */
  revisionOf(tenant: string): number {
    return this.#revisions.get(tenant) ?? 0;
  }

  /** The ids of the tenants whose credentials are known. */
  tenants(): Iterable<string> {
    return this.#revisions.keys();
  }

  /** The API key with this hash (see `hashApiKey`), or that had it before a rotation, expired or not. */
  apiKey(hash: string): KnownCredential | undefined {
    return this.#keys.get(hash);
  }

  client(id: string): KnownCredential | undefined {
    return this.#clients.get(id);
  }

  /** The credential of a kind with this id. */
  held(kind: ActorKind, id: string): KnownCredential | undefined {
    if (kind === 'person') return undefined;
    return kind === 'oauth_client' ? this.#clients.get(id) : this.#keys.get(this.#keyHashes.get(id) ?? '');
  }

  /** The credentials of a tenant. */
  ofTenant(tenant: string): ReadonlySet<KnownCredential> {
    return this.#ofTenants.get(tenant) ?? new Set();
  }

  /** The clients of a tenant that name a person. */
  ofPerson(tenant: string, person: string): KnownCredential[] {
    return [...this.ofTenant(tenant)].filter((known) => known.kind === 'oauth_client' && known.person === person);
  }

  /** The credential that a record declares. */
  of(record: StoredRecord): KnownCredential | undefined {
    if (record.kind === 'oauth_client') return this.#clients.get(record.id);
    const hash = record.kind === 'api_key' ? this.#keyHashes.get(record.id) : undefined;
    return hash === undefined ? undefined : this.#keys.get(hash);
  }

  /**
   * For work that begins some time after its credential was verified: throws `unauthorized` if a commit has meanwhile
   * removed the credential, its secret or one of its scopes.
   * Returns the credential as it is now.
   */
  assertStillValid(credential: Credential, now: number): KnownCredential {
    const { kind, id, generation, grants } = credential;
    const known = this.held(kind, id);
    const same = known?.generation === generation && known.expiresAt > now && known.offSince === undefined;
    if (same && [...grants].every((grant) => holds(known, grant))) return known;
    throw new ProblemError(
      'unauthorized',
      'The credential was refused: it was changed or removed while the request was under way.',
    );
  }

  /** The credentials of a tenant that are off, by address. */
  off(tenant: string) {
    return [...this.ofTenant(tenant)]
      .flatMap(({ offSince, grants, expiresAt, kind, id, name }) =>
        offSince === undefined
          ? []
          : [
              {
                address: address(kind, encodeSegment(name)),
                kind,
                id,
                name,
                scopes: [...grants],
                ...(Number.isFinite(expiresAt) && { expires_at: new Date(expiresAt).toISOString() }),
                off_since: offSince,
              },
            ],
      )
      .sort((left, right) => (left.address < right.address ? -1 : 1));
  }

  /** The operators' credentials that are on, of all tenants, but those of persons: an identity provider may be gone. */
  *operators(): Iterable<KnownCredential> {
    for (const held of [this.#clients, this.#keys])
      for (const known of held.values())
        if (known.operator && known.person === undefined && known.offSince === undefined) yield known;
  }

  /**
   * Applies a commit, which made this revision, to the credentials at the revision before. Ignores it where they are at
   * any other: what lies between is not known, so that the revision must not tell that it is.
   */
  follow(tenant: string, revision: number, staged: Staged, secrets: NewSecret[]): void {
    if (revision !== this.revisionOf(tenant) + 1) return;
    this.#revisions.set(tenant, revision);
    if (touchesCredentials(staged)) this.onChange(tenant);
    for (const record of staged.remove) this.#remove(record.kind, record.id);
    const made = new Map(secrets.map((secret) => [secret.id, secret]));
    for (const { record } of staged.put) {
      if (record.kind !== 'api_key' && record.kind !== 'oauth_client') continue;
      const known = this.of(record);
      const secret = made.get(record.id) ?? known;
      if (secret === undefined) continue;
      const { hash, operator, former } = secret;
      // A new secret cannot be one from before a restore.
      const off = secret === known && known.offSince !== undefined ? { off_since: known.offSince } : {};
      this.#put({
        tenant,
        kind: record.kind,
        id: record.id,
        fields: record.fields,
        hash,
        operator,
        ...(former && { former }),
        ...off,
      });
    }
  }

  /** The database of the tenant was set back: what is read of it next counts, whatever its revision. */
  forgetRevision(tenant: string): void {
    this.#revisions.set(tenant, 0);
  }

  /** Removes all credentials of a tenant. */
  forgetTenant(tenant: string): void {
    this.#revisions.delete(tenant);
    this.onChange(tenant);
    this.#removeAll(tenant);
  }

  #removeAll(tenant: string): void {
    for (const held of [...this.ofTenant(tenant)]) this.#remove(held.kind, held.id);
  }

  /** Takes over the credentials of a tenant at a revision; without rows, they are as they were. Ignores earlier ones. */
  advance({ tenant, revision, rows }: TenantCredentials): void {
    if (revision < this.revisionOf(tenant)) return;
    this.#revisions.set(tenant, revision);
    if (rows === undefined) return;
    this.onChange(tenant);
    this.#removeAll(tenant);
    for (const row of rows) this.#put(row);
  }

  #put(row: CredentialRow): void {
    const grants: Grant[] = [
      ...(row.fields.scopes as CredentialScope[]),
      ...(row.operator ? (['operator'] as const) : []),
    ];
    const known: KnownCredential = {
      kind: row.kind,
      id: row.id,
      name: row.fields.name,
      tenant: row.tenant,
      grants: new Set(grants),
      ...(row.fields.limits && { limits: row.fields.limits }),
      ...(row.fields.applications !== undefined && { applications: row.fields.applications }),
      ...(row.fields.directory !== undefined && { directory: row.fields.directory }),
      ...(row.fields.person && { person: personId(row.fields.person) }),
      hash: row.hash,
      ...(row.former && { former: row.former }),
      generation: generationOf(row.hash),
      expiresAt: row.fields.expires_at === undefined ? Number.POSITIVE_INFINITY : Date.parse(row.fields.expires_at),
      operator: row.operator,
      ...(row.off_since !== undefined && { offSince: row.off_since }),
    };
    this.#remove(row.kind, row.id);
    const own = this.#ofTenants.get(row.tenant) ?? new Set();
    this.#ofTenants.set(row.tenant, own.add(known));
    if (row.kind === 'oauth_client') {
      this.#clients.set(row.id, known);
    } else {
      for (const { hash } of [row, ...(row.former ? [row.former] : [])]) this.#keys.set(hash, known);
      this.#keyHashes.set(row.id, row.hash);
    }
  }

  #remove(kind: string, id: string): void {
    if (kind !== 'api_key' && kind !== 'oauth_client') return;
    const known = this.held(kind, id);
    if (known === undefined) return;
    if (kind === 'oauth_client') this.#clients.delete(id);
    else {
      for (const { hash } of [known, ...(known.former ? [known.former] : [])])
        if (this.#keys.get(hash) === known) this.#keys.delete(hash);
      this.#keyHashes.delete(id);
    }
    const own = this.#ofTenants.get(known.tenant);
    own?.delete(known);
    if (own?.size === 0) this.#ofTenants.delete(known.tenant);
  }
}

/** See `Credential.generation`. */
export function generationOf(hash: string): string {
  return createHash('sha256').update(hash).digest('base64url').slice(0, 16);
}

/** The secret before the present one, if it is still good. */
export function formerOf({ former }: KnownCredential, now: number): FormerSecret | undefined {
  return former && Date.parse(former.until) > now ? former : undefined;
}

/** Whether a commit writes or removes credentials. */
export function touchesCredentials({ put, remove }: Pick<Staged, 'put' | 'remove'>): boolean {
  return [...put.map(({ record }) => record), ...remove].some(({ kind }) => isCredential(kind));
}
