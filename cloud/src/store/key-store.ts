import type { Knex } from 'knex';
import type { Dialect } from './dialect.js';

/** A key that signs access tokens. */
export interface SigningKeyRow {
  /** Rises with each rotation. */
  version: number;
  kid: string;
  /** The private key as JWK JSON text. */
  jwk: string;
  created_at: string;
}

/** One version of the set of keys that sign bundles. */
export interface BundleKeyRow {
  version: number;
  kid: string;
  /** The private key as JWK JSON text. */
  jwk: string;
  /** The set, signed by the key of the previous version. */
  announcement: string;
  created_at: string;
}

/** The keys that this service signs with. */
export interface KeyStore {
  /** The keys that sign access tokens, oldest first. */
  signingKeys(): Promise<SigningKeyRow[]>;
  /** Adds a key, and removes those of lower versions than `oldest`. */
  addSigningKey(row: SigningKeyRow, oldest: number): Promise<void>;
  /** The keys that sign bundles, oldest first. */
  bundleKeys(): Promise<BundleKeyRow[]>;
  /** Throws if the version is taken. */
  addBundleKey(row: BundleKeyRow): Promise<void>;
}

export function keyStore({ reading, writing }: Pick<Dialect, 'reading' | 'writing'>): KeyStore {
  return {
    signingKeys: async () => {
      const rows = await reading(async (db) => await db<SigningKeyRow>('signing_keys').orderBy('version'));
      return rows.map((row) => ({ ...row, version: Number(row.version) }));
    },

    addSigningKey: (row, oldest) =>
      writing(async (trx: Knex) => {
        await trx('signing_keys').where('version', '<', oldest).delete();
        await trx('signing_keys').insert(row);
      }),

    bundleKeys: () => reading(async (db) => await db<BundleKeyRow>('bundle_keys').orderBy('version')),

    addBundleKey: (row) =>
      writing(async (trx) => {
        await trx('bundle_keys').insert(row);
      }),
  };
}
