/**
 * In a process of its own: roles on resources, a million of them in one tenant, on 100,000 resources five deep, held by
 * 10,000 subjects and their nested groups. Prints its figures as JSON.
 */
import { createHistogram, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import type { EngineRecord } from '@authz-service/core/access/api/engine';
import { EngineBuilder } from '@authz-service/core/access/engine/engine-builder';
import type { SearchQuestion } from '@authz-service/core/access/search/question';
import { TenantSearch } from '@authz-service/core/access/search/tenant-search';
import type { Kind } from '@authz-service/core/records/kinds';
import type { DecisionRequest } from '@authz-service/core/request';
import { fresh, median, random } from './random.js';

const SUBJECTS = 10_000;
const GROUPS = 1_000;
const ROLES_ON_RESOURCES = 1_000_000;
/** Resources of each level, of which each lies in one of the level above. */
const LEVELS = [10, 90, 900, 9_000, 90_000];
const ACTIONS = ['read', 'write', 'share'];

export interface PlacesFigures {
  records: number;
  /** Bytes resident a record. */
  perRecord: number;
  /** Microseconds: a decision, a look-up in a `Map` with as many keys as there are roles on resources, and the 99th percentile. */
  decision: number;
  lookup: number;
  p99: number;
  /** The share of the questions that is allowed, and of these by access path and by how far above the role is held. */
  allowed: number;
  byGroup: number;
  above: number;
  searches: SearchFigures[];
}

/** Milliseconds of first pages of a search, and of its steps. */
export interface SearchFigures {
  what: string;
  p95: number;
  found: number;
  /** The 99th percentile of the steps; the longest in which neither garbage was collected nor another process ran; the longest. */
  step: { p99: number; own: number; longest: number };
}

const draw = random(1);
const levelStart = LEVELS.map((_, level) => LEVELS.slice(0, level).reduce((sum, count) => sum + count, 0));
const total = LEVELS.reduce((sum, count) => sum + count, 0);
const parentOf = (resource: number): number | undefined => {
  const level = levelOf(resource);
  if (level === 0) return undefined;
  const place = resource - (levelStart[level] ?? 0);
  return (levelStart[level - 1] ?? 0) + (place % (LEVELS[level - 1] ?? 1));
};
const levelOf = (resource: number): number => levelStart.findLastIndex((start) => start <= resource);
const typeOf = (resource: number): string => (levelOf(resource) === LEVELS.length - 1 ? 'document' : 'folder');
const pathOf = (resource: number): string => `docs/${typeOf(resource)}/r${resource}`;
/** Groups of 10 lie in one of 100, and those in one of 10. */
const groupOf = (subject: number): number => subject % 900;

interface Holding {
  group: boolean;
  holder: number;
  role: number;
  resource: number;
}
const holdings: Holding[] = [];

function* records(): Generator<EngineRecord> {
  let ids = 0;
  const record = (kind: Kind, fields: object) => ({ kind, id: `id-${ids++}`, fields }) as unknown as EngineRecord;
  const parents = [{ type: 'docs/folder', property: 'folder' }];
  yield record('application', { name: 'docs' });
  for (const name of ['folder', 'document'])
    yield record('resource_type', { application: 'docs', name, actions: ACTIONS, parents });
  for (let resource = 0; resource < total; resource++) {
    const parent = parentOf(resource);
    const type = `docs/${typeOf(resource)}`;
    yield record('resource', {
      type,
      name: `r${resource}`,
      ...(parent !== undefined && { parents: [pathOf(parent)] }),
    });
  }
  for (let subject = 0; subject < SUBJECTS; subject++) {
    yield record('subject', { type: 'user', id: `u${subject}` });
    yield membership('subject', `user/u${subject}`, groupOf(subject));
  }
  for (let group = 0; group < GROUPS; group++) yield record('group', { name: `g${group}` });
  for (let group = 0; group < 900; group++) yield membership('group', `g${group}`, 900 + (group % 90));
  for (let group = 900; group < 990; group++) yield membership('group', `g${group}`, 990 + (group % 10));
  for (const [at, action] of ACTIONS.entries()) {
    yield record('role', { application: 'docs', name: action });
    for (const type of ['folder', 'document']) {
      const actions = ACTIONS.slice(0, at + 1);
      const name = `${action}-${type}`;
      yield record('policy', {
        ...{ application: 'docs', name, effect: 'ALLOW', priority: 0, resource_type: `docs/${type}`, actions },
      });
      yield record('policy_assignment', { policy: `docs/${name}`, entity_type: 'role', entity: `docs/${action}` });
    }
  }
  const seen = new Set<number>();
  while (holdings.length < ROLES_ON_RESOURCES) {
    const group = draw(2) === 0;
    const holder = draw(group ? GROUPS : SUBJECTS);
    const [role, resource] = [draw(3), draw(total)];
    const key = ((holder * 2 + Number(group)) * 3 + role) * total + resource;
    if (seen.has(key)) continue;
    seen.add(key);
    holdings.push({ group, holder, role, resource });
    yield record('role_assignment', {
      role: `docs/${ACTIONS[role]}`,
      entity_type: group ? 'group' : 'subject',
      entity: group ? `g${holder}` : `user/u${holder}`,
      resource: pathOf(resource),
    });
  }

  function membership(entity_type: 'subject' | 'group', entity: string, group: number): EngineRecord {
    return record('group_membership', { group: `g${group}`, entity_type, entity });
  }
}

const held = new Map<number, Holding[]>();

/** Half of the questions follow a role on a document or on what it lies in, each level as often, to one of its holders. */
function questions(count: number, seed: number): DecisionRequest[] {
  const pick = random(seed);
  return Array.from({ length: count }, (_, at) => {
    const asked = (levelStart.at(-1) ?? 0) + pick(LEVELS.at(-1) ?? 1);
    let place = asked;
    for (let up = pick(LEVELS.length); up > 0; up--) place = parentOf(place) ?? place;
    const on = held.get(place) ?? [];
    const holding = on[pick(on.length || 1)];
    const follows = at % 2 === 0 && holding !== undefined;
    const holder = holding?.group ? memberOf(holding.holder, pick) : (holding?.holder ?? 0);
    return {
      subject: { type: fresh('user'), id: fresh(`u${follows ? holder : pick(SUBJECTS)}`) },
      resource: { type: fresh(typeOf(asked)), name: fresh(`r${asked}`) },
      action: { name: fresh(ACTIONS[follows ? holding.role : pick(3)] ?? 'read') },
    };
  });
}

function memberOf(group: number, pick: (below: number) => number): number {
  let inner = group;
  if (inner >= 990) inner = 900 + ((inner - 990) % 10) + 10 * pick(9);
  if (inner >= 900) inner = inner - 900 + 90 * pick(10);
  return inner + 900 * pick(Math.floor((SUBJECTS - 1 - inner) / 900) + 1);
}

function collect(): number {
  for (let turn = 0; turn < 4; turn += 1) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const builder = new EngineBuilder();
const begun = collect();
let added = 0;
for (const record of records()) {
  builder.add(record);
  added += 1;
}
const engine = builder.finish();
const grown = collect() - begun;
// What this program itself keeps of each role on a resource: an object of four numbers.
const perRecord = (grown - ROLES_ON_RESOURCES * 64) / added;

for (const holding of holdings) held.set(holding.resource, [...(held.get(holding.resource) ?? []), holding]);

const now = Date.UTC(2026, 0, 1);
const keys = new Map<string, number>();
for (let key = 0; key < ROLES_ON_RESOURCES; key += 1) keys.set(`key-${key}@example.com`, key);
for (const question of questions(200_000, 2)) engine.decide(question, now);

const decisions: number[] = [];
const lookups: number[] = [];
const counts = { allowed: 0, byGroup: 0, above: 0, asked: 0, found: 0 };
for (let round = 0; round < 5; round += 1) {
  const asked = questions(100_000, 10 + round);
  const sought = asked.map(() => fresh(`key-${draw(ROLES_ON_RESOURCES)}@example.com`));
  let start = performance.now();
  for (const question of asked) if (engine.decide(question, now).decision) counts.found += 1;
  decisions.push(((performance.now() - start) * 1000) / asked.length);
  start = performance.now();
  for (const key of sought) counts.found += keys.get(key) ?? 0;
  lookups.push(((performance.now() - start) * 1000) / sought.length);
  for (const question of asked.slice(0, 10_000)) {
    const answer = engine.decide(question, now);
    counts.asked += 1;
    if (!answer.decision) continue;
    counts.allowed += 1;
    if (answer.access_path === 'group') counts.byGroup += 1;
    if (!answer.reason.includes(`/${question.resource.name}.`)) counts.above += 1;
  }
}
const single = questions(100_000, 99).map((question) => {
  const start = process.hrtime.bigint();
  engine.decide(question, now);
  return Number(process.hrtime.bigint() - start) / 1000;
});
const p99 = Float64Array.from(single).sort()[Math.floor(single.length * 0.99)] ?? Number.NaN;

let search = new TenantSearch(engine);
interface Span {
  start: number;
  end: number;
  /** Whether another process had the processor meanwhile. */
  interrupted?: boolean;
}

const collections: Span[] = [];
new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries())
    collections.push({ start: startTime, end: startTime + duration });
}).observe({ entryTypes: ['gc'] });

