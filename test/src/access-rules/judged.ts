import { finished } from '@authz-service/core/concurrency/time-slicing';
import { readManifest } from '@authz-service/core/manifest/read';
import { judgeChange } from '@authz-service/core/questions/access-rules/judge-rules';
import type { RecordPair } from '@authz-service/core/questions/access-rules/touched';
import { violationText } from '@authz-service/core/questions/access-rules/violation';
import type { StoredRecord } from '@authz-service/core/records/registry';
import { TenantState } from '@authz-service/core/state/tenant-state';

/** When changes are judged. */
export const NOW = Date.parse('2026-06-01T00:00:00Z');

/** The tenant of a tree, but for its `version`. */
export function stateOf(text: string): TenantState {
  const { manifest, faults } = readManifest([{ path: 'a.yaml', text: `version: 1\n${text}` }]);
  if (manifest === undefined) throw new Error(faults.map(({ detail }) => detail).join('\n'));
  const shared = { managed_by: 'default', created_at: '', updated_at: '', revision: 1 };
  return new TenantState(manifest.records.map((one) => ({ ...one, ...shared, id: one.address }) as StoredRecord));
}

/** Equal records are the same objects, as they are in a tenant that changes. */
function changeOf(before: TenantState, after: TenantState): { view: TenantState; pairs: RecordPair[] } {
  const kept = [...after.records()].map((record) => {
    const old = before.get(record.address);
    return old !== undefined && JSON.stringify(old.fields) === JSON.stringify(record.fields) ? old : record;
  });
  const view = new TenantState(kept);
  const addresses = new Set([...before.records(), ...kept].map(({ address }) => address));
  return {
    view,
    pairs: [...addresses].map((address) => ({ address, before: before.get(address), after: view.get(address) })),
  };
}

/** Returns what the rules of both trees say against the change from the one to the other. */
export function judged(before: string, after: string): string[] {
  const base = stateOf(before);
  const { view, pairs } = changeOf(base, stateOf(after));
  return finished(judgeChange(base, view, pairs, NOW)).map(violationText);
}
