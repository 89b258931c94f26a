import type { EngineRecord } from '@authz-service/core/access/api/engine';
import { compileEngine } from '@authz-service/core/access/engine/compile-engine';
import { finished } from '@authz-service/core/concurrency/time-slicing';
import type { JsonObject } from '@authz-service/core/json/json';
import { ProblemError } from '@authz-service/core/problem';
import { judgeChange } from '@authz-service/core/questions/access-rules/judge-rules';
import { type Violation, violationText } from '@authz-service/core/questions/access-rules/violation';
import { accessViewOf } from '@authz-service/core/questions/access-rules/violations-in';
import { type DeclaredRecord, declare } from '@authz-service/core/records/registry';
import type { DecisionRequest } from '@authz-service/core/request';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ContextMember, contextsFor } from './contexts.js';
import { fieldsOf, instantsOf } from './enumerate-pairs.js';
import { askWithout } from './evaluate.js';
import { breakingIn, claimOf, formOf, never, type Rule } from './judge.js';
import { type Asked, askedAfter, askedBefore } from './one-sided.js';
import { rulesAboutPages, statesAskingParents } from './random-parents.js';
import { PLACES, type Place, type Probe, probe, requestOf, rulesReading, type Sent, sent } from './random-rules.js';
import { sparseStatesReading, starts, statesReading, tinyStatesReading, withOneSided } from './random-states.js';

type Records = readonly EngineRecord[];
interface Change {
  before: Records;
  after: Records;
  start: number;
}

/** The same 2,120 changes each time; `SERVICE_PROPERTY_FACTOR=50` judges 106,000 others. */
const FACTOR = Number(process.env.SERVICE_PROPERTY_FACTOR ?? 1);
/** The number of times that requests send something besides, of each subject and resource at each instant. */
const SENT = 2;
/** The number of requests about subjects, resources and actions that conditions may tell by their names alone. */
const PROBES = 30;
const OTHER = 'an action that nothing names';
const READS: readonly ContextMember[][] = [['a', 'b'], ['s'], ['mfa', 'ip'], ['time']];

describe.each(READS)(
  'rules on random changes whose conditions read context.%s',
  { timeout: 6 * 3_600_000 },
  (...reads) => {
    it.each([
      { tenants: 'crowded', random: statesReading, runs: 30 },
      { tenants: 'sparse', random: sparseStatesReading, runs: 250 },
      { tenants: 'tiny', random: tinyStatesReading, runs: 250 },
    ])('are broken in $tenants tenants by what a plain judge finds, and by nothing else', ({ random, runs }) => {
      const seen: Seen = { refused: 0, let: 0, suspended: 0 };
      const states = withOneSided(random(reads));
      const when = fc.constantFrom('both', 'both', 'both', 'both', 'before', 'after');
      fc.assert(
        fc.property(
          fc.tuple(states, rulesReading(reads), when, starts),
          fc.array(sent, { minLength: SENT, maxLength: SENT }),
          fc.array(probe, { minLength: PROBES, maxLength: PROBES }),
          ([[before, after], rule, at, start], given, probes) =>
            judgedRightly({ before, after, start }, rule, at, { given, probes, seen }),
        ),
        { numRuns: runs * FACTOR, endOnFailure: true, ...(FACTOR === 1 && { seed: 17 }) },
      );
      expect(seen.refused).toBeGreaterThan((runs * FACTOR) / 50);
      expect(seen.let).toBeGreaterThan((runs * FACTOR) / 25);
      expect(seen.suspended).toBeGreaterThan(0);
    });
  },
);

it('rules on small changes whose conditions ask for what requests say of parents are broken by what a plain judge finds', {
  timeout: 6 * 3_600_000,
}, () => {
  const seen: Seen = { refused: 0, let: 0, suspended: 0 };
  fc.assert(
    fc.property(statesAskingParents, rulesAboutPages, ([before, after], rule) => {
      // What a rule names has a record.
      const { named = [] } = claimOf(rule).resources;
      fc.pre(named.every((path) => [before, after].every((records) => fieldsOf('resource', records).has(path))));
      judgedRightly({ before, after, start: 0 }, rule, 'both', { given: [{ roles: [] }], probes: [], seen });
    }),
    { numRuns: 600 * FACTOR, endOnFailure: true, ...(FACTOR === 1 && { seed: 17 }) },
  );
  expect(seen.refused).toBeGreaterThan(60 * FACTOR);
  expect(seen.let).toBeGreaterThan(60 * FACTOR);
});

/** How the changes of a run were judged. */
interface Seen {
  refused: number;
  let: number;
  suspended: number;
}

/** Throws unless the plain judge finds the same: a witness that breaks the rule, or no request that does. */
function judgedRightly(
  change: Change,
  rule: Rule,
  at: string,
  { given, probes, seen }: { given: readonly Sent[]; probes: readonly Probe[]; seen: Seen },
): void {
  const violations = judged(change, rule, at);
  for (const { mode } of violations) expect(mode).toBe(rule.mode);
  if (Date.parse(rule.suspended_until ?? '') > change.start) {
    seen.suspended++;
    expect(violations).toEqual([]);
    return;
  }
  seen[violations.length > 0 ? 'refused' : 'let']++;
  for (const violation of violations) confirm(change, rule, violation);
  if (violations.length > 0) return;
  expect(breach(change, rule, [{ roles: [] }, ...given], probes)).toBeUndefined();
}

const declared = new WeakMap<object, DeclaredRecord>();

