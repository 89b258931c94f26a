import type { EngineRecord } from '@authz-service/core/access/api/engine';
import { compileEngine } from '@authz-service/core/access/engine/compile-engine';
import { TenantSearch } from '@authz-service/core/access/search/tenant-search';
import { finished } from '@authz-service/core/concurrency/time-slicing';
import { ProblemError } from '@authz-service/core/problem';
import { encodeSegment } from '@authz-service/core/records/address';
import type { Fields } from '@authz-service/core/records/registry';
import type { DecisionRequest } from '@authz-service/core/request';
import type { FoundAction, FoundEntity, SearchKind } from '@authz-service/pdp/contract/search';
import { parseSearch, type SearchRequest } from '@authz-service/pdp/endpoints/search';
import { searchPage } from '@authz-service/pdp/endpoints/search-page';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluate } from './evaluate.js';
import { alikeTenant, crowdedTenant, tenant } from './generate.js';
import { request } from './random-requests.js';

type SearchResult = FoundEntity | FoundAction;
type Refusal = 'ambiguous_name' | 'invalid_request';
type Answer = SearchResult[] | Refusal;

const KINDS: readonly SearchKind[] = ['subject', 'resource', 'action'];
const moments = fc.constantFrom(0, 999, 1000, 1499, 1500, 2000, 3000);

/** The results by the rules alone: a decision on everything that there is. */
function bruteForce(records: readonly EngineRecord[], kind: SearchKind, asked: DecisionRequest, now: number): Answer {
  const { subject, resource, action } = asked;
  const fieldsOf = <K extends 'subject' | 'resource' | 'resource_type'>(of: K) =>
    records.filter((record) => record.kind === of).map(({ fields }) => fields as Fields<K>);
  const types = fieldsOf('resource_type').filter(
    ({ application, name }) => name === resource.type || `${application}/${name}` === resource.type,
  );
  const candidates: { key: string; found: SearchResult; request: DecisionRequest }[] = {
    subject: () =>
      fieldsOf('subject')
        .filter(({ type }) => type === subject.type)
        .map(({ type, id }) => ({ key: id, found: { type, id }, request: { ...asked, subject: { ...subject, id } } })),
    resource: () =>
      fieldsOf('resource')
        .filter(({ type }) => types.some((one) => `${one.application}/${one.name}` === type))
        .map(({ name }) => {
          const { id: _, ...rest } = resource;
          const found = { type: resource.type, id: name };
          return { key: name, found, request: { ...asked, resource: { ...rest, name } } };
        }),
    action: () =>
      types.flatMap(({ actions }) =>
        actions.map((name) => ({ key: name, found: { name }, request: { ...asked, action: { ...action, name } } })),
      ),
  }[kind]();
  // Names are resolved though nothing may be a candidate.
  for (const one of [asked, ...candidates.map((candidate) => candidate.request)]) {
    const answer = evaluate(records, one, now);
    if (!('error' in answer) || answer.error === 'evaluation_failed') continue;
    // Where the resource lies is asked of one that the request names, not of all.
    if (answer.error === 'ambiguous_name' || kind !== 'resource') return answer.error;
  }
  return candidates
    .sort((left, right) => (encodeSegment(left.key) < encodeSegment(right.key) ? -1 : 1))
    .filter((candidate) => {
      const answer = evaluate(records, candidate.request, now);
      return 'decision' in answer && answer.decision;
    })
    .map(({ found }) => found);
}

type Searched = Parameters<typeof searchPage>[0];

function answerOf(searched: Searched, search: SearchRequest, now: number) {
  try {
    return finished(searchPage(searched, search, { now, clock: () => 0 }));
  } catch (error) {
    if (error instanceof ProblemError && ['ambiguous_name', 'invalid_request'].includes(error.code))
      return error.code as Refusal;
    throw error;
  }
}

/** All pages of so many results each. */
function paged(searched: Searched, search: SearchRequest, now: number, limit: number): Answer {
  const results: SearchResult[] = [];
  let page: SearchRequest['page'] = { limit };
  for (;;) {
    const answer = answerOf(searched, { ...search, page }, now);
    if (typeof answer === 'string') return answer;
    expect(answer.results.length).toBeLessThanOrEqual(limit);
    results.push(...answer.results);
    const token = answer.page?.next_token;
    if (!token) return results;
    // A page that is not the last one is full.
    expect(answer.results).toHaveLength(limit);
    page = { token };
  }
}

function searchOf(kind: SearchKind, asked: DecisionRequest): SearchRequest {
  return parseSearch(kind, JSON.parse(JSON.stringify(asked)));
}

/** Words by which conditions ask about the subject's groups and roles and about the places of the resource. */
const WORDS = ['in_group', 'has_role', 'ancestor'];

/** The tenant without the policies whose conditions ask this. */
function recordsWithout(records: readonly EngineRecord[], word: string): EngineRecord[] {
  return records.filter(
    ({ kind, fields }) => kind !== 'policy' || !(fields as Fields<'policy'>).condition?.includes(word),
  );
}

describe.each([
  { size: 'small', tenants: tenant, runs: 400 },
  { size: 'crowded', tenants: crowdedTenant, runs: 60 },
  { size: 'alike', tenants: alikeTenant, runs: 300 },
])('a search of $size tenants', ({ size, tenants, runs }) => {
  it('finds exactly those that a decision allows, in order, on pages of any size', () => {
    const seen = new Map<string, number>();
    const count = (kind: string) => seen.set(kind, (seen.get(kind) ?? 0) + 1);
    const questions = fc.array(fc.tuple(request, moments, fc.integer({ min: 1, max: 3 })), {
      minLength: 3,
      maxLength: 5,
    });
    fc.assert(
      fc.property(tenants, questions, (records, asked) => {
        const engine = compileEngine(records);
        const { decideResolved } = engine;
        let decided = 0;
        engine.decideResolved = function (...args) {
          decided++;
          return decideResolved.apply(this, args);
        };
        const search = new TenantSearch(engine);
        const searched = { search, id: 'tenant', revision: '1.a' };
        for (const [one, now, limit] of asked) {
          for (const kind of KINDS) {
            const wanted = bruteForce(records, kind, one, now);
            decided = 0;
            const answer = answerOf(searched, searchOf(kind, one), now);
            if (decided > 0 && decided < wanted.length) count('one decision for many');
            expect(typeof answer === 'string' ? answer : answer.results, kind).toEqual(wanted);
            expect(paged(searched, searchOf(kind, one), now, limit), kind).toEqual(wanted);
            count(`${kind} ${typeof wanted === 'string' ? wanted : Math.min(wanted.length, 2)}`);
            if (size !== 'alike') continue;
            for (const word of WORDS) {
              const without = bruteForce(recordsWithout(records, word), kind, one, now);
              if (JSON.stringify(without) !== JSON.stringify(wanted)) count(word);
            }
          }
        }
      }),
      { numRuns: runs },
    );
    for (const kind of KINDS)
      for (const outcome of [0, 1, 2, 'ambiguous_name'])
        expect(seen.get(`${kind} ${outcome}`) ?? 0, `${kind} ${outcome}`).toBeGreaterThan(size === 'small' ? 20 : 2);
    if (size !== 'alike') return;
    expect(seen.get('one decision for many') ?? 0).toBeGreaterThan(20);
    for (const word of WORDS) expect(seen.get(word) ?? 0, word).toBeGreaterThan(10);
  });
});
