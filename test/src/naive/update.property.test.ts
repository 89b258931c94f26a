import { compileEngine } from '@authz-service/core/access/engine/compile-engine';
import type { CompiledEngine } from '@authz-service/core/access/engine/compiled-engine';
import { TenantSearch } from '@authz-service/core/access/search/tenant-search';
import { finished } from '@authz-service/core/concurrency/time-slicing';
import { ProblemError } from '@authz-service/core/problem';
import type { DecisionRequest } from '@authz-service/core/request';
import type { SearchKind } from '@authz-service/pdp/contract/search';
import { parseSearch } from '@authz-service/pdp/endpoints/search';
import { searchPage } from '@authz-service/pdp/endpoints/search-page';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crowdedTenant, tenant } from './generate.js';
import { changesBetween, history, type State } from './history.js';
import { request } from './random-requests.js';

const moments = fc.constantFrom(0, 999, 1000, 1499, 1500, 2000, 3000);
const SEARCHES: readonly SearchKind[] = ['subject', 'resource', 'action'];

function told(ask: () => unknown): unknown {
  try {
    return ask();
  } catch (error) {
    if (error instanceof ProblemError) return [error.code, error.detail, error.errors];
    throw error;
  }
}

/** All that can be asked of an engine about one question. */
function answers(engine: CompiledEngine, asked: DecisionRequest, now: number): unknown[] {
  const searched = { search: new TenantSearch(engine), id: 'tenant', revision: '1.a' };
  const found = SEARCHES.map((kind) => {
    const search = parseSearch(kind, JSON.parse(JSON.stringify(asked)));
    return told(() => finished(searchPage(searched, search, { now, clock: () => 0 })));
  });
  const decided = told(() => engine.decide(asked, now));
  return [decided, told(() => engine.explain(asked, now)), engine.resourceId(asked), ...found];
}

describe.each([
  { size: 'small', tenants: tenant, steps: 12, runs: 400, often: 20 },
  { size: 'crowded', tenants: crowdedTenant, steps: 8, runs: 80, often: 0 },
])('an engine that follows the changes of a $size tenant', ({ size, tenants, steps, runs, often }) => {
  // Large histories take too long to shrink.
  const endOnFailure = size === 'crowded';
  const questions = fc.array(fc.tuple(request, moments), { minLength: 4, maxLength: 8 });

  it('answers like one compiled afresh', () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(history(tenants, steps), questions, fc.integer(), (states, asked, seed) => {
        let [before] = states as [State];
        const engine = compileEngine(before.values());
        for (const state of states) {
          const changes = changesBetween(before, state, seed);
          engine.apply(changes);
          const fresh = compileEngine(state.values());
          for (const [one, now] of asked) expect(answers(engine, one, now)).toEqual(answers(fresh, one, now));
          for (const { before: was, after } of changes) {
            const kind = `${was === undefined ? 'add' : after === undefined ? 'remove' : 'change'} ${(was ?? after)?.kind}`;
            seen.set(kind, (seen.get(kind) ?? 0) + 1);
          }
          before = state;
        }
      }),
      { numRuns: runs, endOnFailure },
    );
    const kinds = ['resource_type', 'resource', 'subject', 'role', 'group'];
    const links = ['policy', 'policy_assignment', 'role_assignment', 'group_membership'];
    for (const what of ['add', 'remove', 'change'])
      for (const kind of [...kinds, ...links])
        expect(seen.get(`${what} ${kind}`) ?? 0, `${what} ${kind}`).toBeGreaterThanOrEqual(often);
  });

  it('is empty where all has been taken out', () => {
    fc.assert(
      fc.property(history(tenants, steps), request, fc.integer(), (states, asked, seed) => {
        const engine = compileEngine([]);
        let before: State = new Map();
        for (const state of [...states, new Map() as State]) {
          engine.apply(changesBetween(before, state, seed));
          told(() => engine.decide(asked, 0));
          before = state;
        }
        expect([engine.subjects.size, engine.resourcesById.size]).toEqual([0, 0]);
        const paths = new Set(
          states.flatMap((state) => [...state.keys()]).map((address) => /\/(.*)/.exec(address)?.[1] ?? ''),
        );
        const left = [...paths].filter((path) => {
          const roles = engine.namedRoles([path]);
          const name = path.slice(path.lastIndexOf('/') + 1);
          const types = engine.types;
          return (
            roles.counted.length > 0 ||
            [...roles.uncounted].length > 0 ||
            types.get(path) !== undefined ||
            types.named(name).length > 0
          );
        });
        expect(left).toEqual([]);
      }),
      { numRuns: runs / 4, endOnFailure },
    );
  });
});
