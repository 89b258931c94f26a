import { randomUUID } from 'node:crypto';
import type { Json, JsonObject } from '@authz-service/core/json/json';
import { ProblemError } from '@authz-service/core/problem';
import { type Address, splitAddress } from '@authz-service/core/records/address';
import type { Change } from '@authz-service/core/state/change';
import { parseFields } from '@authz-service/core/state/parse-fields';
import { ownerOf } from '../auth/demand-directory.js';
import type { Cloud } from '../cloud.js';
import { isObject, itemsOf, own } from '../scim/attribute-values.js';
import { ScimError } from '../scim/scim-error.js';
import { Brake, LossesOfCommit } from './brake.js';
import { DirectoryView } from './directory-view.js';
import { type Asking, type Effect, effectOf } from './effect-of.js';
import { createGroup, deleteGroup, replaceGroup } from './group-writes.js';
import type { Plan } from './planned-write.js';
import { createUser, deleteUser, replaceUser } from './user-writes.js';
import { viewNow, whenViewed } from './view-of.js';

/** Begins the id of a member that another operation makes (RFC 7644 section 3.7.2). */
const BULK_ID = 'bulkId:';

/** A request of SCIM, as in a bulk request (RFC 7644 section 3.7). */
export interface ScimOperation {
  method: 'POST' | 'PUT' | 'DELETE';
  /** `/Users`, `/Groups`, or one of them with an id. */
  path: string;
  bulkId?: string | undefined;
  data?: JsonObject | undefined;
}

/** The effect of requests that nobody has sent yet. */
export interface OperationsPlan extends Effect {
  base_revision: string;
  /** The operations that would be refused or held, by their positions. */
  refused: { operation: number; detail: string }[];
}

/** The effect of all operations that the mapping and the brake of the directory let through, together. Changes nothing. */
export async function planOperations(
  cloud: Cloud,
  name: string,
  operations: readonly ScimOperation[],
  asking: Asking,
): Promise<OperationsPlan> {
  const { credential, now } = asking;
  const tenant = await cloud.tenants.get(credential.tenant);
  await cloud.refresh(tenant);
  const stack = ownerOf(name);
  const brake = await Brake.read(cloud.store, tenant.id, stack, now);
  const { revision, planning } = await whenViewed(tenant, () => {
    const view = new PlannedView(viewNow(tenant, name, now));
    return { revision: tenant.revision, planning: changesOf(view, brake, operations) };
  });
  const { changes, refused } = await cloud.slicing.run(planning, tenant.id);
  const effect = await effectOf(cloud, tenant, { stack, changes, revision }, asking);
  return { base_revision: revision, refused, ...effect };
}

/** A view in which the people and groups that other operations make can be members, too. */
class PlannedView extends DirectoryView {
  /** By bulk id. */
  readonly made = new Map<string, Address>();

  constructor({ owner, directory, state, users, groups, memberships, now }: DirectoryView) {
    super(owner, directory, state, users, groups, memberships, now);
  }

  override member(id: string): Address {
    return this.made.get(id) ?? super.member(id);
  }
}

function* changesOf(view: PlannedView, brake: Brake, operations: readonly ScimOperation[]) {
  const losses = new LossesOfCommit(view);
  const changes: Change[] = [];
  const refused: OperationsPlan['refused'] = [];
  const gone = new Set<Address>();
  for (const [index, operation] of operations.entries()) {
    yield;
    try {
      const planned = planOf(view, operation)(view);
      planned.changes.forEach(assertFields);
      // Who is removed is taken out of groups by an operation before, too.
      const own = planned.changes.filter((change) => change.op !== 'delete' || !gone.has(change.address));
      const { loss, take } = losses.of(own);
      brake.admit(view, losses.taken, { loss, changes: own });
      take(loss);
      for (const change of own) if (change.op === 'delete') gone.add(change.address);
      if (operation.bulkId !== undefined && planned.shown !== undefined)
        view.made.set(`${BULK_ID}${operation.bulkId}`, planned.shown);
      changes.push(...own);
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      refused.push({ operation: index, detail: error.message });
    }
  }
  return { changes, refused };
}

/** Throws `invalid_records` where the fields alone are refused. */
function assertFields(change: Change): void {
  if (change.op !== 'create' && change.op !== 'update') return;
  const kind = change.op === 'create' ? change.kind : splitAddress(change.address).kind;
  const [fault] = parseFields(kind, change.fields).faults ?? [];
  if (fault !== undefined) throw new ProblemError('invalid_records', `${fault.pointer}: ${fault.detail}`);
}

function planOf(view: PlannedView, { method, path, data = {} }: ScimOperation): Plan {
  const [collection, id, ...more] = path.split('/').slice(1);
  const isUser = collection === 'Users';
  if ((!isUser && collection !== 'Groups') || more.length > 0 || (method === 'POST') !== (id === undefined)) {
    throw new ScimError('invalidPath', `There is no ${method} of "${path.slice(0, 200)}": name "/Users" or "/Groups".`);
  }
  if (id === undefined) return (at) => (isUser ? createUser : createGroup)(at, withMade(view, data), randomUUID());
  if (method === 'DELETE') return (at) => (isUser ? deleteUser : deleteGroup)(at, id);
  return (at) => (isUser ? replaceUser : replaceGroup)(at, id, withMade(view, data));
}

/** The data of a request, of a group without the members whom a refused operation would have made. */
function withMade(view: PlannedView, data: JsonObject): JsonObject {
  const members = own(data, 'members');
  if (members === undefined) return data;
  const isMade = (member: Json) => {
    const value = isObject(member) ? own(member, 'value') : undefined;
    return typeof value !== 'string' || !value.startsWith(BULK_ID) || view.made.has(value);
  };
  return { ...data, members: itemsOf(members).filter(isMade) };
}