/** Only steps of more milliseconds than this are compared with garbage collections. */
const LONG = 0.1;

/** First pages of 100, one search after another, each on names of its own. `before` is not measured. */
async function searches(
  what: string,
  of: (at: number) => SearchQuestion,
  times: number,
  { before = () => {}, all = false }: { before?: (at: number) => void; all?: boolean } = {},
): Promise<SearchFigures> {
  const taken: number[] = [];
  const nanoseconds = createHistogram();
  const long: Span[] = [];
  let found = 0;
  let switches = process.resourceUsage().involuntaryContextSwitches;
  for (let at = 0; at < times; at++) {
    before(at);
    const begun = performance.now();
    for (let after: string | undefined = ''; after !== undefined; ) {
      const steps = search.find(of(at), { after, limit: 100, now, late: () => false });
      for (let start = performance.now(); ; ) {
        const step = steps.next();
        const end = performance.now();
        nanoseconds.record(Math.max(1, Math.round((end - start) * 1e6)));
        if (end - start > LONG) {
          const { involuntaryContextSwitches: seen } = process.resourceUsage();
          long.push({ start, end, interrupted: seen > switches });
          switches = seen;
        }
        start = performance.now();
        if (!step.done) continue;
        found += step.value.results.length;
        after = all ? step.value.next : undefined;
        break;
      }
    }
    taken.push(performance.now() - begun);
  }
  // Node tells of garbage collections in a later turn of the event loop.
  await wait(20);
  const own = long.filter(
    ({ start, end, interrupted }) => !interrupted && !collections.some((one) => one.start < end && one.end > start),
  );
  const p95 = taken.sort((left, right) => left - right)[Math.floor(taken.length * 0.95)] ?? Number.NaN;
  const step = {
    p99: nanoseconds.percentile(99) / 1e6,
    own: Math.max(0, ...own.map(({ start, end }) => end - start)) || nanoseconds.percentile(99.99) / 1e6,
    longest: nanoseconds.max / 1e6,
  };
  return { what, p95, found, step };
}

