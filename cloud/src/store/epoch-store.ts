import type { Dialect } from './dialect.js';

/** The state of the database since it was last set back. */
export interface EpochRow {
  number: number;
  id: string;
  /** The signed statement. */
  statement: string;
  created_at: string;
}

/** The epochs that the cloud has declared. */
export interface EpochStore {
  /** Oldest first. */
  epochs(): Promise<EpochRow[]>;
  /** Throws if the number is taken. */
  addEpoch(row: EpochRow): Promise<void>;
}

export function epochStore({ reading, writing }: Pick<Dialect, 'reading' | 'writing'>): EpochStore {
  return {
    epochs: async () => {
      const rows = await reading(async (db) => await db<EpochRow>('epochs').orderBy('number'));
      return rows.map((row) => ({ ...row, number: Number(row.number) }));
    },

    addEpoch: (row) =>
      writing(async (trx) => {
        await trx('epochs').insert(row);
      }),
  };
}
