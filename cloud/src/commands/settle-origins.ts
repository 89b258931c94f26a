import { eachInSteps } from '@authz-service/core/concurrency/time-slicing';
import { jsonPointer } from '@authz-service/core/json/json-pointer';
import { judgeRecord } from '@authz-service/core/limits/judge-record';
import type { Writer } from '@authz-service/core/limits/writer';
import type { CommitSource, RecordOrigin } from '@authz-service/core/origin/record-origin';
import { ProblemError, type ProblemItem } from '@authz-service/core/problem';
import type { Address } from '@authz-service/core/records/address';
import type { Staged } from '@authz-service/core/state/change';
import type { TenantState } from '@authz-service/core/state/tenant-state';
import type { Origins } from '../store/store.js';

/** The origins that a change-set declares: of all that it writes, and the files and lines of some. */
export interface DeclaredOrigins {
  source: CommitSource;
  places: ReadonlyMap<Address, { path: string; line: number }>;
}

const STEP = 200;

/** Returns what a change-set says of its commit in Git and of who stands behind it; undefined if it says nothing. */
export function sourceOf(origins: Pick<DeclaredOrigins, 'source'> | undefined): CommitSource | undefined {
  return origins === undefined || Object.keys(origins.source).length === 0 ? undefined : origins.source;
}

/**
 * The origins to store: of the records that the change-set writes for its stack, and of those that it leaves as they are
 * and gives the places of. Throws `invalid_request` for a place of what will be no record of the stack, and
 * `outside_limits` for one of a record that the writer may not write.
 */
export function* settleOrigins(
  { source: { repository, commit, uncommitted }, places }: DeclaredOrigins,
  { stack, staged, state, writer }: { stack?: string; staged: Staged; state: TenantState; writer?: Writer },
): Generator<undefined, Origins> {
  if (stack === undefined) {
    const detail = 'is missing: where records stand is told by the stack that owns them';
    throw new ProblemError('invalid_request', `"stack" ${detail}.`, [{ pointer: '/stack', detail }]);
  }
  const origins = new Map<Address, RecordOrigin>();
  const source = { ...(repository && { repository }), ...(commit && { commit }), ...(uncommitted && { uncommitted }) };
  const hasSource = sourceOf({ source }) !== undefined;
  const written = new Map(staged.put.map((put) => [put.record.address, put]));
  yield* eachInSteps(staged.put, STEP, ({ record, follows }) => {
    if (follows || record.managed_by !== stack) return;
    const place = places.get(record.address);
    if (hasSource || place !== undefined) origins.set(record.address, { ...source, ...place });
  });
  const gone = new Set([...staged.remove, ...staged.put.flatMap(({ previous }) => previous ?? [])].map(addressOf));
  yield* eachInSteps(places, STEP, ([address, place]) => {
    if (origins.has(address)) return;
    const record = written.get(address)?.record ?? (gone.has(address) ? undefined : state.get(address));
    const item: ProblemItem = { pointer: jsonPointer('origins', 'places', place.path, address), address, detail: '' };
    if (record?.managed_by !== stack) {
      const detail = `is no record of the stack "${stack}": leave it out`;
      throw new ProblemError('invalid_request', `"${address}" ${detail}.`, [{ ...item, detail }]);
    }
    const [fault] = writer === undefined ? [] : judgeRecord(record, state, writer);
    if (fault !== undefined)
      throw new ProblemError('outside_limits', fault.detail, [{ ...item, detail: fault.detail }]);
    origins.set(address, { ...source, ...place });
  });
  return origins;
}

function addressOf({ address }: { address: Address }): Address {
  return address;
}
