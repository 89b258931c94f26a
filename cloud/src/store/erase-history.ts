import type { Dialect } from './dialect.js';
import type { Erased, Erasure } from './store.js';
import { noteTenantEvent } from './tenant-events.js';

/**
 * Takes values out of the kept versions of a subject, and notes who did. Then the files of the database are written anew, because
 * what was overwritten would stay in their free space and in the log beside them: also if nothing is left to take, for an
 * erasure before may have been cut off there.
 */
export async function eraseHistory(dialect: Dialect, { tenant, subject, properties, by }: Erasure): Promise<Erased> {
  const erased = await dialect.writing(async (trx) => {
    await dialect.lock(trx, 'operators');
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
    if (versions > 0) await dialect.noteErasure(trx);
    return { kept: rows.length, versions, absent: [...absent] };
  });
  await dialect.rewrite();
  return erased;
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
