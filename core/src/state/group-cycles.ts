import { type Address, splitAddress } from '../records/address.js';
import type { RecordFinding, RecordView } from './change.js';

/** A longer circle is named by its start and its end. */
const NAMED_MAX = 100;

/**
 * The cycles of nested groups that these memberships (of groups in groups) close, each named whole and once. Only what
 * lies below these groups is walked, each group once.
 */
export function findGroupCycles(view: RecordView, memberships: readonly Address[]): RecordFinding[] {
  const findings: RecordFinding[] = [];
  const done = new Set<Address>();
  for (const membership of memberships) {
    const start = endsOf(view, membership)?.outer;
    if (start !== undefined && !done.has(start)) walk(view, start, done, findings);
  }
  return findings;
}

interface Step {
  group: Address;
  /** The memberships of groups in this group that are still to be followed. */
  rest: Address[];
}

/** Goes depth first from a group to its members; a member that is on the way already closes a cycle. */
function walk(view: RecordView, start: Address, done: Set<Address>, findings: RecordFinding[]): void {
  const way: Step[] = [{ group: start, rest: nestedIn(view, start) }];
  const onWay = new Map<Address, number>([[start, 0]]);
  for (let step = way.at(-1); step; step = way.at(-1)) {
    const membership = step.rest.pop();
    if (membership === undefined) {
      way.pop();
      onWay.delete(step.group);
      done.add(step.group);
      continue;
    }
    const inner = endsOf(view, membership)?.inner;
    if (inner === undefined || done.has(inner)) continue;
    const place = onWay.get(inner);
    if (place === undefined) {
      onWay.set(inner, way.length);
      way.push({ group: inner, rest: nestedIn(view, inner) });
    } else {
      const detail = `Groups contain each other in a circle: ${circleText(way, place)}. Remove one of these memberships.`;
      findings.push({ severity: 'error', address: membership, pointer: '/entity', detail });
    }
  }
}

/** The circle that goes from a place on the way to its end, and back to that place. */
function circleText(way: readonly Step[], place: number): string {
  const named = (from: number, to: number) => way.slice(from, to).map(({ group }) => splitAddress(group).path);
  const more = way.length - place + 1 - NAMED_MAX;
  const half = NAMED_MAX / 2;
  const names =
    more <= 0
      ? named(place, way.length)
      : [...named(place, place + half), `… (${more} more) …`, ...named(way.length - half + 1, way.length)];
  return [...names, ...named(place, place + 1)].join(' → ');
}

function nestedIn(view: RecordView, group: Address): Address[] {
  const path = splitAddress(group).path;
  const start = `group_membership/${path}//group/`;
  const found: Address[] = [];
  for (const source of view.inbound(group)) if (source.startsWith(start)) found.push(source);
  return found;
}

function endsOf(view: RecordView, membership: Address): { outer: Address; inner: Address } | undefined {
  const record = view.get(membership);
  if (record?.kind !== 'group_membership' || record.fields.entity_type !== 'group') return undefined;
  return { outer: `group/${record.fields.group}`, inner: `group/${record.fields.entity}` };
}
