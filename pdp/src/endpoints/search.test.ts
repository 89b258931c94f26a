import type { EngineRecord } from '@authz-service/core/access/api/engine';
import { compileEngine } from '@authz-service/core/access/engine/compile-engine';
import { TenantSearch } from '@authz-service/core/access/search/tenant-search';
import { finished } from '@authz-service/core/concurrency/time-slicing';
import { ProblemError } from '@authz-service/core/problem';
import type { Kind } from '@authz-service/core/records/kinds';
import { definitionOf } from '@authz-service/core/records/registry';
import { describe, expect, it } from 'vitest';
import type { SearchKind } from '../contract/search.js';
import { parseSearch } from './search.js';
import { type SearchMoment, searchPage } from './search-page.js';

function record(kind: Kind, fields: object, id = ''): EngineRecord {
  return { kind, id, fields: definitionOf(kind).schema.parse(fields) } as EngineRecord;
}

/** Ten subjects and ten documents; all of staff may read, u3 may also write what is marked so. */
const numbers = Array.from({ length: 10 }, (_, at) => at);
const RECORDS = [
  record('application', { name: 'a' }),
  record('resource_type', { application: 'a', name: 'doc', actions: ['write', 'read', 'burn'] }),
  record('group', { name: 'staff' }),
  ...numbers.map((at) => record('subject', { type: 'user', id: `u${at}` })),
  ...numbers.map((at) =>
    record('resource', { type: 'a/doc', name: `d${at}`, properties: { open: at % 2 === 0 } }, `id-${at}`),
  ),
  ...numbers.map((at) => record('group_membership', { group: 'staff', entity_type: 'subject', entity: `user/u${at}` })),
  record('policy', { name: 'read', effect: 'ALLOW', resource_type: 'a/doc', actions: ['read'] }),
  record('policy', {
    name: 'write',
    effect: 'ALLOW',
    resource_type: 'a/doc',
    actions: ['write'],
    condition: 'resource.properties.open',
  }),
  record('policy', {
    name: 'burn',
    effect: 'ALLOW',
    resource_type: 'a/doc',
    actions: ['burn'],
    condition: 'context.pin == 1 || resource.properties.open > 1',
  }),
  ...['read', 'burn'].map((policy) => record('policy_assignment', { policy, entity_type: 'group', entity: 'staff' })),
  record('policy_assignment', { policy: 'write', entity_type: 'subject', entity: 'user/u3' }),
];

const at = (revision = '1.a', id = 't', records = RECORDS) => ({
  search: new TenantSearch(compileEngine(records)),
  id,
  revision,
});

function find(kind: SearchKind, body: object, searched = at(), moment: Partial<SearchMoment> = {}) {
  const steps = searchPage(searched, parseSearch(kind, body), { now: 0, clock: () => 0, ...moment });
  return finished(steps) as { page?: { next_token: string; count: number }; results: { id?: string; name?: string }[] };
}

const ids = ({ results }: ReturnType<typeof find>) => results.map(({ id, name }) => id ?? name);
const [subject, action, resource] = [{ type: 'user', id: 'u3' }, { name: 'read' }, { type: 'doc', id: 'd1' }];
const readers = { subject: { type: 'user' }, action, resource };