/** Returns what the judge of commits finds. Equal records are the same objects, as they are where commits are judged. */
function judged({ before, after, start }: Change, rule: Rule, at: string): Violation[] {
  const record = declare('access_rule', rule) as DeclaredRecord;
  const made = (records: Records, ruled: boolean) => [
    ...records.map(({ kind, fields }) => {
      const known = declared.get(fields) ?? (declare(kind, fields as never) as DeclaredRecord);
      declared.set(fields, known);
      return known;
    }),
    ...(ruled ? [record] : []),
  ];
  const [old, now] = [accessViewOf(made(before, at !== 'after')), accessViewOf(made(after, at !== 'before'))];
  const addresses = new Set([...made(before, false), ...made(after, false)].map(({ address }) => address));
  const pairs = [...addresses].map((address) => ({ address, before: old.get(address), after: now.get(address) }));
  return finished(judgeChange(old, now, pairs, start));
}

/** Throws unless the witness breaks the rule after the change, by the engine too, and one of it did not before. */
function confirm({ before, after }: Change, rule: Rule, violation: Violation): void {
  if (!violation.proven) return;
  const said = JSON.stringify({ rule, violation, ...difference(before, after) });
  const breaks = ({ records, request }: Asked, now: string) =>
    breakingIn(records, rule, request, Date.parse(now))(request.context ?? {});
  let newly = false;
  for (const { request, now } of violation.witness) {
    const [asked] = askedAfter({ before, after }, request, false) as [Asked];
    expect(breaks(asked, now), said).toBe(true);
    // What is open counts as denied for `always`; where a DENY fails, the others ask what there would be without it.
    const decision = decide(after, asked.request, Date.parse(now));
    if (decision !== 'open') expect(decision, said).toBe(violation.form !== 'always');
    newly ||= askedBefore({ before, after }, asked)?.some((one) => !breaks(one, now)) ?? true;
  }
  expect(newly, said).toBe(true);
  expect(violationText(violation)).toContain(violation.witness[0]?.now);
}

/** Returns what is recorded in one state and not so in the other, for whoever reads a failure. */
function difference(before: Records, after: Records) {
  const fieldsIn = (records: Records) => new Map(records.map((one) => [JSON.stringify(one.fields), one]));
  const [old, now] = [fieldsIn(before), fieldsIn(after)];
  return {
    gone: [...old].flatMap(([key, { kind, fields }]) => (now.has(key) ? [] : [{ kind, ...fields }])),
    come: [...now].flatMap(([key, { kind, fields }]) => (old.has(key) ? [] : [{ kind, ...fields }])),
  };
}

function decide(records: Records, request: DecisionRequest, now: number): boolean | 'open' {
  try {
    return compileEngine(records).decide(request, now).decision;
  } catch (error) {
    if (error instanceof ProblemError) return 'open';
    throw error;
  }
}

/**
 * A request that breaks the rule after the change and did not before: of all subjects, resources, places and instants, and
 * of all contexts that make a difference. Of `separate` one beside another action.
 */
function breach({ before, after, start }: Change, rule: Rule, given: Sent[], probes: readonly Probe[]) {
  const instants = instantsOf(before, after, start);
  const separate = formOf(rule) === 'separate';
  const actions = claimOf(rule).actions.flatMap((action) =>
    action === '*' ? ['read', 'write', 'other', OTHER] : action,
  );
  const any = claimOf(rule).actions.includes('*');
  const seen = new Set<string>();
  const found = (place: Place, one: Sent, asking: readonly string[]) => {
    /** By where the resource then lies: the actions that break the rule, and since when in which way it was asked before. */
    const able = new Map<string, Set<string>>();
    const newly = new Map<string, Set<number>>();
    for (const action of asking) {
      const sends = requestOf(after, place, separate ? { ...one, roles: [] } : one, action);
      const text = JSON.stringify(sends);
      if (seen.has(text)) continue;
      seen.add(text);
      for (const asked of askedAfter({ before, after }, sends)) {
        const former = askedBefore({ before, after }, asked);
        if (former === undefined) continue;
        const lies = JSON.stringify(asked.request.resource);
        const [can, news] = [able.get(lies) ?? new Set<string>(), newly.get(lies) ?? new Set<number>()];
        able.set(lies, can);
        newly.set(lies, news);
        for (const now of instants) {
          const is = breakingIn(after, rule, asked.request, now);
          if (is === never) continue;
          const was = former.map(({ records, request }) => breakingIn(records, rule, request, now));
          for (const context of contextsOf([asked, ...former], rule, now)) {
            if (!is(context)) continue;
            can.add(action);
            for (const [at, old] of was.entries()) if (!old(context)) news.add(at);
            if (!separate && was.every((old) => !old(context)))
              return { rule, request: { ...asked.request, context }, now, ...difference(before, after) };
          }
          // Of `separate`, beside another action, and in whichever way it was asked before.
          if (separate && can.size > 1 && news.size === former.length)
            return { rule, request: asked.request, ...difference(before, after) };
        }
      }
    }
    return undefined;
  };
  for (const place of PLACES)
    for (const one of given) {
      const missed = found(place, one, actions);
      if (missed !== undefined) return missed;
    }
  for (const { place, sent: one, action } of probes) {
    const missed = found(place, one, any ? [...actions, action] : actions);
    if (missed !== undefined) return missed;
  }
  return undefined;
}

function contextsOf(all: readonly Asked[], { when }: Rule, now: number): readonly JsonObject[] {
  const policies = all.flatMap(({ records, request }) => {
    const asked = askWithout(records, request, now);
    return 'error' in asked ? [] : asked.policies;
  });
  return contextsFor([...policies, { condition: when }]);
}
