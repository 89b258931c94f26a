import { readdirSync, readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type Step, startVectorServer } from '../testing/vector-server.js';
import { ServiceClient } from './client.js';
import type { Decision, Outcome } from './decision.js';
import type {
  ActionQuestion,
  DecisionQuestion,
  EvaluationsQuestion,
  ResourceQuestion,
  SubjectQuestion,
} from './question.js';
import { ServiceError } from './service-error.js';

interface Expected {
  decision?: boolean;
  reason?: string;
  policyId?: string;
  accessPath?: string;
  revision?: string;
  decided?: boolean;
  error?: string;
  pointers?: string[];
  detailHas?: string[];
  detailLacks?: string[];
  results?: unknown[];
  each?: Expected[];
  metadata?: unknown;
  withinMs?: number;
}

interface Call {
  op: 'isAllowed' | 'decide' | 'decideAll' | 'searchSubjects' | 'searchResources' | 'searchActions' | 'metadata';
  question?: unknown;
  questions?: unknown[];
  request?: unknown;
  orDeny?: boolean;
  limit?: number;
  timeoutMs?: number;
  requestId?: string;
  times?: number;
  together?: number;
}

interface Case {
  name: string;
  client?: {
    apiKey?: string;
    clientId?: string;
    clientSecret?: string;
    retries?: number;
    decisionTimeoutMs?: number;
    attemptTimeoutMs?: number;
    batching?: boolean;
    readsOwnWrites?: boolean;
    notBefore?: string;
  };
  call: Call;
  script: Step[];
  outcome: Expected;
}

const folder = new URL('../../../test/vectors/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));

describe.each(files)('vectors: %s', (file) => {
  const { cases } = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as { cases: Case[] };
  it.each(cases.map((one) => [one.name, one] as const))('%s', async (_, one) => {
    const server = await startVectorServer(one.script);
    try {
      const client = clientOf(server.url, one.client);
      const begunAt = performance.now();
      const outcome = await run(client, one.call);
      const tookMs = performance.now() - begunAt;
      compare(outcome, JSON.parse(JSON.stringify(one.outcome).replaceAll('"BASE', `"${server.url}`)));
      if (one.outcome.withinMs !== undefined) expect(tookMs).toBeLessThan(one.outcome.withinMs + 500);
      for (const { request, step } of server.exchanges) {
        expect(step, `a request too many: ${request.method} ${request.path}`).toBeDefined();
        const { method, path, headers = {}, body, form } = step?.expect ?? {};
        if (method !== undefined) expect(request.method).toBe(method);
        if (path !== undefined) expect(request.path).toBe(path);
        for (const [name, value] of Object.entries(headers)) expect(request.headers[name] ?? null, name).toBe(value);
        if (body !== undefined) expect(JSON.parse(request.body)).toEqual(body);
        if (form !== undefined) expect(Object.fromEntries(new URLSearchParams(request.body))).toEqual(form);
      }
      expect(server.left).toEqual([]);
    } finally {
      await server.close();
    }
  });
});

function clientOf(
  url: string,
  { apiKey, clientId, clientSecret, notBefore, ...options }: NonNullable<Case['client']> = {},
) {
  const credentials =
    apiKey !== undefined
      ? { apiKey }
      : clientId !== undefined && clientSecret !== undefined
        ? { clientId, clientSecret }
        : undefined;
  const client = new ServiceClient({ url, credentials, ...options });
  if (notBefore !== undefined) client.notBefore(notBefore);
  return client;
}

async function run(client: ServiceClient, call: Call): Promise<unknown> {
  const once = (turn = 0) =>
    runOnce(client, { ...call, question: call.questions?.[turn] ?? call.question }).catch((error: unknown) => error);
  const { together, times } = call;
  if (together === undefined && times === undefined) return once();
  const outcomes: unknown[] = [];
  for (let turn = 0; turn < (times ?? 1); turn += 1) {
    outcomes.push(...(await Promise.all(Array.from({ length: together ?? 1 }, () => once(turn)))));
  }
  return outcomes;
}

async function runOnce(
  client: ServiceClient,
  { op, question, request, orDeny, limit, timeoutMs, requestId }: Call,
): Promise<unknown> {
  const options = { timeoutMs, requestId };
  if (op === 'isAllowed') return client.isAllowed(question as DecisionQuestion, { ...options, orDeny });
  if (op === 'decide') return client.decide(question as DecisionQuestion, { ...options, orDeny });
  if (op === 'decideAll') return client.decideAll(request as EvaluationsQuestion, { ...options, orDeny });
  if (op === 'metadata') return client.metadata(options);
  const searching = { ...options, limit };
  if (op === 'searchSubjects') return all(client.searchSubjects(request as SubjectQuestion, searching));
  if (op === 'searchResources') return all(client.searchResources(request as ResourceQuestion, searching));
  return all(client.searchActions(request as ActionQuestion, searching));
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

function compare(outcome: unknown, expected: Expected): void {
  if (expected.each !== undefined) {
    expect(outcome).toHaveLength(expected.each.length);
    expected.each.forEach((one, index) => {
      compare((outcome as unknown[])[index], one);
    });
    return;
  }
  if (expected.error !== undefined) {
    if (!(outcome instanceof ServiceError)) throw new Error(`no error, but ${JSON.stringify(outcome)}`);
    expect(outcome.code, outcome.detail).toBe(expected.error);
    if (expected.pointers) expect(outcome.errors.map(({ pointer }) => pointer)).toEqual(expected.pointers);
    for (const text of expected.detailHas ?? []) expect(outcome.detail).toContain(text);
    for (const text of expected.detailLacks ?? []) expect(inspect(outcome, { depth: 9 })).not.toContain(text);
    return;
  }
  if (outcome instanceof Error) throw outcome;
  if (expected.metadata !== undefined) {
    expect(outcome).toEqual(expected.metadata);
    return;
  }
  if (expected.results !== undefined) {
    const results = outcome as unknown[];
    expect(results).toHaveLength(expected.results.length);
    expected.results.forEach((one, index) => {
      const result = results[index];
      if (!isOutcome(result)) expect(result).toEqual(one);
      else compare(result.ok ? result.decision : result.error, one as Expected);
    });
    return;
  }
  if (typeof outcome === 'boolean') {
    expect({ decision: outcome }).toEqual(expected);
    return;
  }
  const { allowed, decided, reason, policyId, accessPath, revision } = outcome as Decision;
  const { withinMs: _, decision, ...rest } = expected;
  expect(allowed).toBe(decision);
  expect({ decided, reason, policyId, accessPath, revision }).toMatchObject(rest);
}

function isOutcome(value: unknown): value is Outcome {
  return typeof value === 'object' && value !== null && 'ok' in value;
}
