import { type Address, splitAddress } from '../records/address.js';
import type { Fault } from '../records/issue-faults.js';
import { definitionOf } from '../records/registry.js';
import { eachInSteps } from '../time-slicing.js';
import { grantedBy } from './foreign-link.js';
import type { OwnedRecord, OwnedView } from './judge-record.js';
import { limitsText } from './limits-text.js';
import type { Writer } from './writer.js';

/** The application whose records say who may look at and edit the console. */
export const PROTECTED_APPLICATION = 'service-console';

/** Links looked at in one step. */
const STEP = 256;

interface LinkedView extends OwnedView {
  inbound(address: Address): Iterable<Address>;
}

/**
 * Whether records decide over the console, in one view. Who edits there writes records without limits, so that a writer
 * who is limited, but not to applications, would get rid of its limits by these. Answers about what links give are kept.
 */
export class ConsoleJudge {
  readonly #view: LinkedView;
  readonly #known = new Map<Address, boolean>();

  constructor(view: LinkedView) {
    this.#view = view;
  }

  *judge(record: OwnedRecord, writer: Writer): Generator<undefined, Fault[]> {
    if (writer.limits.applications !== undefined || !(yield* this.#decides(record))) return [];
    const detail = `"${record.address}" decides who may use the console, and the credential "${writer.name}" is limited to ${limitsText(writer.limits)}: use a credential without limits, or one whose limits name the application "${PROTECTED_APPLICATION}".`;
    return [{ pointer: '', detail }];
  }

  *#decides(record: OwnedRecord): Generator<undefined, boolean> {
    if (isOfConsole(record)) return true;
    if (this.#view.get(`application/${PROTECTED_APPLICATION}`) === undefined) return false;
    for (const target of handedOnBy(record)) {
      const gives = this.#known.get(target) ?? (yield* this.#givesConsole(target));
      this.#known.set(target, gives);
      if (gives) return true;
    }
    return false;
  }

  /** Whether whoever holds a role or policy or is in a group is given something of the console by that. */
  *#givesConsole(start: Address): Generator<undefined, boolean> {
    const seen = new Set([start]);
    for (const address of seen) {
      const record = this.#view.get(address);
      if (record === undefined) continue;
      if (isOfConsole(record)) return true;
      for (const target of handedOnBy(record)) seen.add(target);
      yield* eachInSteps(this.#view.inbound(address), STEP, (source) => {
        const link = this.#view.get(source);
        if (link === undefined || holderOf(link) !== address) return;
        for (const target of handedOnBy(link)) seen.add(target);
      });
    }
    return false;
  }
}

/** What holding a record, or receiving by it, gives: the roles that a role includes, or what a link grants. */
function handedOnBy(record: OwnedRecord): Address[] {
  if (record.kind === 'role') return (record.fields.includes ?? []).map((path) => `role/${path}`);
  return [grantedBy(record) ?? []].flat();
}

/** The role or group that receives by a link. */
function holderOf({ fields }: OwnedRecord): Address | undefined {
  return 'entity_type' in fields && 'entity' in fields ? `${fields.entity_type}/${fields.entity}` : undefined;
}

/** Whether a record lies in the application or uses something of it; or is a credential that may write it. */
function isOfConsole({ kind, fields, address }: OwnedRecord): boolean {
  if (kind === 'api_key' || kind === 'oauth_client')
    return fields.limits?.applications?.includes(PROTECTED_APPLICATION) ?? false;
  if (address === `application/${PROTECTED_APPLICATION}`) return true;
  return definitionOf(kind)
    .references(fields)
    .some(({ target, free }) => free !== true && splitAddress(target).path.split('/')[0] === PROTECTED_APPLICATION);
}
