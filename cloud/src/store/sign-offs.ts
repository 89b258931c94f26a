import type { Dialect } from './dialect.js';
import type { SignOffRow, SignOffStore } from './sign-off-store.js';

type Stored = Omit<SignOffRow, 'tenant' | 'person' | 'scope' | 'actions' | 'to_change'> & {
  tenant_id: string;
  /** The scope, in a column of its former name. */
  part: string;
  person: string;
  actions: string | null;
  to_change: string;
};

export function signOffs({ reading, writing }: Pick<Dialect, 'reading' | 'writing'>): SignOffStore {
  return {
    addSignOff: (row) =>
      writing(async (trx) => {
        await trx('sign_offs').insert(stored(row));
      }),

    findSignOff: (tenant, id) =>
      reading(async (db) => {
        const row = await db('sign_offs').where({ tenant_id: tenant, id }).first<Stored | undefined>();
        return row && read(row);
      }),

    lastSignOffs: (tenant, kind) =>
      reading(async (db) => {
        const rows = await db('sign_offs')
          .where({ tenant_id: tenant })
          .whereNull('actions')
          .where('part', 'like', `${kind}/%`)
          .groupBy('part')
          .select<{ part: string; at: string }[]>('part', db.raw('max(at) as at'));
        return new Map(rows.map(({ part, at }) => [part, at]));
      }),

    signOffs: (tenant, { scope, after, limit }) =>
      reading(async (db) => {
        const query = db<Stored>('sign_offs')
          .where({ tenant_id: tenant })
          .orderBy([
            { column: 'at', order: 'desc' },
            { column: 'id', order: 'desc' },
          ])
          .limit(limit);
        if (scope !== undefined) query.where({ part: scope });
        if (after !== undefined)
          query.where((older) =>
            older.where('at', '<', after.at).orWhere((same) => same.where('at', after.at).where('id', '<', after.id)),
          );
        return (await query).map((row) => read(row as Stored));
      }),
  };
}

function stored({ tenant, person, scope, actions, to_change, ...rest }: SignOffRow): Stored {
  return {
    ...rest,
    tenant_id: tenant,
    person: JSON.stringify(person),
    part: scope,
    actions: actions === undefined ? null : JSON.stringify(actions),
    to_change: JSON.stringify(to_change),
  };
}

function read({ tenant_id: tenant, person, part: scope, actions, to_change, ...rest }: Stored): SignOffRow {
  return {
    ...rest,
    tenant,
    person: JSON.parse(person),
    scope,
    ...(actions !== null && { actions: JSON.parse(actions) }),
    to_change: JSON.parse(to_change),
  };
}