describe('a search', () => {
  it('of subjects, resources and actions answers in the order of addresses', () => {
    expect(find('subject', readers)).toEqual({ results: numbers.map((at) => ({ type: 'user', id: `u${at}` })) });
    expect(ids(find('resource', { subject, action: { name: 'write' }, resource: { type: 'doc' } }))).toEqual([
      'd0',
      'd2',
      'd4',
      'd6',
      'd8',
    ]);
    expect(ids(find('action', { subject, resource: { type: 'doc', id: 'd2' } }))).toEqual(['read', 'write']);
  });

  it('shows the type as it was asked for', () => {
    const { results } = find('resource', { subject, action: { name: 'write' }, resource: { type: 'a/doc' } });
    expect(results[0]).toEqual({ type: 'a/doc', id: 'd0' });
  });

  it.each<[string, SearchKind, object]>([
    ['subject type', 'subject', { ...readers, subject: { type: 'robot' } }],
    ['resource type', 'subject', { ...readers, resource: { type: 'car', id: 'x' } }],
    ['action', 'subject', { ...readers, action: { name: 'sing' } }],
    ['subject', 'resource', { subject: { type: 'user', id: 'x' }, action, resource: { type: 'doc' } }],
    ['resource type', 'resource', { subject, action, resource: { type: 'car' } }],
    ['subject', 'action', { subject: { type: 'user', id: 'x' }, resource }],
    ['resource type', 'action', { subject, resource: { type: 'car', id: 'd1' } }],
  ])('with an unknown %s finds nothing in a search for a %s', (_, kind, body) => {
    expect(find(kind, body)).toEqual({ results: [] });
  });

  it("evaluates conditions on stored properties, and on the request's over them", () => {
    const write = { subject: { type: 'user' }, action: { name: 'write' } };
    expect(ids(find('subject', { ...write, resource: { type: 'doc', id: 'd1' } }))).toEqual([]);
    expect(ids(find('subject', { ...write, resource: { type: 'doc', id: 'd1', properties: { open: true } } }))).toEqual(
      ['u3'],
    );
    expect(
      ids(
        find('resource', {
          subject,
          action: { name: 'write' },
          resource: { type: 'doc', properties: { open: false } },
        }),
      ),
    ).toEqual([]);
  });

  it('leaves out what cannot be evaluated, and finds it where it can', () => {
    const burn = { subject: { type: 'user' }, action: { name: 'burn' }, resource };
    expect(find('subject', { ...burn, context: { pin: 2 } })).toEqual({
      results: [],
      context: { left_out: 10, absent: [] },
    });
    expect(find('subject', { ...burn, context: { pin: 1 } }).results).toHaveLength(10);
    expect(ids(find('action', { subject, resource, context: { pin: 2 } }))).toEqual(['read']);
  });

  it.each([
    ['lacks an attribute', 'context.pin == 1'],
    ['fails', 'resource.properties.open > 1'],
  ])('does not count whom no ALLOW leads to, where a DENY %s', (_, condition) => {
    const deny = { name: 'not', effect: 'DENY', resource_type: 'a/doc', actions: ['write'], condition };
    const denied = [
      ...RECORDS,
      record('policy', deny),
      record('policy_assignment', { policy: 'not', entity_type: 'group', entity: 'staff' }),
    ];
    const searched = at('1.a', 't', denied);
    const write = (id: string) => find('action', { subject: { ...subject, id }, resource }, searched);
    expect(write('u1')).toEqual(find('action', { subject: { ...subject, id: 'u1' }, resource }));
    expect(write('u3')).toMatchObject({ context: { left_out: 2 } });
  });

  it('names a resource by its id where its name is the id of another', () => {
    const odd = [...RECORDS, record('resource', { type: 'a/doc', name: 'id-0' }, 'odd')];
    const found = ids(find('resource', { subject, action, resource: { type: 'doc' } }, at('1.a', 't', odd)));
    expect(found).toContain('d0');
    expect(found).toContain('odd');
    expect(found).not.toContain('id-0');
  });

  it('refuses a name that fits two', () => {
    const two = [...RECORDS, record('resource_type', { application: 'b', name: 'doc', actions: [] })];
    expect(() => find('subject', readers, at('1.a', 't', two))).toThrow(
      expect.objectContaining({ code: 'ambiguous_name' }),
    );
  });

  it('asks the engine only about those to whom a policy leads', () => {
    const engine = compileEngine(RECORDS);
    let asked = 0;
    const { decideResolved } = engine;
    engine.decideResolved = function (...args) {
      asked++;
      return decideResolved.apply(this, args);
    };
    const write = { subject: { type: 'user' }, action: { name: 'write' }, resource: { type: 'doc', id: 'd2' } };
    find('subject', write, { search: new TenantSearch(engine), id: 't', revision: '1.a' });
    expect(asked).toBe(1);
  });
});

