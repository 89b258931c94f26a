import { isDeepStrictEqual } from 'node:util';
import { CheckFailed } from './check.js';
import { jsonOf, type PointAnswer } from './decision-point.js';

type Members = Record<string, unknown>;

const SHOWN_MAX = 160;

export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}

export function fail(message: string): never {
  throw new CheckFailed(message);
}

export function expectStatus(answer: PointAnswer, status: number): void {
  if (answer.status !== status) fail(`expected status ${status}, got ${answer.status}: ${shown(answer.text)}`);
}

/** The members of a successful answer. */
export function expectObject(answer: PointAnswer): Members {
  expectStatus(answer, 200);
  const type = answer.headers.get('content-type') ?? 'none';
  if (!/^application\/json\s*(?:;|$)/i.test(type)) fail(`expected the content type application/json, got ${type}`);
  const value = jsonOf(answer);
  if (!isObject(value)) fail(`expected a JSON object, got ${shown(answer.text)}`);
  return value;
}

export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** One decision, and if given, the expected one. */
export function expectDecision(value: unknown, decision?: boolean): void {
  if (!isObject(value)) fail(`expected a decision object, got ${shown(value)}`);
  if (typeof value.decision !== 'boolean')
    fail(`expected "decision" to be true or false, got ${shown(value.decision)}`);
  if (decision !== undefined && value.decision !== decision)
    fail(`expected the decision ${decision}, got ${value.decision}: ${shown(value)}`);
  if (value.context !== undefined && !isObject(value.context))
    fail(`expected "context" to be an object, got ${shown(value.context)}`);
}

/** Decisions in order; undefined accepts either. */
export function expectDecisions(answer: PointAnswer, decisions: readonly (boolean | undefined)[]): void {
  const { evaluations } = expectObject(answer);
  if (!Array.isArray(evaluations)) fail(`expected "evaluations" to be an array, got ${shown(evaluations)}`);
  if (evaluations.length !== decisions.length)
    fail(`expected ${decisions.length} evaluations, got ${evaluations.length}: ${shown(evaluations)}`);
  for (const [at, decision] of decisions.entries()) {
    try {
      expectDecision(evaluations[at], decision);
    } catch (error) {
      throw error instanceof CheckFailed ? new CheckFailed(`evaluation ${at}: ${error.message}`) : error;
    }
  }
}

/** The results of a search, all with the given members and, if given, of the given type. */
export function expectResults(answer: PointAnswer, shape: readonly string[], type?: string): Members[] {
  const { results, page } = expectObject(answer);
  if (!Array.isArray(results)) fail(`expected "results" to be an array, got ${shown(results)}`);
  for (const result of results) {
    const wrong = !isObject(result) || shape.some((member) => typeof result[member] !== 'string');
    if (wrong) fail(`expected each result to have ${shape.join(' and ')}, got ${shown(result)}`);
    if (type !== undefined && result.type !== type) fail(`expected results of the type ${type}, got ${shown(result)}`);
  }
  if (page !== undefined && !isObject(page)) fail(`expected "page" to be an object, got ${shown(page)}`);
  if (isObject(page) && page.next_token !== undefined && typeof page.next_token !== 'string')
    fail(`expected "page.next_token" to be a string, got ${shown(page.next_token)}`);
  return results;
}

export function expectAmong(results: readonly Members[], wanted: readonly Members[]): void {
  const missing = wanted.filter(
    (one) => !results.some((result) => Object.entries(one).every(([name, value]) => result[name] === value)),
  );
  if (missing.length > 0) fail(`expected ${shown(missing)} among the results, got ${shown(results)}`);
}

export function expectSame(results: readonly Members[], others: readonly Members[], why: string): void {
  const sorted = (list: readonly Members[]) => list.map((item) => JSON.stringify(item)).sort();
  if (!isDeepStrictEqual(sorted(results), sorted(others)))
    fail(`expected the same results ${why}, got ${shown(results)} and ${shown(others)}`);
}
