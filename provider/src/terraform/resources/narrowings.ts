import { finished } from '@authz-service/core/concurrency/time-slicing';
import type { ProblemError } from '@authz-service/core/problem';
import type { Address } from '@authz-service/core/records/address';
import type { Kind } from '@authz-service/core/records/kinds';
import { type DeclaredRecord, declare, type Fields, type StoredRecord } from '@authz-service/core/records/registry';
import { affectedBySchemas } from '@authz-service/core/state/affected';
import type { RecordView } from '@authz-service/core/state/change';
import { equalJson } from '@authz-service/core/state/equal-json';
import { validateRecords } from '@authz-service/core/state/validate';
import type { Diagnostic } from '../framework/diagnostics.js';
import type { ChangeCommand } from './change-queue.js';
import { mentionsType } from './dependents.js';
import type { Records } from './snapshot.js';

type TypeFields = Fields<'resource_type'>;
/** A record that decides which form others may have: types of resources, and schemas. */
type Form = DeclaredRecord<'resource_type' | 'subject_type' | 'context_attribute'>;

/** The future form of a type or schema, and the records of this run's stack that must change first. */
interface Waiting {
  fields: Form['fields'];
  users: ReadonlySet<Address>;
}

/** The requests of an apply: `changes` in the same order, and `along` for further changes that they make possible. */
export interface Composed {
  /** Undefined if nothing has to be sent for the request. */
  changes: readonly (ChangeCommand['change'] | undefined)[];
  along: readonly ChangeCommand[];
}

/**
 * Types that lose actions or properties which other records of the stack still mention, and schemas that these would no
 * longer fit. Terraform changes a type before
 * the records that mention it and awaits each answer, so the loss cannot be part of one request with its consequences.
 * Such a type first gets a form that is valid both before and after. It loses the rest in the change-set that changes
 * the last record that mentions it. Every intermediate state is valid, and none allows anything that neither the old
 * nor the new state allows.
 */
export class Narrowings {
  private readonly waiting = new Map<Address, Waiting>();
  /** The change that is sent instead of one that has to wait, and the one that waits. */
  private readonly interims = new WeakMap<ChangeCommand['change'], Waiting>();

  private readonly refused: Diagnostic[] = [];

  constructor(private readonly isOwn: (owner: string) => boolean) {}

  /** Decides how the requests can be sent together. `alone` leaves out what waits, after it was refused. */
  compose(commands: readonly ChangeCommand[], records: Records, alone: boolean): Composed {
    const changesType = commands.some(({ address, change }) => change.op === 'update' && isType(address));
    if (!changesType && this.waiting.size === 0) return { changes: commands.map(({ change }) => change), along: [] };
    const after = recordsAfter(commands, records);
    const changes = commands.map((command) => this.changeFor(command, after, records));
    const sent = new Set(commands.map(({ address }) => address));
    const along = alone
      ? []
      : [...this.waiting]
          .filter(([address, { fields, users }]) => {
            const isTouched = [...users].some((user) => sent.has(user));
            return (
              isTouched && !sent.has(address) && dependentsAmong(users, formOf(address, fields), after).length === 0
            );
          })
          .map(([address, { fields }]): ChangeCommand => ({ address, change: { op: 'update', address, fields } }));
    return { changes, along };
  }

  /**
   * Notes that a change which went along was refused, for example because of a record that others have created since.
   */
  refuse(along: readonly ChangeCommand[], { detail }: ProblemError): void {
    for (const { address } of along) this.refused.push(stays(address, detail));
  }

  /** The diagnostics of what was refused since the last call. */
  takeRefused(): Diagnostic[] {
    return this.refused.splice(0);
  }

  /** Notes what was sent and committed. */
  done(commands: readonly ChangeCommand[]): void {
    for (const { address, change } of commands) {
      if (!isType(address)) continue;
      const interim = this.interims.get(change);
      if (interim === undefined) this.waiting.delete(address);
      else this.waiting.set(address, interim);
    }
  }

  /** The diagnostics for types that wait for a record that did not change. */
  failed(user: Address): Diagnostic[] {
    return [...this.waiting]
      .filter(([, { users }]) => users.has(user))
      .map(([address]) => stays(address, `"${user}", which mentions it, has not changed.`));
  }

