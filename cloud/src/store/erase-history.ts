import type { Knex } from 'knex';
import type { Erasure } from './store.js';
import { noteTenantEvent } from './tenant-events.js';

/**
 * Takes values out of the kept versions of a subject, and notes who did. Then the file is written anew, because what was
 * overwritten would stay in its free space and in the log beside it. Returns the number of versions of the subject.
 */
export async function eraseHistory(knex: Knex, { tenant, subject, properties, by }: Erasure): Promise<number> {
  const versions = await knex.transaction(async (trx) => {
    const own = { tenant_id: tenant.id, address: `subject/${subject}` };
    const rows: { until: number; fields: string }[] = await trx('record_versions').where(own).select('until', 'fields');
    for (const { until, fields } of rows) {
      const left = without(JSON.parse(fields), properties);
      if (left === undefined) continue;
      await trx('record_versions')
        .where({ ...own, until })
        .update({ fields: JSON.stringify(left), erased: true });
    }
    if (rows.length > 0) await noteTenantEvent(trx, 'erase', tenant, by, { subject, properties });
    return rows.length;
  });
  await knex.raw('vacuum');
  const [{ busy }] = (await knex.raw('pragma wal_checkpoint(truncate)')) as [{ busy: number }];
  if (busy !== 0) throw Object.assign(new Error('somebody reads the old pages'), { code: 'SQLITE_BUSY' });
  return versions;
}

type SubjectFields = { name?: string; properties?: Record<string, unknown> };

/** Undefined if nothing has to go. */
function without(fields: SubjectFields, names: readonly string[] | undefined): SubjectFields | undefined {
  const { name, properties = {}, ...rest } = fields;
  if (names === undefined) return name === undefined && fields.properties === undefined ? undefined : rest;
  const left = Object.entries(properties).filter(([property]) => !names.includes(property));
  if (left.length === Object.keys(properties).length) return undefined;
  return {
    ...rest,
    ...(name !== undefined && { name }),
    ...(left.length > 0 && { properties: Object.fromEntries(left) }),
  };
}
