import type { EngineRecord } from '@authz-service/core/access/api/engine';
import type { PairAnswer } from '@authz-service/core/access/delta/pair-change';
import type { PairLine } from '@authz-service/core/questions/impact/api/access-delta';
import type { Kind } from '@authz-service/core/records/kinds';
import { addressOf, type Fields } from '@authz-service/core/records/registry';
import type { DecisionRequest } from '@authz-service/core/request';
import { contextsFor } from './contexts.js';
import { askWithout, type NaiveAnswer } from './evaluate.js';

type Records = readonly EngineRecord[];

/**
 * The triples that are answered differently (docs/semantics.md 10.5), found by asking each of them in both states at every
 * instant that matters with every context that does. `now` is milliseconds.
 */
export function enumeratePairs(before: Records, after: Records, now: number): PairLine[] {
  const instants = instantsOf(before, after, now);
  const lines: PairLine[] = [];
  for (const [subject, { type, id }] of fieldsOf('subject', before, after))
    for (const [resource, { type: ofType, name }] of fieldsOf('resource', before, after))
      for (const action of actionsOf(ofType, before, after)) {
        const request = { subject: { type, id }, resource: { type: ofType, name }, action: { name: action } };
        const line = comparedAt(instants, before, after, request);
        if (line !== undefined) lines.push({ subject, action, resource, ...line });
      }
  return lines;
}

/** From `now` on, each instant at which a link or suspension of either state begins or ends. */
export function instantsOf(before: Records, after: Records, now: number): number[] {
  const instants = new Set([now]);
  for (const { fields } of [...before, ...after])
    for (const name of ['starts_at', 'expires_at', 'suspended_until'] as const) {
      const text = (fields as { starts_at?: string; expires_at?: string; suspended_until?: string })[name];
      if (text !== undefined && Date.parse(text) > now) instants.add(Date.parse(text));
    }
  return [...instants].sort((one, other) => one - other);
}

/** Lists of records are not changed. */
const byKind = new WeakMap<Records, Map<Kind, ReadonlyMap<string, object>>>();

/** By path, the records of a kind that either state has. */
export function fieldsOf<K extends Kind>(kind: K, ...states: Records[]): ReadonlyMap<string, Fields<K>> {
  const all = states.map((records) => fieldsIn(kind, records));
  return all.length === 1 ? (all[0] as ReadonlyMap<string, Fields<K>>) : new Map(all.flatMap((one) => [...one]));
}

function fieldsIn<K extends Kind>(kind: K, records: Records): ReadonlyMap<string, Fields<K>> {
  const kinds = byKind.get(records) ?? new Map<Kind, ReadonlyMap<string, object>>();
  byKind.set(records, kinds);
  let found = kinds.get(kind) as ReadonlyMap<string, Fields<K>> | undefined;
  if (found === undefined) {
    const own = records.filter((record) => record.kind === kind).map(({ fields }) => fields as Fields<K>);
    found = new Map(own.map((fields) => [addressOf(kind, fields).slice(kind.length + 1), fields]));
    kinds.set(kind, found);
  }
  return found;
}

function actionsOf(type: string, ...states: Records[]): Set<string> {
  return new Set(states.flatMap((state) => fieldsOf('resource_type', state).get(type)?.actions ?? []));
}

export const isAllowed = (answer: NaiveAnswer): boolean => 'decision' in answer && answer.decision;

function comparedAt(instants: readonly number[], before: Records, after: Records, request: DecisionRequest) {
  const seen = { before: new Set<boolean>(), after: new Set<boolean>() };
  let [gained, lost] = [false, false];
  for (const now of instants) {
    const [was, is] = [askWithout(before, request, now), askWithout(after, request, now)];
    if ('error' in was || 'error' in is) throw new Error('a question about records is refused');
    for (const context of contextsFor([...was.policies, ...is.policies])) {
      const [first, second] = [isAllowed(was.answer(context)), isAllowed(is.answer(context))];
      seen.before.add(first);
      seen.after.add(second);
      gained ||= second && !first;
      lost ||= first && !second;
    }
  }
  if (!gained && !lost) return undefined;
  const change = gained && lost ? ('mixed' as const) : gained ? ('gained' as const) : ('lost' as const);
  return { before: answerOf(seen.before), after: answerOf(seen.after), change };
}

function answerOf(seen: ReadonlySet<boolean>): PairAnswer {
  return seen.size > 1 ? 'depends' : seen.has(true) ? 'allow' : 'deny';
}
