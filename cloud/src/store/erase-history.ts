import type { Knex } from 'knex';
import type { Erased, Erasure } from './store.js';
import { noteTenantEvent } from './tenant-events.js';

/** The application id in the header of the file, from when values are taken until no copy of them is left in it. */
const UNFINISHED = 1;

/**
 * Takes values out of the kept versions of a subject, and notes who did. Then the file is written anew, because what was
 * overwritten would stay in its free space and in the log beside it: also if nothing is left to take, for an erasure before
 * may have been cut off there.
 */
export async function eraseHistory(knex: Knex, { tenant, subject, properties, by }: Erasure): Promise<Erased> {
  const erased = await knex.transaction(async (trx) => {
    const own = { tenant_id: tenant.id, address: `subject/${subject}` };
    const rows: { until: number; fields: string }[] = await trx('record_versions').where(own).select('until', 'fields');
    const absent = new Set(properties);
    let versions = 0;
    for (const { until, fields } of rows) {
      const had: SubjectFields = JSON.parse(fields);
      for (const property of Object.keys(had.properties ?? {})) absent.delete(property);
      const left = without(had, properties);
      if (left === undefined) continue;
      versions++;
      await trx('record_versions')
        .where({ ...own, until })
        .update({ fields: JSON.stringify(left), erased: true });
    }
    const taken = properties?.filter((property) => !absent.has(property));
    if (versions > 0) await noteTenantEvent(trx, 'erase', tenant, by, { subject, properties: taken });
    if (versions > 0) await trx.raw(`pragma application_id = ${UNFINISHED}`);
    return { kept: rows.length, versions, absent: [...absent] };
  });
  await writeAnew(knex);
  return erased;
}

/** Finishes an erasure that a killed process left when the values were taken and the file was not yet written anew. */
export async function finishErasure(knex: Knex): Promise<void> {
  const [{ application_id }] = (await knex.raw('pragma application_id')) as [{ application_id: number }];
  if (application_id === UNFINISHED) await writeAnew(knex);
}

async function writeAnew(knex: Knex): Promise<void> {
  await knex.raw('vacuum');
  const [{ busy }] = (await knex.raw('pragma wal_checkpoint(truncate)')) as [{ busy: number }];
  if (busy !== 0) throw Object.assign(new Error('somebody reads the old pages'), { code: 'SQLITE_BUSY' });
  await knex.raw('pragma application_id = 0');
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
