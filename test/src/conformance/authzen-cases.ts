import type { Address } from '@authz-service/core/records/address';
import { expect } from 'vitest';
import * as z from 'zod';
import { type ConformanceTenant, loadTenants, recordList, withIds } from './load.js';

const FOLDER = new URL('../../conformance/authzen/', import.meta.url);

const refusal = z.strictObject({
  error: z.enum(['ambiguous_name', 'evaluation_failed', 'invalid_request', 'invalid_cursor']),
  /** The pointers of all faults, in any order. */
  pointers: z.array(z.string()).optional(),
});

const authzenCase = z.strictObject({
  name: z.string(),
  records: recordList.default([]),
  /** Below `/access/v1/`. */
  path: z.enum(['evaluation', 'evaluations', 'search/subject', 'search/resource', 'search/action']),
  /** The body of the request. A string `id of ADDRESS` stands for the id of that record. */
  request: z.unknown(),
  expect: z.union([
    z.strictObject({ decision: z.boolean() }),
    /** The decisions of a batch, in order. */
    z.strictObject({ decisions: z.array(z.union([z.boolean(), refusal])) }),
    /** The results of a search: the ids or names of all, in order. */
    z.strictObject({ found: z.array(z.string()) }),
    refusal,
  ]),
});

export type AuthzenCase = z.infer<typeof authzenCase>;
export type AuthzenTenant = ConformanceTenant<AuthzenCase>;

interface AuthzenAnswer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into
  body: any;
}

/** Sends a body to a path below `/access/v1/`. */
export type AskAuthzen = (path: AuthzenCase['path'], body: unknown) => Promise<AuthzenAnswer> | AuthzenAnswer;

/** Reads every tenant of `test/conformance/authzen`. */
export function loadAuthzen(): AuthzenTenant[] {
  return loadTenants(FOLDER, authzenCase);
}

const STATUS = { ambiguous_name: 400, evaluation_failed: 500, invalid_request: 400, invalid_cursor: 400 };

/** Puts a case to a decision point and compares; a search is also read in pages of one. */
export async function check(one: AuthzenCase, ask: AskAuthzen, idOf: (address: Address) => string): Promise<void> {
  const request = withIds(one.request, idOf);
  const { status, body } = await ask(one.path, request);
  const wanted = one.expect;
  if ('error' in wanted) {
    expect({ status, code: body.code }).toEqual({ status: STATUS[wanted.error], code: wanted.error });
    expectPointers(body.errors, wanted.pointers);
    return;
  }
  expect(status, JSON.stringify(body)).toBe(200);
  if ('decision' in wanted) expect(body).toEqual({ decision: wanted.decision, context: expect.any(Object) });
  else if ('decisions' in wanted) expectDecisions(body, wanted.decisions);
  else {
    expect(namesOf(body)).toEqual(wanted.found);
    expect(body).not.toHaveProperty('page');
    expect(await readByPages(one.path, request as object, ask)).toEqual(wanted.found);
  }
}

type Wanted = Extract<AuthzenCase['expect'], { decisions: unknown }>['decisions'];

function expectDecisions(body: AuthzenAnswer['body'], wanted: Wanted): void {
  expect(Object.keys(body)).toEqual(['evaluations']);
  expect(body.evaluations).toEqual(
    wanted.map((one) =>
      typeof one === 'boolean'
        ? { decision: one }
        : {
            decision: false,
            context: expect.objectContaining({
              error: expect.objectContaining({
                code: one.error,
                status: STATUS[one.error],
                message: expect.any(String),
              }),
            }),
          },
    ),
  );
  for (const [at, one] of wanted.entries())
    if (typeof one !== 'boolean') expectPointers(body.evaluations[at].context.error.errors, one.pointers);
}

function expectPointers(errors: { pointer: string }[] | undefined, pointers: readonly string[] | undefined): void {
  if (pointers !== undefined) expect((errors ?? []).map(({ pointer }) => pointer).sort()).toEqual([...pointers].sort());
}

function namesOf(body: AuthzenAnswer['body']): string[] {
  return body.results.map(({ id, name }: { id?: string; name?: string }) => id ?? name);
}

async function readByPages(path: AuthzenCase['path'], request: object, ask: AskAuthzen): Promise<string[]> {
  const found: string[] = [];
  let token: string | undefined;
  do {
    const page = token === undefined ? { limit: 1 } : { token };
    const { status, body } = await ask(path, { ...request, page });
    expect(status).toBe(200);
    expect(body.page).toEqual({ next_token: expect.any(String), count: body.results.length });
    found.push(...namesOf(body));
    token = body.page.next_token;
  } while (token);
  return found;
}
