import { apart } from '../apart.js';
import { bar } from '../bars.js';
import { DECISION_STEPS_MAX, measureConditions } from '../conditions.js';
import type { EngineFigures } from '../engine.js';
import { measurePeers } from '../peers.js';
import type { PlacesFigures } from '../places.js';
import { count, fixed, table } from '../table.js';

const FOUR_CLAUSES =
  'resource.properties.amount < 5000 && resource.properties.state == "open" && ' +
  'subject.properties.limit >= resource.properties.amount && subject.properties.region in ["eu", "us"]';

function engineApart(policies: number, condition = ''): EngineFigures {
  return apart('main', [], ['--engine', String(policies), condition]) as EngineFigures;
}

export function engine(): void {
  const rows = [100, 1000, 10_000, 100_000, 1_000_000].map((policies) => {
    const { decision, lookup, explained, p99 } = engineApart(policies);
    bar(`engine, ${count(policies)} policies`, decision / lookup, 'at most', 8, ' look-ups');
    if (policies === 1_000_000) bar('engine, 1,000,000 policies, p99', p99, 'at most', 10, ' µs');
    return [
      count(policies),
      fixed(decision),
      fixed(lookup, 3),
      fixed(decision / lookup, 1),
      count(1e6 / decision),
      fixed(p99),
      fixed(explained),
    ];
  });
  table(
    'Engine in process, no condition',
    ['policies', 'µs a decision', 'µs a Map look-up', 'ratio', 'decisions/s', 'p99 µs', 'µs with its reason read'],
    rows,
  );
  const bare = engineApart(10_000);
  const conditional = engineApart(10_000, FOUR_CLAUSES);
  bar('engine, a condition of four clauses', conditional.decision - bare.decision, 'at most', 1.5, ' µs');
  table(
    'A condition of four clauses, 10,000 policies',
    ['µs bare', 'µs with it', 'difference'],
    [[fixed(bare.decision), fixed(conditional.decision), fixed(conditional.decision - bare.decision)]],
  );
}

export function conditions(): void {
  const figures = measureConditions().sort((left, right) => right.ms - left.ms);
  bar('the costliest condition of one decision', figures[0]?.ms ?? Number.NaN, 'at most', 5, ' ms');
  table(
    `Until the ${count(DECISION_STEPS_MAX)} steps of one decision are used up, the costliest first`,
    ['condition', 'ms'],
    figures.map(({ what, ms }) => [what, fixed(ms)]),
  );
}

let measuredPlaces: PlacesFigures | undefined;

function placesApart(): PlacesFigures {
  measuredPlaces ??= apart('places', ['--expose-gc']) as PlacesFigures;
  return measuredPlaces;
}

export function places(): void {
  const { records, perRecord, decision, lookup, p99, allowed, byGroup, above } = placesApart();
  bar('a million roles on resources', decision / lookup, 'at most', 8, ' look-ups');
  bar('a million roles on resources, p99', p99 / lookup, 'at most', 30, ' look-ups');
  bar('a million roles on resources, resident a record', perRecord, 'at most', 400, ' B');
  const share = (of: number) => `${Math.round(of * 100)}%`;
  table(
    'A million roles on 100,000 resources five deep, 10,000 subjects in nested groups',
    ['records', 'µs a decision', 'µs a Map look-up', 'p99 µs', 'bytes a record', 'allowed', 'by groups', 'from above'],
    [
      [
        ...[count(records), fixed(decision), fixed(lookup, 3), fixed(p99), count(perRecord)],
        ...[share(allowed), share(byGroup), share(above)],
      ],
    ],
  );
}

export function search(): void {
  const { searches } = placesApart();
  for (const { what, p95, found } of searches)
    bar(what, p95, 'at most', found > 0 && !what.includes('first search') ? 50 : 1000, ' ms');
  for (const { what, step } of searches) bar(`${what}: its longest step`, step.own, 'at most', 1, ' ms');
  table(
    'First pages of searches of the same tenant; own steps are those without garbage collection or other processes',
    ['', 'p95 ms', 'p99 of its steps ms', 'longest own ms', 'longest ms', 'found'],
    searches.map(({ what, p95, found, step }) => [
      ...[what, fixed(p95), fixed(step.p99, 4), fixed(step.own), fixed(step.longest), count(found)],
    ]),
  );
}

export async function peers(): Promise<void> {
  const { ours, cedar, casbin } = await measurePeers();
  table(
    'In process, 10,000 policies, the same rules',
    ['', 'µs a decision', 'times ours'],
    [
      ['this engine', fixed(ours), '1'],
      ['cedar-wasm', count(cedar), count(cedar / ours)],
      ['casbin', count(casbin), count(casbin / ours)],
    ],
  );
}
