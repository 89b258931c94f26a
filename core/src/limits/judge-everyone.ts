import { eachInSteps } from '../concurrency/time-slicing.js';
import type { Address } from '../records/address.js';
import { EVERYONE } from '../records/everyone.js';
import type { Fault } from '../records/issue-faults.js';
import { grantedBy } from './foreign-link.js';
import { isOwn, type OwnedRecord, type OwnedView } from './judge-record.js';
import { namesText } from './limits-text.js';
import type { Writer } from './writer.js';

/** Links looked at in one step: a role may have as many as there are people. */
const STEP = 256;

/** Records by address, and by whom they are mentioned. */
interface LinkedView extends OwnedView {
  inbound(address: Address): Iterable<Address>;
}

/**
 * Returns what a record, as it would be after a change, helps to give to everyone although it is not the writer's own.
 * Sharing lets a team hand something on to somebody, not to all: neither directly nor by a role of its own that includes or
 * holds it. It goes through all that is linked to the roles, a part of it a step.
 */
export function* judgeEveryone(record: OwnedRecord, view: LinkedView, writer: Writer): Generator<undefined, Fault[]> {
  const { applications } = writer.limits;
  if (applications === undefined) return [];
  const faults: Fault[] = [];
  for (const { from, to, pointer } of stepsOf(record)) {
    const foreign = yield* notOwnBelow(to, view, writer);
    if (foreign === undefined || !(yield* isHeldByAll(from, view))) continue;
    const detail = `"${record.address}" would give "${foreign}" to everyone, but the credential "${writer.name}" does not own it, being limited to ${namesText('application', applications)}: give it to groups or subjects, or use a credential without that limit.`;
    faults.push({ pointer, detail });
  }
  return faults;
}

/** A holder of another record by this one: the address of a role, or everyone. */
interface Step {
  from: Address | typeof EVERYONE;
  to: Address;
  pointer: string;
}

function stepsOf(record: OwnedRecord): Step[] {
  if (record.kind === 'role') {
    const includes = record.fields.includes ?? [];
    return includes.map((path, index) => ({ from: record.address, to: `role/${path}`, pointer: `/includes/${index}` }));
  }
  if (record.kind !== 'role_assignment' && record.kind !== 'policy_assignment') return [];
  const { entity_type: kind, entity } = record.fields;
  const from = kind === EVERYONE ? EVERYONE : kind === 'role' ? `role/${entity}` : undefined;
  const to = grantedBy(record);
  return from === undefined || to === undefined ? [] : [{ from, to, pointer: `/${to.slice(0, to.indexOf('/'))}` }];
}

/** The first of what is handed out with a role or policy, itself included, that is not the writer's own. */
function* notOwnBelow(start: Address, view: LinkedView, { limits }: Writer): Generator<undefined, Address | undefined> {
  const seen = new Set([start]);
  for (const address of seen) {
    const record = view.get(address);
    if (record === undefined) continue;
    if (!isOwn(record, limits)) return address;
    if (record.kind !== 'role') continue;
    for (const { to } of stepsOf(record)) seen.add(to);
    yield* eachInSteps(view.inbound(address), STEP, (source) => {
      const link = source.startsWith('policy_assignment/') ? view.get(source) : undefined;
      for (const { from, to } of link === undefined ? [] : stepsOf(link)) if (from === address) seen.add(to);
    });
  }
  return undefined;
}

/** Whether everyone holds a role, directly or by one that includes it. */
function* isHeldByAll(start: Address, view: LinkedView): Generator<undefined, boolean> {
  const seen = new Set([start]);
  for (const address of seen) {
    if (address === EVERYONE) return true;
    yield* eachInSteps(view.inbound(address), STEP, (source) => {
      const record = view.get(source);
      for (const { from, to } of record === undefined ? [] : stepsOf(record)) if (to === address) seen.add(from);
    });
  }
  return false;
}
