import { judgeRecord } from '@authz-service/core/limits/judge-record';
import type { Address } from '@authz-service/core/records/address';
import type { DeclaredRecord, StoredRecord } from '@authz-service/core/records/registry';
import type { Diagnostic } from '../framework/diagnostics.js';
import { pathOf } from './judge.js';
import type { Service } from './service.js';
import type { Records } from './snapshot.js';

/**
 * Returns what the service would refuse of a record that is planned, or there and to be removed, since the provider's client
 * may not write everything.
 */
export function outsideLimits(
  { writer, stack }: Pick<Service, 'writer' | 'stack'>,
  record: DeclaredRecord & Partial<Pick<StoredRecord, 'managed_by'>>,
  records: Records,
  planned: { get(address: Address): StoredRecord | undefined },
): Diagnostic[] {
  if (writer === undefined) return [];
  const view = { get: (address: Address) => planned.get(address) ?? records.get(address) };
  return judgeRecord({ managed_by: stack, ...record }, view, writer).map(({ pointer, detail }) => ({
    severity: 'error',
    summary: 'Outside the limits of the client',
    detail,
    ...(pointer !== '' && { path: pathOf(pointer) }),
  }));
}