  private changeFor(
    { address, change }: ChangeCommand,
    after: RecordView,
    records: Records,
  ): ChangeCommand['change'] | undefined {
    const present = records.get(address);
    if (change.op !== 'update' || present === undefined || !isForm(present)) return change;
    const fields = change.fields as Form['fields'];
    const form = formOf(address, fields);
    const users = dependentsAmong(usersOf(form, present, records, after), form, after);
    // The records of other stacks do not change in this run: the service refuses the change and names them.
    if (users.length === 0 || users.some((user) => !this.isOwn(records.get(user)?.managed_by ?? ''))) return change;
    const waiting = { fields, users: new Set(users) };
    const both = joined(present, form);
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
  const detail = `This apply could not remove everything that it should from the type. ${why} The next plan shows the change again.`;
  return { severity: 'warning', summary: `"${type}" is not narrowed yet`, detail };
}

const isType = (address: Address) => /^(?:resource_type|subject_type|context_attribute)\//.test(address);
const formOf = (address: Address, fields: Form['fields']) =>
  declare(address.slice(0, address.indexOf('/')) as Form['kind'], fields) as Form;
const isForm = (record: DeclaredRecord): record is Form => isType(record.address);

/** The records that are judged by a form, of which the present one may say another thing. */
function usersOf(form: Form, present: Form, records: Records, after: RecordView): Iterable<Address> {
  if (form.kind === 'resource_type')
    return [...records.all()].filter((record) => mentionsType(record, form.address)).map(({ address }) => address);
  const view = { ...after, get: (address: Address) => (address === form.address ? form : after.get(address)) };
  return finished(affectedBySchemas(view, [form.address], new Map([[form.address, present]]))).keys();
}

/** The fields under which every record stays valid that is valid before or after. */
function joined(before: Form, after: Form): Form['fields'] {
  if (before.kind === 'resource_type' && after.kind === 'resource_type') return fitForBoth(before.fields, after.fields);
  if (before.kind === 'subject_type' && after.kind === 'subject_type') {
    const { properties, ...others } = after.fields;
    const both = propertiesOfBoth(before.fields.properties, properties);
    return both === undefined ? others : { ...others, properties: both };
  }
  return { ...after.fields, type: 'any' } as Form['fields'];
}

type Properties = TypeFields['properties'];

function propertiesOfBoth(before: Properties, after: Properties): Properties {
  if (before === undefined || after === undefined) return undefined;
  const both = { ...before, ...after };
  for (const [name, type] of Object.entries(before)) if (both[name] !== type) both[name] = 'any';
  return both;
}

/**
 * The fields of a type under which every record stays valid that is valid before or after; a type that declares no
 * actions allows all of them.
 */
export function fitForBoth(before: TypeFields, after: TypeFields): TypeFields {
  const { properties, ...others } = after;
  const actions = [...new Set([...before.actions, ...after.actions])].sort();
  const parents = parentsOfBoth(before.parents ?? [], after.parents ?? []);
  const rest = parents.length === 0 ? others : { ...others, parents };
  const both = propertiesOfBoth(before.properties, properties);
  return both === undefined ? { ...rest, actions } : { ...rest, actions, properties: both };
}

type Parents = NonNullable<TypeFields['parents']>;

/** A property names the parents of one type: of one that both use, the later type. */
function parentsOfBoth(before: Parents, after: Parents): Parents {
  const kept = before.filter(({ property }) => !after.some((one) => one.property === property));
  return [...after, ...kept].sort((left, right) => (left.property < right.property ? -1 : 1));
}

/** The records that a type or schema would make invalid. */
function dependentsAmong(addresses: Iterable<Address>, form: Form, records: RecordView): Address[] {
  const get = (address: Address) => (address === form.address ? form : records.get(address));
  const found = validateRecords({ ...records, get }, addresses, { external: () => true });
  return [...new Set(found.filter(({ severity }) => severity === 'error').map(({ address }) => address))];
}

/** The records after the requests. */
function recordsAfter(commands: readonly ChangeCommand[], records: Records): RecordView {
  const changed = new Map<Address, DeclaredRecord | undefined>();
  for (const { address, change } of commands) {
    if (change.op === 'delete' && !changed.has(address)) changed.set(address, undefined);
    if (change.op !== 'create' && change.op !== 'update') continue;
    const kind = change.op === 'create' ? change.kind : records.get(address)?.kind;
    if (kind !== undefined) changed.set(address, declare(kind, change.fields as StoredRecord['fields']));
  }
  const get = (address: Address) => (changed.has(address) ? changed.get(address) : records.get(address));
  const addresses = function* (kind: Kind) {
    for (const { kind: own, address } of records.all()) if (own === kind && get(address) !== undefined) yield address;
    for (const [address, record] of changed)
      if (record?.kind === kind && records.get(address) === undefined) yield address;
  };
  return { get, inbound: () => [], addresses };
}
