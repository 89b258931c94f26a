import type { ProblemError } from '@authz-service/core/problem';
import type { Address } from '@authz-service/core/records/address';
import { type DeclaredRecord, declare, type Fields, type StoredRecord } from '@authz-service/core/records/registry';
import type { RecordView } from '@authz-service/core/state/change';
import { equalJson } from '@authz-service/core/state/equal-json';
import { validateRecords } from '@authz-service/core/state/validate';
import type { Diagnostic } from '../framework/diagnostics.js';
import type { Wish } from './change-queue.js';
import { mentionsType, type ResourceType } from './dependents.js';
import type { Records } from './snapshot.js';

type TypeFields = Fields<'resource_type'>;

/** What a type is to become, and the records of this run's stack that have to change before it can. */
interface Waiting {
  fields: TypeFields;
  users: ReadonlySet<Address>;
}

/** What is sent for wishes: `changes` in their place, and `along` what they make possible. */
export interface Composed {
  /** Undefined where nothing has to be sent for the wish. */
  changes: readonly (Wish['change'] | undefined)[];
  along: readonly Wish[];
}

/**
 * Types that lose actions or properties which other records of the stack still mention. Terraform changes a type before
 * what mentions it, and awaits each answer, so that the loss cannot be part of one request with its consequences. Such a
 * type is first made what is right for both, before and after; it loses what it has to lose in the change-set that
 * changes the last record that mentions it. Every state in between is valid, and none allows what neither end allows.
 */
export class Narrowings {
  private readonly waiting = new Map<Address, Waiting>();
  /** What stands in for a change that has to wait, and what it stands for. */
  private readonly interims = new WeakMap<Wish['change'], Waiting>();

  private readonly refused: Diagnostic[] = [];

  constructor(private readonly isOwn: (owner: string) => boolean) {}

  /** How the wishes can be sent together. `alone` leaves out what waits, after it has been refused. */
  compose(wishes: readonly Wish[], records: Records, alone: boolean): Composed {
    const changesType = wishes.some(({ address, change }) => change.op === 'update' && isType(address));
    if (!changesType && this.waiting.size === 0) return { changes: wishes.map(({ change }) => change), along: [] };
    const after = recordsAfter(wishes, records);
    const changes = wishes.map((wish) => this.changeFor(wish, after, records));
    const sent = new Set(wishes.map(({ address }) => address));
    const along = alone
      ? []
      : [...this.waiting]
          .filter(([address, { fields, users }]) => {
            const isTouched = [...users].some((user) => sent.has(user));
            return isTouched && !sent.has(address) && dependentsAmong(users, typeOf(fields), after).length === 0;
          })
          .map(([address, { fields }]): Wish => ({ address, change: { op: 'update', address, fields } }));
    return { changes, along };
  }

  /** Follows that what went along was refused, as for a record that others made since. */
  refuse(along: readonly Wish[], { detail }: ProblemError): void {
    for (const { address } of along) this.refused.push(stays(address, detail));
  }

  /** What there is to say of what was refused since the last call. */
  takeRefused(): Diagnostic[] {
    return this.refused.splice(0);
  }

  /** Follows what was sent and done. */
  done(wishes: readonly Wish[]): void {
    for (const { address, change } of wishes) {
      if (!isType(address)) continue;
      const interim = this.interims.get(change);
      if (interim === undefined) this.waiting.delete(address);
      else this.waiting.set(address, interim);
    }
  }

  /** What there is to say where a record that types wait for did not change. */
  failed(user: Address): Diagnostic[] {
    return [...this.waiting]
      .filter(([, { users }]) => users.has(user))
      .map(([address]) => stays(address, `"${user}", which mentions it, has not changed.`));
  }

  private changeFor({ address, change }: Wish, after: RecordView, records: Records): Wish['change'] | undefined {
    const present = records.get(address);
    if (change.op !== 'update' || present?.kind !== 'resource_type') return change;
    const fields = change.fields as TypeFields;
    const mentioning = [...records.all()].filter((record) => mentionsType(record, address)).map((one) => one.address);
    const users = dependentsAmong(mentioning, typeOf(fields), after);
    // What belongs to others does not change in this run: the service refuses it and says so.
    if (users.length === 0 || users.some((user) => !this.isOwn(records.get(user)?.managed_by ?? ''))) return change;
    const waiting = { fields, users: new Set(users) };
    const both = fitForBoth(present.fields, fields);
    if (equalJson(both, present.fields)) {
      this.waiting.set(address, waiting);
      return undefined;
    }
    const interim = { ...change, fields: both };
    this.interims.set(interim, waiting);
    return interim;
  }
}

function stays(type: Address, why: string): Diagnostic {
  const detail = `It still has what this apply was to remove from it. ${why} The next plan shows it again.`;
  return { severity: 'warning', summary: `"${type}" is not narrowed yet`, detail };
}

const isType = (address: Address) => address.startsWith('resource_type/');
const typeOf = (fields: TypeFields) => declare('resource_type', fields) as ResourceType;

/** The fields of a type under which everything is valid that is so before or after: a type without any declares all. */
export function fitForBoth(before: TypeFields, after: TypeFields): TypeFields {
  const { properties, ...rest } = after;
  const actions = [...new Set([...before.actions, ...after.actions])].sort();
  if (before.properties === undefined || properties === undefined) return { ...rest, actions };
  const joined = { ...before.properties, ...properties };
  for (const [name, type] of Object.entries(before.properties)) if (joined[name] !== type) joined[name] = 'any';
  return { ...rest, actions, properties: joined };
}

/** Those of the records that a type would make invalid. */
function dependentsAmong(addresses: Iterable<Address>, type: ResourceType, records: RecordView): Address[] {
  const get = (address: Address) => (address === type.address ? type : records.get(address));
  const found = validateRecords({ get, inbound: () => [] }, addresses, { external: () => true });
  return [...new Set(found.filter(({ severity }) => severity === 'error').map(({ address }) => address))];
}

/** The records as the wishes make them. */
function recordsAfter(wishes: readonly Wish[], records: Records): RecordView {
  const changed = new Map<Address, DeclaredRecord | undefined>();
  for (const { address, change } of wishes) {
    if (change.op === 'delete' && !changed.has(address)) changed.set(address, undefined);
    if (change.op !== 'create' && change.op !== 'update') continue;
    const kind = change.op === 'create' ? change.kind : records.get(address)?.kind;
    if (kind !== undefined) changed.set(address, declare(kind, change.fields as StoredRecord['fields']));
  }
  const get = (address: Address) => (changed.has(address) ? changed.get(address) : records.get(address));
  return { get, inbound: () => [] };
}
