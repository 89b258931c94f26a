import type { JsonObject } from '../json/json.js';
import { grantedBy } from '../limits/foreign-link.js';
import { ProblemError } from '../problem.js';
import type { Address } from '../records/address.js';
import { kindRank } from '../records/kinds.js';
import type { DeclaredRecord, StoredRecord } from '../records/registry.js';
import { keptSuspension, saysSuspension, suspensionOf } from '../records/suspension.js';
import { equalJson } from '../state/equal-json.js';
import { type Foreign, refuseForeign } from '../state/foreign.js';
import { refusedForms } from '../state/refused-forms.js';
import type { Move } from '../state/renames.js';
import { differences } from './differences.js';
import { type Present, presentRecords } from './moved.js';
import type { Follower, ForeignLink, KeptSuspension, Plan, PlannedChange } from './plan.js';
import { SensitiveProperties } from './sensitive-properties.js';

/** The records that a stack declares. */
export interface Declared {
  records: readonly DeclaredRecord[];
  moves: readonly Move[];
  /** The only tenant this may be applied to. */
  tenant?: string;
  stack: string;
}

/** The records of a tenant at a revision. */
export interface Held {
  tenant: string;
  revision: string;
  records: Iterable<StoredRecord>;
}

/**
 * Everything to do so that the tenant holds what the stack declares. Records of other stacks are left alone: declaring
 * one is refused (`not_owner`) unless ownership is taken. Only records of this stack are removed. Throws `conflict` if
 * the tenant is another one or moves cannot be made.
 */
export function plan(
  declared: Declared,
  held: Held,
  options: { takeOwnership?: boolean; exclusive?: boolean } = {},
): Plan {
  const { stack } = declared;
  if (declared.tenant !== undefined && declared.tenant !== held.tenant) {
    throw new ProblemError(
      'conflict',
      `The tree is for the tenant "${declared.tenant}", but the credentials are those of "${held.tenant}": use credentials of "${declared.tenant}", or correct "tenant".`,
    );
  }
  const wanted = new Map(declared.records.map((record) => [record.address, record]));
  const present = presentRecords(declared.moves, wanted, held.records, stack);
  const foreign: Foreign[] = [];
  const changes: PlannedChange[] = [];
  const kept: KeptSuspension[] = [];
  let unchanged = 0;
  for (const said of declared.records) {
    const now = present.get(said.address);
    const record = withKept(said, now);
    const owner = now?.record.managed_by;
    if (owner !== undefined && owner !== stack && options.takeOwnership !== true) {
      foreign.push({ pointer: '', address: now?.record.address ?? record.address, owner });
      continue;
    }
    const change = changeFor(record, now, owner === stack ? undefined : owner);
    if (change) changes.push(change);
    else unchanged += 1;
    if (
      record.kind === 'subject' &&
      said.kind === 'subject' &&
      !saysSuspension(said.fields) &&
      saysSuspension(record.fields)
    )
      kept.push({ address: record.address, ...suspensionOf(record.fields) });
  }
  refuseForeign(foreign, stack, 'in the tree');

  const sensitive = new SensitiveProperties();
  for (const record of declared.records) sensitive.add(record);
  // By the address that it gets: so do the records of a type that is renamed.
  for (const [address, { record }] of present) sensitive.add({ ...record, address });

  const removals: PlannedChange[] = [];
  const followers: Follower[] = [];
  const foreignLinks: ForeignLink[] = [];
  for (const [address, { record, fields }] of present) {
    if (wanted.has(address)) continue;
    const { kind, managed_by } = record;
    if (managed_by === stack) {
      removals.push({ action: 'delete', kind, address, differences: differences(record.fields as JsonObject, {}) });
      continue;
    }
    const grants = grantedBy({ ...record, address, fields } as DeclaredRecord);
    const isForeignLink =
      grants !== undefined && (wanted.has(grants) || present.get(grants)?.record.managed_by === stack);
    if (isForeignLink && options.exclusive === true) {
      const lost = differences(record.fields as JsonObject, {});
      removals.push({ action: 'delete', kind, address, removed_from: managed_by, differences: lost });
      continue;
    }
    if (isForeignLink) foreignLinks.push({ kind, address, managed_by, grants });
    if (fields !== record.fields) followers.push({ kind, address, from: record.address, managed_by });
  }
  changes.sort(byDependency);
  removals.sort((left, right) => kindRank(right.kind) - kindRank(left.kind) || byText(left.address, right.address));
  followers.sort(byDependency);
  foreignLinks.sort(byDependency);
  const added = changes.filter(({ action }) => action === 'create').length;
  const rewritten = new Set(
    [...changes, ...removals].map((change) => ('from' in change ? change.from : change.address)),
  );
  const refused = [...refusedForms([...present.values()].map(({ record }) => record))].filter(
    ({ address }) => !rewritten.has(address),
  );
  return {
    format: 1,
    tenant: held.tenant,
    stack,
    base_revision: held.revision,
    changes: [...changes, ...removals].map((change) => sensitive.noted(change)),
    ...(followers.length > 0 && { followers }),
    ...(foreignLinks.length > 0 && { foreign_links: foreignLinks }),
    ...(refused.length > 0 && { refused_forms: refused }),
    ...(kept.length > 0 && { kept_suspensions: kept }),
    counts: { added, changed: changes.length - added + followers.length, removed: removals.length, unchanged },
  };
}

/** The record with what it keeps of the present one, since the declaration says nothing of that. */
function withKept(declared: DeclaredRecord, now: Present | undefined): DeclaredRecord {
  if (declared.kind !== 'subject') return declared;
  const present = now?.record.kind === 'subject' ? now.record.fields : undefined;
  return { ...declared, fields: keptSuspension(declared.fields, present) };
}

function changeFor(
  declared: DeclaredRecord,
  now: Present | undefined,
  owner: string | undefined,
): PlannedChange | undefined {
  const { kind, address } = declared;
  const fields = declared.fields as JsonObject;
  if (!now) return { action: 'create', kind, address, differences: [], fields };
  const taken = owner === undefined ? {} : { taken_from: owner };
  const { record } = now;
  if (record.address !== address) {
    const beyond = differences(now.fields as JsonObject, fields);
    return { action: 'move', kind, address, from: record.address, differences: beyond, fields, ...taken };
  }
  const followed = now.fields !== record.fields;
  if (!equalJson(record.fields, fields) || (followed && !equalJson(now.fields, fields))) {
    const seen = differences(record.fields as JsonObject, fields);
    // A record that should stay, although something that it mentions is moved away, has to be changed back.
    const shown = seen.length > 0 ? seen : differences(now.fields as JsonObject, fields);
    return { action: 'update', kind, address, differences: shown, fields, ...taken };
  }
  return owner === undefined ? undefined : { action: 'adopt', kind, address, differences: [], taken_from: owner };
}

/** Creations and changes walk the kinds forwards; removals walk them backwards. */
function byDependency(left: { kind: DeclaredRecord['kind']; address: Address }, right: typeof left): number {
  return kindRank(left.kind) - kindRank(right.kind) || byText(left.address, right.address);
}

function byText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
