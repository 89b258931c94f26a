import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type Step, startVectorServer } from '../testing/vector-server.js';
import { ServiceClient } from './client.js';
import type { Decision, Outcome } from './decision.js';
import type { FilterQuestion } from './filter.js';
import { filterSql } from './filter-sql.js';
import type {
  ActionQuestion,
  DecisionQuestion,
  EvaluationsQuestion,
  ResourceQuestion,
  SubjectQuestion,
} from './question.js';
import type { LeftOut } from './search.js';
import { ServiceError } from './service-error.js';
import type { CallOptions } from './transport.js';
import type { ChangesetRequest } from './wire.js';

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
  answer?: unknown;
  leftOut?: LeftOut[];
  withinMs?: number;
}

interface Call {
  op: string;
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
    url?: string;
    proxy?: string;
    ca?: string;
    headers?: Record<string, string>;
    maxAgeSeconds?: number;
    at?: string;
  };
  call: Call;
  script: Step[];
  outcome: Expected;
}

const folder = new URL('../../../test/vectors/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));

function casesOf(file: string): [string, Case][] {
  const text = readFileSync(new URL(file, folder), 'utf8');
  const { cases } = JSON.parse(text, (_, value) => ('NUMBER' in Object(value) ? Number(value.NUMBER) : value)) as {
    cases: Case[];
  };
  return cases.map((one) => [one.name, one]);
}

describe.each(files)('vectors: %s', (file) => {
  it.each(casesOf(file))('%s', (_, one) => tried(one, one.client?.url === 'SOCKET'));
});

// A unix socket is not asked by the platform's fetch.
describe.each(['answers.json', 'faults.json', 'retries.json'])('vectors by a unix socket: %s', (file) => {
  it.each(casesOf(file))('%s', (_, one) => tried(one, true));
});

async function tried(one: Case, bySocket: boolean): Promise<void> {
  const server = await startVectorServer(one.script, bySocket ? socketPath() : undefined);
  try {
    const begunAt = performance.now();
    const outcome = await asked(server.url, one);
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
}

function clientOf(
  url: string,
  { apiKey, clientId, clientSecret, notBefore, url: given, proxy, ...options }: NonNullable<Case['client']> = {},
) {
  const credentials =
    apiKey !== undefined
      ? { apiKey }
      : clientId !== undefined && clientSecret !== undefined
        ? { clientId, clientSecret }
        : undefined;
  const client = new ServiceClient({
    url: given === undefined || given === 'SOCKET' ? url : given,
    proxy: proxy?.replace('HOST', new URL(url).host),
    credentials,
    ...options,
  });
  if (notBefore !== undefined) client.notBefore(notBefore);
  return client;
}

let sockets = 0;

function socketPath(): string {
  sockets += 1;
  return join(tmpdir(), `sdk-vectors-${process.pid}-${sockets}.sock`);
}

/** Returns what the client of a case gives, or throws when it is made. */
async function asked(url: string, { client, call }: Case): Promise<unknown> {
  let made: ServiceClient;
  try {
    made = clientOf(url, client);
  } catch (error) {
    return error;
  }
  return await run(made, call);
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
  if (op === 'filterRows') return client.filterRows(question as FilterQuestion, options);
  if (op === 'filterParts') return all(client.filterParts(question as FilterQuestion, { ...options, limit }));
  if (op === 'filterSql') {
    const { filter, columns, dialect } = request as Asked;
    return filterSql(filter, columns, dialect);
  }
  const leftOut: LeftOut[] = [];
  const searching = { ...options, limit, onLeftOut: (one: LeftOut) => void leftOut.push(one) };
  if (op === 'searchSubjects') {
    const results = await all(client.searchSubjects(request as SubjectQuestion, searching));
    return Object.assign(results, { leftOut });
  }
  if (op === 'searchResources') return all(client.searchResources(request as ResourceQuestion, searching));
  if (op === 'searchActions') return all(client.searchActions(request as ActionQuestion, searching));
  const managed = MANAGED[op];
  if (managed === undefined) throw new Error(`the runner does not know the call "${op}"`);
  return managed(client, (request ?? {}) as Asked, options);
}

/** Calls of management by their names, with what they are asked. */
const MANAGED: Record<string, (client: ServiceClient, request: Asked, options: CallOptions) => Promise<unknown>> = {
  changeset: (client, request, options) => client.changeset(request as unknown as ChangesetRequest, options),
  state: (client, request, options) => client.state({ ...request, ...options }),
  bundle: (client, request, options) => client.bundle({ ...request, ...options }),
  origins: (client, { addresses }, options) => client.origins(addresses, options),
  whoami: (client, _, options) => client.whoami(options),
  consoleLink: (client, _, options) => client.consoleLink(options),
  accessRuleViolations: (client, _, options) => client.accessRuleViolations(options),
  agents: (client, request, options) => client.agents({ ...request, ...options }),
  enforced: (client, { revision, ...request }) => client.enforced(revision, request as { timeoutMs: number }),
  retireAgent: async (client, { id, ...request }) => (await client.retireAgent(id, request)).retired,
  retireAgents: async (client, { credential, ...request }) => (await client.retireAgents(credential, request)).retired,
  agentStatus: (client, _, options) => client.agentStatus(options),
  rotateBundleKeys: (client, request, options) => client.rotateBundleKeys(request, options),
  audit: (client, filter, options) => all(client.audit({ filter, ...options })),
  tenantAudit: (client, _, options) => all(client.tenantAudit(options)),
  'tenants.list': (client, _, options) => all(client.tenants.list(options)),
  'tenants.get': (client, { name }, options) => client.tenants.get(name, options),
  'tenants.create': (client, { name }, options) => client.tenants.create({ name }, options),
  'tenants.delete': (client, { name }, options) => client.tenants.delete(name, options),
  'tenants.erase': (client, { name, ...erasure }, options) =>
    client.tenants.erase(name, erasure as { subject: string }, options),
  'tenants.disabledCredentials': (client, { name }, options) => client.tenants.disabledCredentials(name, options),
  'tenants.enableCredentials': (client, { name, ...chosen }, options) =>
    client.tenants.enableCredentials(name, chosen, options),
  'tenants.deleteDisabledCredentials': (client, { name, credentials }, options) =>
    client.tenants.deleteDisabledCredentials(name, credentials, options),
  'directories.status': (client, { name, ...access }, options) =>
    client.directories.status(name, { ...access, ...options }),
  'directories.decide': (client, { name, decision }, options) => client.directories.decide(name, decision, options),
  'directories.plan': (client, { name, operations }, options) =>
    client.directories.plan(name, operations as never, options),
  'directories.adopt': (client, { name, addresses, baseRevision }, options) =>
    client.directories.adopt(name, { addresses, ...(baseRevision && { base_revision: baseRevision }) }, options),
  'directories.scim': async (client, request, options) =>
    (await client.directories.scim(request as Parameters<typeof client.directories.scim>[0], options)) ?? null,
  'records.list': (client, { filter, limit }) => all(client.records('role').list(filter, { limit })),
  'records.get': (client, { name }, options) => client.records('role').get(name, options),
  'records.create': (client, { fields, ...options }) => client.records('role').create(fields as never, options),
  'records.update': (client, { name, patch, ...options }) => client.records('role').update(name, patch, options),
  'records.delete': (client, { name, ...options }) => client.records('role').delete(name, options),
  'records.rotateSecret': (client, { name, ...options }) => client.records('api_key').rotateSecret(name, options),
};

/** Asks a call of management; each case has what its call takes. */
// biome-ignore lint/suspicious/noExplicitAny: The vectors are data.
type Asked = Record<string, any>;

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
  if ('answer' in expected) {
    if (typeof expected.answer === 'object' && expected.answer !== null) expect(outcome).toMatchObject(expected.answer);
    else expect(outcome ?? null).toBe(expected.answer);
    return;
  }
  if (expected.metadata !== undefined) {
    expect(outcome).toEqual(expected.metadata);
    return;
  }
  if (expected.results !== undefined) {
    const results = outcome as unknown[] & { leftOut?: LeftOut[] };
    if (expected.leftOut !== undefined) expect(results.leftOut).toEqual(expected.leftOut);
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
