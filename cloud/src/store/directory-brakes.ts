import type { Dialect } from './dialect.js';
import type { DirectoryStore, HeldChange, Loss } from './directory-store.js';

/** Held changes of one directory beyond this are not kept: the brake holds them all the same. */
const HELD_MAX = 5000;
/** How long a held change is kept after the directory has last asked for it. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

type Stored = Omit<HeldChange, 'changes'> & { tenant_id: string; directory: string; changes: string };

export function directoryBrakes({
  snapshot,
  reading,
  writing,
}: Pick<Dialect, 'snapshot' | 'reading' | 'writing'>): DirectoryStore {
  return {
    directoryLosses: (tenant, directory, since, decidedSince) =>
      snapshot(async (trx) => {
        const found: { at: string; losses: string }[] = await trx('revisions')
          .where({ tenant_id: tenant, stack: directory })
          .andWhere('at', '>', since)
          .whereNotNull('losses')
          .orderBy('number')
          .select('at', 'losses');
        const decided: Pick<Stored, 'id' | 'state'>[] = await trx('held_changes')
          .where({ tenant_id: tenant, directory })
          .whereNot('state', 'held')
          .andWhere('last_at', '>', decidedSince)
          .select('id', 'state');
        return {
          losses: found.map(({ at, losses }) => ({ at, loss: JSON.parse(losses) as Loss })),
          decided: new Map(decided.flatMap(({ id, state }) => (state === 'held' ? [] : [[id, state]]))),
        };
      }),

    noteHeld: (tenant, directory, held) =>
      writing(async (trx) => {
        const own = { tenant_id: tenant, directory };
        const newest =
          held
            .map(({ last_at }) => last_at)
            .sort()
            .at(-1) ?? '';
        const expired = new Date(Date.parse(newest) - KEPT_MS).toISOString();
        await trx('held_changes').where(own).andWhere('last_at', '<', expired).delete();
        const [counted] = await trx('held_changes').where(own).count<{ count: number | string }[]>({ count: '*' });
        let room = HELD_MAX - Number(counted?.count ?? 0);
        for (const { changes, ...rest } of held) {
          const known = await trx('held_changes')
            .where({ ...own, id: rest.id })
            .update({ last_at: rest.last_at, detail: rest.detail, braked: rest.braked, state: 'held' });
          if (known > 0 || room-- <= 0) continue;
          const row: Stored = {
            ...own,
            ...rest,
            changes: JSON.stringify(changes),
            state: 'held',
            first_at: rest.last_at,
          };
          await trx('held_changes').insert(row).onConflict(['tenant_id', 'directory', 'id']).ignore();
        }
      }),

    heldChanges: (tenant, directory, since) =>
      reading(async (db) => {
        const rows: Stored[] = await db('held_changes')
          .where({ tenant_id: tenant, directory })
          .andWhere((query) => query.where('state', 'held').orWhere('last_at', '>', since))
          .orderBy(['first_at', 'id']);
        return rows.map(({ tenant_id: _, directory: __, changes, ...rest }) => ({
          ...rest,
          changes: JSON.parse(changes),
        }));
      }),

    decideHeld: (tenant, directory, decision, at) =>
      writing((trx) =>
        trx('held_changes')
          .where({ tenant_id: tenant, directory, state: 'held' })
          .update({ state: decision, last_at: at }),
      ),

    forgetHeld: (tenant, directory, ids) =>
      writing(async (trx) => {
        for (const id of ids) await trx('held_changes').where({ tenant_id: tenant, directory, id }).delete();
      }),
  };
}