const pick = random(7);
const some = questions(400, 5);
const user = (at: number) => some[at]?.subject ?? { type: 'user', id: 'u0' };
const read = { name: 'read' };
const root = (at: number) => ({ type: 'folder', name: `r${at % 10}` });
/** A commit: a subject that is new, or one more membership. */
function commit(at: number): void {
  const fields = { type: 'user', id: `new-${at >> 1}` };
  const record =
    at % 2 === 0
      ? { kind: 'subject', id: `user/${fields.id}`, fields }
      : {
          kind: 'group_membership',
          id: `new-${at}`,
          fields: { group: 'g1', entity_type: 'subject', entity: `user/${fields.id}` },
        };
  engine.apply([{ before: undefined, after: record as unknown as EngineRecord }]);
  search = new TenantSearch(engine);
}

/** Makes the documents 100,000, and lets everyone sign them on a condition that never holds. */
function letNobodySign(): void {
  const policy = { application: 'docs', name: 'sign', effect: 'ALLOW', priority: 0, resource_type: 'docs/document' };
  const made: [Kind, object][] = [
    ...Array.from({ length: 10_000 }, (_, at): [Kind, object] => [
      'resource',
      { type: 'docs/document', name: `more-${at}` },
    ]),
    ['policy', { ...policy, actions: ['sign'], condition: 'context.signed' }],
    ['policy_assignment', { policy: 'docs/sign', entity_type: 'everyone', entity: '*' }],
  ];
  const changes = made.map(([kind, fields], at) => ({ kind, id: `sign-${at}`, fields }) as unknown as EngineRecord);
  engine.apply(changes.map((after) => ({ before: undefined, after })));
  search = new TenantSearch(engine);
}

const found: SearchFigures[] = [
  await searches(
    'the index, at the first search',
    () => ({ kind: 'subject', subject: { type: 'user' }, resource: root(0), action: read }),
    1,
  ),
  await searches(
    'who may read a folder',
    (at) => ({ kind: 'subject', subject: { type: 'user' }, resource: root(at), action: read }),
    40,
  ),
  await searches(
    'who may read a document',
    () => ({
      kind: 'subject',
      subject: { type: 'user' },
      resource: { type: 'document', name: `r${10_000 + pick(90_000)}` },
      action: read,
    }),
    100,
  ),
  await searches(
    'which documents somebody may read',
    (at) => ({ kind: 'resource', subject: user(at), resource: { type: 'document' }, action: read }),
    100,
  ),
  await searches(
    'what somebody may do',
    (at) => ({ kind: 'action', subject: user(at), resource: some[at]?.resource ?? root(0) }),
    100,
  ),
  await searches(
    'which documents somebody may delete: none',
    (at) => ({ kind: 'resource', subject: user(at), resource: { type: 'document' }, action: { name: 'none' } }),
    10,
  ),
  await searches(
    'who may read a folder, each time after a commit',
    (at) => ({ kind: 'subject', subject: { type: 'user' }, resource: root(at), action: read }),
    40,
    { before: commit },
  ),
  await searches(
    'none of 100,000 candidates pass',
    (at) => ({ kind: 'resource', subject: user(at), resource: { type: 'document' }, action: { name: 'sign' } }),
    5,
    { before: (at) => (at === 0 ? letNobodySign() : undefined), all: true },
  ),
];

const { allowed, byGroup, above, asked } = counts;
const figures: PlacesFigures = {
  ...{ records: added, perRecord, decision: median(decisions), lookup: median(lookups), p99 },
  ...{ allowed: allowed / asked, byGroup: byGroup / allowed, above: above / allowed, searches: found },
};
process.stdout.write(`${JSON.stringify(figures)}\n`);
