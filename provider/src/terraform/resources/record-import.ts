import type { Kind } from '@authz-service/core/records/kinds';
import type { StoredRecord } from '@authz-service/core/records/registry';
import { nearest } from '@authz-service/core/text/nearest';
import { refuse } from '../framework/diagnostics.js';
import { hclString } from '../framework/hcl-text.js';
import { typeName } from './record-form.js';
import type { Records } from './snapshot.js';

/** Finds the record of a kind by the address, path or id that an import gives. Refuses anything else. */
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

/**
 * Terraform prints the resource beside this text but does not tell the provider its name. Terraform keeps the layout of
 * lines that begin with a space.
 */
export function importHint(kind: Kind, address: string): string {
  return `import it, with the name of the resource above:\n\n  import {\n    to = ${typeName(kind)}.NAME\n    id = ${hclString(address)}\n  }`;
}
