import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { ProblemError } from '../problem.js';
import { authzenConfiguration } from './authzen-configuration.js';
import {
  authzenConfigurationSchema,
  evaluationsRequestSchema,
  evaluationsResponseSchema,
  searchRequestSchemas,
  searchResponseSchemas,
} from './authzen-schema.js';
import { type ParsedEvaluations, parseEvaluations } from './evaluations-request.js';
import { answerEvaluations } from './evaluations-response.js';
import { parseSearch, type SearchKind } from './search-request.js';

const odd = fc.constantFrom<unknown>(null, '', 0, -1, 1.5, true, 'x', [], ['x'], {}, { a: 1 });
const mostly = (good: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 40, arbitrary: good }, { weight: 1, arbitrary: odd });
const text = mostly(fc.constantFrom('a', 'b'));
const bag = mostly(fc.dictionary(fc.constantFrom('a', '__proto__'), fc.jsonValue()));
// That the two agree on the keys of both, a JSON Schema cannot say.
const alias = fc.oneof(
  { weight: 40, arbitrary: fc.dictionary(fc.constantFrom('b', '__defineGetter__'), fc.jsonValue()) },
  { weight: 1, arbitrary: fc.constantFrom(null, []) },
);
const some = (members: Record<string, fc.Arbitrary<unknown>>) => mostly(fc.record(members, { requiredKeys: [] }));
const most = (members: Record<string, fc.Arbitrary<unknown>>) =>
  fc.oneof({ weight: 5, arbitrary: mostly(fc.record(members)) }, { weight: 1, arbitrary: some(members) });

const body = most({
  subject: most({ type: text, id: text, properties: bag, attributes: alias, roles: mostly(fc.array(text)) }),
  resource: most({ type: text, id: text, name: text, properties: bag }),
  action: most({ name: text, properties: bag, more: odd }),
  context: bag,
  options: some({
    explain: mostly(fc.boolean()),
    evaluations_semantic: mostly(fc.constantFrom('execute_all', 'deny_on_first_deny')),
    reasons: mostly(fc.boolean()),
  }),
  evaluations: mostly(fc.array(odd, { minLength: 1 })),
  page: some({ token: text, limit: mostly(fc.nat()), properties: bag, more: odd }),
  more: odd,
});

function pointersOf(parse: () => unknown): Set<string> {
  try {
    parse();
    return new Set();
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== 'invalid_request') throw error;
    return new Set(error.errors.map((item) => item.pointer));
  }
}

function pointersOfSchema(schema: z.ZodType, value: unknown): Set<string> {
  const issues = schema.safeParse(value).error?.issues ?? [];
  return new Set(issues.map(({ path }) => path.map((key) => `/${String(key)}`).join('')));
}

function agree(schema: z.ZodType, parse: (value: unknown) => unknown): void {
  let accepted = 0;
  fc.assert(
    fc.property(body, (value) => {
      const parser = pointersOf(() => parse(value));
      const wanted = pointersOfSchema(schema, value);
      accepted += parser.size === 0 ? 1 : 0;
      // The schema looks for "id" or "name" only where the resource has no other fault.
      const both = (pointers: Set<string>) => [...pointers].filter((pointer) => pointer !== '/resource').sort();
      expect(both(parser)).toEqual(both(wanted));
      expect(parser.size === 0).toBe(wanted.size === 0);
    }),
    { numRuns: 600 },
  );
  expect(accepted).toBeGreaterThan(60);
}

describe('the request schemas and the parsers find the same faults in the same places', () => {
  it('of batches', () => {
    // Without evaluations it is a decision request, whose schema has a test of its own.
    agree(evaluationsRequestSchema, (value) => {
      const { evaluations } = (value ?? {}) as { evaluations?: unknown };
      const single = evaluations === undefined || (Array.isArray(evaluations) && evaluations.length === 0);
      return single && typeof value === 'object' && !Array.isArray(value) && value !== null
        ? parseEvaluations({ ...value, evaluations: [{}] })
        : parseEvaluations(value);
    });
  });

  it.each(Object.keys(searchRequestSchemas) as SearchKind[])('of searches for a %s', (kind) => {
    agree(searchRequestSchemas[kind], (value) => parseSearch(kind, value));
  });
});

describe('a search request', () => {
  const [subject, action, resource] = [{ type: 'user', id: 'u' }, { name: 'read' }, { type: 'doc', id: 'd' }];

  it.each<[SearchKind, object, object]>([
    ['subject', { subject: { ...subject, id: 7 }, action, resource }, { subject: { type: 'user' }, action, resource }],
    [
      'resource',
      { subject, action, resource: { ...resource, id: null, name: {} } },
      { subject, action, resource: { type: 'doc' } },
    ],
    ['action', { subject, resource, action: 7 }, { subject, resource }],
  ])('for a %s ignores what names one', (kind, said, meant) => {
    expect(parseSearch(kind, said)).toEqual(parseSearch(kind, meant));
  });

  it.each<[SearchKind, object, string]>([
    ['subject', { subject: { type: 'user' }, action, resource: { type: 'doc' } }, '/resource'],
    ['resource', { subject: { type: 'user' }, action, resource: { type: 'doc' } }, '/subject/id'],
    ['action', { subject: { type: 'user' }, resource }, '/subject/id'],
    ['action', { subject, resource: { type: 'doc' } }, '/resource'],
    ['subject', { subject, resource }, '/action'],
    ['resource', { action, resource }, '/subject'],
    ['action', { subject }, '/resource'],
    ['action', { subject, resource, page: { limit: -1 } }, '/page/limit'],
    ['action', { subject, resource, page: { limit: '1' } }, '/page/limit'],
    ['action', { subject, resource, page: [] }, '/page'],
  ])('for a %s names what is missing or wrong: %j', (kind, said, pointer) => {
    expect(pointersOf(() => parseSearch(kind, said))).toEqual(new Set([pointer]));
  });

  it('takes an empty token for none', () => {
    expect(parseSearch('action', { subject, resource, page: { token: '', limit: 0 } }).page).toEqual({ limit: 0 });
  });
});

describe('answers are what the schemas say', () => {
  it.each([true, false])('of batches, with reasons: %s', (reasons) => {
    const body = {
      options: { reasons },
      subject: { type: 'a', id: 'b' },
      action: { name: 'c' },
      evaluations: [{}, { resource: { type: 'd', id: 'e' } }],
    };
    const steps = answerEvaluations(parseEvaluations(body) as ParsedEvaluations, (item) =>
      item instanceof ProblemError ? item : { decision: true, reason: 'r', access_path: 'direct', policy_id: 'p' },
    );
    let step = steps.next();
    while (!step.done) step = steps.next();
    expect(evaluationsResponseSchema.parse(step.value)).toEqual(step.value);
  });

  it('of searches and of the metadata', () => {
    const entities = { page: { next_token: '', count: 1 }, results: [{ type: 'a', id: 'b' }] };
    expect(searchResponseSchemas.subject.parse(entities)).toEqual(entities);
    expect(searchResponseSchemas.resource.parse(entities)).toEqual(entities);
    expect(searchResponseSchemas.action.parse({ results: [{ name: 'a' }] })).toEqual({ results: [{ name: 'a' }] });
    const metadata = authzenConfiguration('https://pdp.example.com');
    expect(authzenConfigurationSchema.parse(metadata)).toEqual(metadata);
    expect(metadata.search_action_endpoint).toBe('https://pdp.example.com/access/v1/search/action');
  });
});
