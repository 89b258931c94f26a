import type { Address } from '@authz-service/core/records/address';
import {
  type DeclaredRecord,
  definitionOf,
  referencesOf,
  type StoredRecord,
} from '@authz-service/core/records/registry';
import type { RecordView } from '@authz-service/core/state/change';
import { validateRecords } from '@authz-service/core/state/validate';
import type { Diagnostic } from '../framework/diagnostics.js';
import type { Records } from './snapshot.js';

export type ResourceType = DeclaredRecord<'resource_type'>;

/**
 * The records that a changed type would make invalid. Those of this stack may change in the same run, or fail in a plan
 * of their own, so they are reported only where the type has something that an earlier apply was to remove: `inState` is
 * the type as the state had it before it was refreshed. Records of other stacks do not change in this run.
 */
export function dependentsOf(
  type: ResourceType,
  records: Records,
  isOwn: (owner: string) => boolean,
  inState: ResourceType | undefined,
): Diagnostic[] {
  const touched = [...records.all()].filter((record) => mentionsType(record, type.address));
  const view: RecordView = {
    get: (address) => (address === type.address ? type : records.get(address)),
    inbound: () => [],
  };
  const addresses = touched.map(({ address }) => address);
  const found = validateRecords(view, addresses, { external: () => true }).filter(
    ({ severity }) => severity === 'error',
  );
  const ownerOf = (address: Address) => records.get(address)?.managed_by ?? '';
  const own = [...new Set(found.map(({ address }) => address).filter((address) => isOwn(ownerOf(address))))];
  const foreign = found.filter(({ address }) => !isOwn(ownerOf(address)));
  return [
    ...foreign.map(({ address, detail }): Diagnostic => {
      const text = `"${address}" would become invalid. ${detail} It belongs to the stack "${ownerOf(address)}": change it there first.`;
      return { severity: 'error', summary: 'Record of another stack in the way', detail: text };
    }),
    ...(own.length === 0 ? [] : leftOver(type, records.get(type.address), inState, own)),
  ];
}

/**
 * Terraform plans a type before the records that mention it, so it cannot be known yet whether they change. They did not
 * in an earlier apply if the type still has what the state says it has lost.
 */
function leftOver(
  type: ResourceType,
  present: DeclaredRecord | undefined,
  inState: ResourceType | undefined,
  users: readonly Address[],
): Diagnostic[] {
  if (present?.kind !== 'resource_type' || inState === undefined) return [];
  const lost = lostBy(present, type);
  const left = lostBy(present, inState).filter((name) => lost.includes(name));
  if (left.length === 0) return [];
  const detail = `${listed(users)} ${users.length === 1 ? 'mentions' : 'mention'} what this type should have lost: ${left.join(', ')}. The type keeps it until an apply changes or removes the last of them. One that has no resource has to be imported or removed; one that -target left out changes in an apply without it.`;
  return [{ severity: 'warning', summary: `"${type.address}" is not narrowed yet`, detail }];
}

/** The actions and properties of a type that another form of it lacks, in words. */
function lostBy(before: ResourceType, { fields: after }: ResourceType): string[] {
  const { actions, properties = {} } = before.fields;
  const kept = after.properties;
  return [
    ...actions.filter((name) => !after.actions.includes(name)).map((name) => `the action "${name}"`),
    ...Object.keys(kept === undefined ? {} : properties)
      .filter((name) => kept?.[name] !== properties[name])
      .map((name) => `the property "${name}" as ${properties[name]}`),
  ];
}

export function mentionsType({ kind, fields }: StoredRecord, type: Address): boolean {
  const path = type.slice('resource_type/'.length);
  if (kind === 'resource') return fields.type === path;
  if (kind !== 'policy') return false;
  return (
    fields.resource_type === path || (fields.resources ?? []).some(({ resource }) => resource.startsWith(`${path}/`))
  );
}

/** A record that mentions another one, in the field of that name. */
export interface Mention {
  by: StoredRecord;
  field: string;
}

/** The records that mention each record. */
export function mentionsAmong(records: Records): ReadonlyMap<Address, readonly Mention[]> {
  const mentions = new Map<Address, Mention[]>();
  for (const by of records.all()) {
    for (const { pointer, target } of referencesOf(by.kind, by.fields)) {
      const known = mentions.get(target) ?? [];
      known.push({ by, field: pointer.split('/')[1] ?? '' });
      mentions.set(target, known);
    }
  }
  return mentions;
}

/**
 * The records that still mention a record when Terraform removes it to create one with another name: those that change
 * in place, which happens later. Records that have the name in their own key are replaced, too, and removed earlier.
 */
export function changedAfter(before: Address, after: Address, mentions: readonly Mention[]): StoredRecord[] {
  const [, application] = before.split('/');
  const moves = application !== after.split('/')[1];
  return mentions
    .filter(({ by, field }) => definitionOf(by.kind).schema.shape[field]?.meta()?.key !== true)
    .map(({ by }) => by)
    .filter(({ fields }) => !(moves && 'application' in fields && fields.application === application));
}

const SHOWN = 3;

/** Terraform does not tell a provider whether it creates the new record first, in which case nothing is wrong. */
export function inTheWay(address: Address, by: readonly StoredRecord[]): Diagnostic {
  const detail = `It is mentioned by ${listed(by.map((record) => record.address))}, which change later. Without lifecycle { create_before_destroy = true } on this resource, Terraform removes it first, and the service refuses that in the middle of the apply.`;
  return { severity: 'warning', summary: `"${address}" is renamed while it is in use`, detail };
}

function listed(addresses: readonly Address[]): string {
  const shown = addresses.slice(0, SHOWN).map((address) => `"${address}"`);
  if (addresses.length > SHOWN) return `${shown.join(', ')} and ${addresses.length - SHOWN} more`;
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}
