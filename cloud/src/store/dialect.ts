import type { Knex } from 'knex';
import type { Statement } from './statement.js';
import type { CommitNotice } from './store.js';

/** A lock for something that one process at a time may do in the whole database. */
export type GlobalLock = 'start' | 'migrations' | 'operators';

/** SQL of what makes JSON text of columns. */
export interface JsonDialect {
  /** A text as a JSON string. */
  quoted(column: string): string;
  /** The texts of all rows, with commas between. */
  joined(text: string): string;
}

/** How one database does what is not the same in all of them. */
export interface Dialect {
  /** See `Store.shared`. */
  shared: boolean;
  /** Runs reading statements. */
  reading<T>(work: (knex: Knex) => Promise<T>): Promise<T>;
  /** Runs reading statements that see one state. */
  snapshot<T>(work: (trx: Knex) => Promise<T>): Promise<T>;
  /** Runs one transaction. */
  writing<T>(work: (trx: Knex) => Promise<T>): Promise<T>;
  /** Waits until nobody else holds this lock, and holds it until the transaction ends. */
  lock(trx: Knex, name: GlobalLock): Promise<void>;
  /** Waits until nobody else commits to the tenant, and keeps others from it until the transaction ends. */
  lockTenant(trx: Knex, tenant: string): Promise<void>;
  /** How it writes values as JSON text. */
  json: JsonDialect;
  /** Returns so many new keys of records. A process that is alone calls it in the transaction that uses them. */
  newPks(knex: Knex, count: number): Promise<number[]>;
  /**
   * Sends statements that need none of each other's results, which take effect one after the other. Throws what the first
   * one that fails does; later ones may have taken effect nevertheless, so that the transaction has to be given up.
   */
  sendAll(trx: Knex, statements: Iterable<Statement>): Promise<void>;
  /** Tells other processes of what is stored. It is a hint, which may be lost. */
  notify(notices: readonly CommitNotice[]): void;
  /** Notes that values are being taken out of history; see `rewrite`. */
  noteErasure(trx: Knex): Promise<void>;
  /** Leaves no copy of values that were taken out in the files of the database. */
  rewrite(): Promise<void>;
}
