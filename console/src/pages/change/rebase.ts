import { ServiceError } from '@authz-service/sdk/service-error';
import type { Address, Change } from '@authz-service/sdk/wire';
import type { FoundRecord } from '../../api/answers.js';
import { clientAt } from '../../api/client.js';
import { addressOf, type Draft } from '../../api/drafted-changes.js';
import { declaredFields } from '../../ui/declared-fields.js';
import { kindOf, pathOf } from '../../ui/record-link.js';
import { type Fields, isSame, mergeFields } from './merge-fields.js';

/** A change that the draft and others have both made; without `field`, one of them has removed the record. */
export interface Conflict {
  address: Address;
  field?: string;
  mine: unknown;
  theirs: unknown;
}

/** A change for the newest revision, with the draft's side of each conflict. */
export interface RebasedChange {
  change: Change;
  conflicts: Conflict[];
}

/** Turns `changes` of the revision `base` into changes of the newest: what others changed meanwhile is kept beside them. */
export async function rebase({ base, changes }: Draft): Promise<RebasedChange[]> {
  const rebased = await Promise.all(changes.map((change) => rebaseChange(change, base)));
  return rebased.filter((one) => one !== undefined);
}

/** Undefined if nothing is left to change. */
async function rebaseChange(change: Change, base: string): Promise<RebasedChange | undefined> {
  const address = addressOf(change);
  if (address === undefined || (change.op !== 'update' && change.op !== 'delete')) return { change, conflicts: [] };
  const [before, now] = await Promise.all([fieldsAt(address, base), fieldsAt(address, '')]);
  if (change.op === 'delete') {
    if (now === undefined) return undefined;
    return { change, conflicts: isSame(before, now) ? [] : [{ address, mine: undefined, theirs: now }] };
  }
  const { fields } = change;
  if (now === undefined) {
    const created: Change = { op: 'create', kind: kindOf(address), fields };
    return { change: created, conflicts: [{ address, mine: fields, theirs: undefined }] };
  }
  const { merged, fought } = mergeFields(before, fields, now);
  if (isSame(merged, now)) return undefined;
  const conflicts = fought.map((field) => ({ address, field, mine: fields[field], theirs: now[field] }));
  return { change: { ...change, fields: merged }, conflicts };
}

/** The changes, where some conflicts take the others' side. */
export function resolved(rebased: readonly RebasedChange[], theirs: ReadonlySet<Conflict>): Change[] {
  return rebased.flatMap(({ change, conflicts }): Change[] => {
    const lost = conflicts.filter((conflict) => theirs.has(conflict));
    if (lost.some(({ field }) => field === undefined)) return [];
    if (change.op !== 'update') return [change];
    const fields = { ...change.fields };
    for (const { field = '', theirs: value } of lost) {
      if (value === undefined) delete fields[field];
      else fields[field] = value;
    }
    return [{ ...change, fields }];
  });
}

/** Undefined where there is no such record, or history no longer holds the revision: then nothing is taken as unchanged. */
async function fieldsAt(address: Address, at: string): Promise<Fields | undefined> {
  try {
    const record = await clientAt(at).records(kindOf(address)).get(pathOf(address));
    return declaredFields(record as unknown as FoundRecord);
  } catch (error) {
    const absent = error instanceof ServiceError && error.code === 'not_found';
    if (absent || (at !== '' && error instanceof ServiceError && error.code !== 'network')) return undefined;
    throw error;
  }
}
