import { nearest } from '@authz-service/core/nearest';
import type { Kind } from '@authz-service/core/records/kinds';
import type { StoredRecord } from '@authz-service/core/records/registry';
import { refuse } from '../framework/diagnostics.js';
import { hclString } from '../framework/hcl-text.js';
import { typeName } from './record-form.js';
import type { Records } from './snapshot.js';

/** The record of a kind that an import means by its address, its path or its id. Refuses what is none. */
export function recordToImport(kind: Kind, id: string, records: Records): StoredRecord {
  const own = (record: StoredRecord | undefined) => (record?.kind === kind ? record : undefined);
  const record = own(records.get(id)) ?? records.find(kind, id) ?? own(records.get(`${kind}/${id}`));
  if (record !== undefined) return record;
  const other = records.get(id);
  if (other !== undefined)
    throw refuse('Wrong type', `${id} is imported as ${typeName(other.kind)}, not as ${typeName(kind)}.`);
  const known = [...records.all()].filter((one) => one.kind === kind).map(({ address }) => address);
  const address = id.startsWith(`${kind}/`) ? id : `${kind}/${id}`;
  const meant = nearest(address, known);
  const remedy = meant === undefined ? `give the address, like "${kind}/…", or the id.` : `did you mean "${meant}"?`;
  throw refuse('No such record', `There is no "${address}": ${remedy}`);
}

/** Terraform names the resource beside it, and does not tell the provider. Lines that begin with a space stay as they are. */
export function importHint(kind: Kind, address: string): string {
  return `import it, with the name of the resource above:\n\n  import {\n    to = ${typeName(kind)}.NAME\n    id = ${hclString(address)}\n  }`;
}
