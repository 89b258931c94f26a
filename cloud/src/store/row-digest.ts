import { hash } from 'node:crypto';
import { canonicalJson } from '@authz-service/core/json';
import { isDistributed } from '@authz-service/core/records/kinds';
import type { StoredRecord } from '@authz-service/core/records/registry';

/** What is stored beside a credential's record. */
export interface StoredSecret {
  hash: string;
  operator: boolean;
}

const BYTES = 32;
const WORD = 4;

/**
 * The digest of what a tenant's rows hold beside the fields in the digest of its records: credentials with the hashes of
 * their secrets, access rules, schemas, and for every record its kind, id, owner, times and revision.
 *
 * It is the exclusive or of the SHA-256 of each row, so that a commit needs only the rows that it touches. It detects
 * accidents, but not an attacker who can write the file and computes it again.
 */
export class RowDigest {
  readonly #bytes: Buffer;

  /** The digest of no rows, or the one that `hex` returned. */
  constructor(hex = '0'.repeat(2 * BYTES)) {
    this.#bytes = Buffer.from(hex, 'hex');
  }

  /** Adds a record's row, or removes an equal one. */
  toggle(record: StoredRecord, secret: StoredSecret | undefined): void {
    const { kind, address, id, managed_by, created_at, updated_at, revision } = record;
    const row = [kind, address, id, managed_by, created_at, updated_at, revision];
    this.#toggle(isDistributed(kind) ? row : [...row, canonicalJson(record.fields), secret?.hash, secret?.operator]);
  }

  /** Adds the row of the tenant itself. */
  addTenant({ id, name }: { id: string; name: string }): void {
    this.#toggle(['tenant', id, name]);
  }

  hex(): string {
    return this.#bytes.toString('hex');
  }

  #toggle(row: readonly unknown[]): void {
    const leaf = hash('sha256', JSON.stringify(row), 'buffer');
    for (let at = 0; at < BYTES; at += WORD)
      this.#bytes.writeInt32LE(this.#bytes.readInt32LE(at) ^ leaf.readInt32LE(at), at);
  }
}
