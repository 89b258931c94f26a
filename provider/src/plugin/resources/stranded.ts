import type { DeclaredRecord, StoredRecord } from '@authz-service/core/records/registry';
import type { RecordView } from '@authz-service/core/state/change';
import { validateRecords } from '@authz-service/core/state/validate';
import type { Diagnostic } from '../framework/diagnostics.js';
import type { Records } from './snapshot.js';

type ResourceType = DeclaredRecord<'resource_type'>;

/**
 * What a changed type would make invalid of the records there are. Terraform changes what mentions a record after it,
 * so that the service will refuse the change; only what is removed is gone before. Of other stacks' records nothing
 * changes in this run.
 */
export function strandedBy(type: ResourceType, records: Records, isOwn: (owner: string) => boolean): Diagnostic[] {
  const touched = [...records.all()].filter((record) => mentions(record, type));
  const view: RecordView = {
    get: (address) => (address === type.address ? type : records.get(address)),
    inbound: () => [],
  };
  const addresses = touched.map(({ address }) => address);
  const found = validateRecords(view, addresses, { external: () => true });
  return found
    .filter(({ severity }) => severity === 'error')
    .map(({ address, detail }) => {
      const owner = records.get(address)?.managed_by ?? '';
      const invalid = `"${address}" would become invalid. ${detail}`;
      return isOwn(owner)
        ? {
            severity: 'warning',
            summary: 'Two applies needed',
            detail: `${invalid} This is refused unless the same apply removes it: Terraform changes what mentions a record after it. Do it in two applies: first add here what is new and change what mentions it, then remove what is old.`,
          }
        : {
            severity: 'error',
            summary: 'Record of another stack in the way',
            detail: `${invalid} It belongs to the stack "${owner}": change it there first.`,
          };
    });
}

function mentions({ kind, fields }: StoredRecord, { address }: ResourceType): boolean {
  const path = address.slice('resource_type/'.length);
  if (kind === 'resource') return fields.type === path;
  if (kind !== 'policy') return false;
  return (
    fields.resource_type === path || (fields.resources ?? []).some(({ resource }) => resource.startsWith(`${path}/`))
  );
}