describe('pages', () => {
  const searched = at();
  const page = (limit: number | undefined, token?: string) =>
    find('subject', { ...readers, page: { ...(limit !== undefined && { limit }), ...(token && { token }) } }, searched);

  it('go on with the token alone, and end with an empty one', () => {
    const first = page(4);
    expect(first.page).toEqual({ next_token: expect.stringMatching(/^[\w-]+$/), count: 4 });
    const second = page(undefined, first.page?.next_token);
    const third = page(4, second.page?.next_token);
    expect([first, second, third].flatMap(ids)).toEqual(numbers.map((at) => `u${at}`));
    expect(third.page).toEqual({ next_token: '', count: 2 });
  });

  it('of exactly all results, or of none at all', () => {
    expect(page(10).page).toEqual({ next_token: '', count: 10 });
    const none = page(0);
    expect(none).toEqual({ page: { next_token: expect.stringMatching(/./), count: 0 }, results: [] });
    expect(page(0, none.page?.next_token).results).toEqual([]);
  });

  it('have at most 1000 results', () => {
    const many = [
      ...RECORDS,
      ...Array.from({ length: 1500 }, (_, at) => [
        record('subject', { type: 'user', id: `v${at}` }),
        record('group_membership', { group: 'staff', entity_type: 'subject', entity: `user/v${at}` }),
      ]).flat(),
    ];
    const crowd = at('1.a', 't', many);
    const first = find('subject', readers, crowd);
    expect(first.page).toMatchObject({ count: 1000 });
    const rest = find('subject', { ...readers, page: { token: first.page?.next_token } }, crowd);
    expect(new Set([first, rest].flatMap(ids)).size).toBe(1510);
    expect(rest.page?.next_token).toBe('');
    expect(find('subject', { ...readers, page: { limit: 100_000 } }, crowd).results).toHaveLength(1000);
  });

  it('end early where there is much to go through, and lose nothing', () => {
    let ms = 0;
    // Asked once at the start, and then after each candidate.
    const clock = () => (ms += 2_000);
    const found: unknown[] = [];
    const sizes: number[] = [];
    let token: string | undefined;
    do {
      const answer = find('resource', { subject, action, resource: { type: 'doc' }, page: { token } }, searched, {
        clock,
      });
      found.push(...ids(answer));
      sizes.push(answer.results.length);
      token = answer.page?.next_token;
    } while (token);
    expect(found).toEqual(numbers.map((at) => `d${at}`));
    expect(sizes).toEqual([3, 3, 3, 1]);
  });

  it('end after half a second where a change waits for them', async () => {
    let ms = 0;
    const moment = { now: 0, clock: () => (ms += 200) };
    const engine = compileEngine(RECORDS);
    const search = new TenantSearch(engine);
    const asked = parseSearch('subject', readers);
    let written: Promise<void> | undefined;
    const answer = await engine.lock.read(async () => {
      const steps = searchPage({ search, id: 't', revision: '1.a' }, asked, moment);
      let step = steps.next();
      written = engine.lock.write(() => {});
      while (!step.done) step = steps.next();
      return step.value;
    });
    await written;
    expect(answer.results).toHaveLength(4);
    expect(answer.page?.next_token).not.toBe('');
    expect(find('subject', readers, at(), moment).results).toHaveLength(10);
  });

  it('carry no time: each is decided at its own moment', () => {
    const body = (token?: string) => ({ ...readers, page: { limit: 4, token } });
    const [early, late] = [0, 5000].map((now) => find('subject', body(), searched, { now }).page?.next_token);
    expect(early).toBe(late);
    expect(ids(find('subject', body(early), searched, { now: 9000 }))).toEqual(['u4', 'u5', 'u6', 'u7']);
  });

  const { next_token: token } = page(4).page ?? { next_token: '' };
  it.each<[string, () => unknown]>([
    ['another limit', () => page(5, token)],
    ['another action', () => find('subject', { ...readers, action: { name: 'write' }, page: { token } })],
    ['another context', () => find('subject', { ...readers, context: { a: 1 }, page: { token } })],
    ['another search', () => find('action', { subject, resource, page: { token } })],
    ['another revision', () => find('subject', { ...readers, page: { token } }, at('2.a'))],
    ['another tenant', () => find('subject', { ...readers, page: { token } }, at('1.a', 'u'))],
    ['a changed token', () => page(undefined, `${token.slice(0, -2)}AA`)],
    ['no token at all', () => page(undefined, 'zzz')],
  ])('are refused for %s', (_, ask) => {
    expect(ask).toThrow(ProblemError);
    expect(ask).toThrow(expect.objectContaining({ code: 'invalid_cursor' }));
  });

  it('are the same whatever the order of members, and with members that mean nothing', () => {
    const { action, resource, subject } = readers;
    expect(
      find('subject', { more: 1, resource, subject: { id: 7, ...subject }, page: { token }, action }).results,
    ).toHaveLength(4);
  });
});
