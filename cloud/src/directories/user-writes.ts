import type { JsonObject } from '@authz-service/core/json/json';
import { type Address, address } from '@authz-service/core/records/address';
import { addressOf, type Fields } from '@authz-service/core/records/registry';
import { suspensionOf } from '@authz-service/core/records/suspension';
import type { Change } from '@authz-service/core/state/change';
import { type PatchOperation, patched, placed } from '../scim/resource.js';
import type { EntryRecord } from '../tenants/entry-index.js';
import { folded } from '../tenants/name-index.js';
import type { DirectoryView, UserRecord } from './directory-view.js';
import { assertFree, assertMatch, notFound } from './entry-checks.js';
import type { PlannedWrite } from './planned-write.js';
import { alsoSuspended, isSuspendedElsewhere, required, userFields, userResource } from './user-mapping.js';
import { versionOf } from './versions.js';

/** Makes a subject of a new user; one that a removed user has left behind is taken up again. */
export function createUser(view: DirectoryView, body: JsonObject, id: string): PlannedWrite {
  const resource = placed(body);
  // Who is made is active unless the directory says otherwise.
  resource.active ??= true;
  const userName = required(resource, 'userName');
  const drafted = userFields(view, resource, id);
  const at = addressOf('subject', drafted);
  const present = view.state.get(at) as UserRecord | undefined;
  assertFree(view, view.users.byName(view.owner, userName), `A user with the userName "${userName}"`);
  assertFree(view, present === undefined ? [] : [at], `"${at}"`);
  const fields = present === undefined ? drafted : userFields(view, resource, id, suspensionOf(present.fields));
  const change: Change =
    present === undefined ? { op: 'create', kind: 'subject', fields } : { op: 'update', address: at, fields };
  return { changes: [change], shown: at, claims: claimsOf(userName, fields) };
}

export function replaceUser(view: DirectoryView, id: string, body: JsonObject, ifMatch?: string): PlannedWrite {
  const present = userBy(view, id, ifMatch);
  return write(view, present, placed(body), id);
}

export function patchUser(
  view: DirectoryView,
  id: string,
  operations: readonly PatchOperation[],
  ifMatch?: string,
): PlannedWrite {
  const present = userBy(view, id, ifMatch);
  // Who says nothing of it changes nothing of it: shown is also a suspension by somebody else.
  const { active: _, ...shown } = userResource(view, present);
  return write(view, present, patched(shown, operations), id);
}

/** Takes away the memberships of a user and the subject. A subject that others mention stays, suspended. */
export function deleteUser(view: DirectoryView, id: string, ifMatch?: string): PlannedWrite {
  const present = userBy(view, id, ifMatch);
  const { type, id: subjectId, name, properties } = present.fields;
  const left: Fields<'subject'> = {
    type,
    id: subjectId,
    ...(name !== undefined && { name }),
    ...(properties !== undefined && { properties }),
    ...alsoSuspended(view, 'removed', present.fields),
  };
  const keep = isSuspendedElsewhere(view, present.fields);
  return { changes: removal(view, present, left, keep), claims: [] };
}

/** The changes that remove a record with the directory's memberships of it and in it, or leave `left` for who mentions it. */
export function removal(
  view: DirectoryView,
  present: EntryRecord,
  left: Fields<'subject'> | Fields<'group'>,
  keep = false,
): Change[] {
  const links = new Set<Address>();
  for (const { address: link } of view.membershipsOf(present.address)) links.add(link);
  if (present.kind === 'group') for (const { address: link } of view.membersOf(present.address)) links.add(link);
  const changes: Change[] = [...links].map((link) => ({ op: 'delete', address: link }));
  let isMentioned = keep;
  for (const source of view.state.inbound(present.address)) if (!links.has(source)) isMentioned = true;
  changes.push(
    isMentioned ? { op: 'update', address: present.address, fields: left } : { op: 'delete', address: present.address },
  );
  return changes;
}

function userBy(view: DirectoryView, id: string, ifMatch: string | undefined): UserRecord {
  const present = view.user(id) ?? notFound('User', id);
  assertMatch(ifMatch, versionOf(view, present), present.address);
  return present;
}

function write(view: DirectoryView, present: UserRecord, resource: JsonObject, id: string): PlannedWrite {
  const userName = required(resource, 'userName');
  const fields = userFields(view, resource, id, suspensionOf(present.fields));
  const at = addressOf('subject', fields);
  const others = view.users.byName(view.owner, userName).filter((other) => other !== present.address);
  assertFree(view, others, `A user with the userName "${userName}"`);
  const changes: Change[] = [];
  if (at !== present.address) {
    assertFree(view, view.state.get(at) === undefined ? [] : [at], `"${at}"`);
    changes.push({ op: 'move', from: present.address, to: at });
  }
  changes.push({ op: 'update', address: at, fields });
  return { changes, shown: at, claims: [present.address, ...claimsOf(userName, fields)] };
}

function claimsOf(userName: string, { type, id }: Fields<'subject'>): string[] {
  return [`user ${folded(userName)}`, address('subject', `${folded(type)}/${folded(id)}`)];
}
