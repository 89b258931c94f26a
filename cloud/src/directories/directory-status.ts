import type { JsonObject } from '@authz-service/core/json/json';
import type { AccessReport, NoAccessReport } from '@authz-service/core/questions/impact/report/access-report';
import type { Change } from '@authz-service/core/state/change';
import { ownerOf } from '../auth/demand-directory.js';
import type { Cloud } from '../cloud.js';
import type { HeldChange, Loss } from '../store/directory-store.js';
import type { Tenant } from '../tenants/tenant.js';
import { Brake, DECIDED_MS } from './brake.js';
import { type Asking, effectOf } from './effect-of.js';
import { viewNow, whenViewed } from './view-of.js';

/** The most changes that are listed: those that are held come before those that were decided on. */
const HELD_LISTED_MAX = 100;
/** The most records that are named of one. */
const RECORDS_LISTED_MAX = 10;

/** The contents of a directory, and the changes that its brake holds. */
export interface DirectoryStatus {
  name: string;
  subjects: number;
  groups: number;
  memberships: number;
  /** When a key of the directory was last used. */
  last_sync?: string;
  /** The losses by the directory in the last hour. */
  taken_away: Loss;
  held_count: number;
  held: (Omit<HeldChange, 'changes'> & { records: string[] })[];
  /** The effect on access of letting all of it through; absent where nothing is held, or nobody asked. */
  access?: AccessReport | NoAccessReport;
}

/** With `access`, also what the held changes would do to access. Throws `not_found` where there is no such directory. */
export async function directoryStatus(
  cloud: Cloud,
  name: string,
  asking: Asking & { access: boolean },
): Promise<DirectoryStatus> {
  const { credential, now } = asking;
  const tenant = await cloud.tenants.get(credential.tenant);
  await cloud.refresh(tenant);
  const owner = ownerOf(name);
  const counts = await whenViewed(tenant, () => {
    const view = viewNow(tenant, name, now);
    return {
      subjects: view.users.count(owner),
      groups: view.groups.count(owner),
      memberships: view.memberships.count(owner),
    };
  });
  const brake = await Brake.read(cloud.store, tenant.id, owner, now);
  const found = await cloud.store.heldChanges(tenant.id, owner, new Date(now - DECIDED_MS).toISOString());
  const held = found.filter(({ state }) => state === 'held');
  const decided = found.filter(({ state }) => state !== 'held');
  const draftOf = () => ({ stack: owner, changes: together(held), revision: tenant.revision });
  const last = await lastSync(cloud, tenant, name);
  return {
    name,
    ...counts,
    ...(last !== undefined && { last_sync: new Date(last).toISOString() }),
    taken_away: brake.taken(now),
    held_count: held.length,
    held: [...held, ...decided]
      .slice(0, HELD_LISTED_MAX)
      .map(({ changes, ...rest }) => ({ ...rest, records: recordsOf(changes) })),
    ...(asking.access && held.length > 0 && { access: (await effectOf(cloud, tenant, draftOf(), asking)).access }),
  };
}

/** The addresses of the first records that changes take away, rename or change. */
function recordsOf(changes: readonly Change[]): string[] {
  const addresses = changes.flatMap((change) =>
    change.op === 'create' ? [] : [change.op === 'move' ? change.from : change.address],
  );
  return [...new Set(addresses)].slice(0, RECORDS_LISTED_MAX);
}

async function lastSync(cloud: Cloud, tenant: Tenant, name: string): Promise<number | undefined> {
  const record = tenant.state.get(ownerOf(name));
  if (record === undefined) return undefined;
  return (await cloud.credentialUses.lastUsed(tenant.id, [record.id])).get(record.id);
}

/** The changes of all requests; of several about one record, the last. */
function together(held: readonly HeldChange[]): Change[] {
  const changes = new Map<string, Change>();
  for (const change of held.flatMap((one) => one.changes)) {
    const about =
      change.op === 'create'
        ? JSON.stringify([change.kind, change.fields])
        : change.op === 'move'
          ? `move ${change.from}`
          : change.address;
    changes.set(about, change);
  }
  return [...changes.values()];
}

/** The status as it is answered. */
export function statusJson(status: DirectoryStatus): JsonObject {
  return status as unknown as JsonObject;
}
