import { parseJson } from '@authz-service/core/json/parse-json';
import { ProblemError } from '@authz-service/core/problem';
import { nearest } from '@authz-service/core/text/nearest';
import { decisionRequestSchema } from '@authz-service/pdp/contract/decision-request';
import type { DecisionQuestion } from '@authz-service/sdk/question';
import * as z from 'zod';
import { UsageError } from '../errors/usage-error.js';
import { counted } from '../output/text.js';
import { resourceOf, subjectOf } from './question.js';

/** The expected answers to questions of a batch. */
const EXPECTATIONS = ['allow', 'deny'] as const;
export type Expectation = (typeof EXPECTATIONS)[number];

/** One question of a batch, and the answer that the file expects if it says one. */
export interface BatchQuestion {
  question: DecisionQuestion;
  expect?: Expectation;
}

/**
 * The requests in a file: JSON lines, a JSON array, or YAML (a list, or several documents). Each is a request as the
 * service accepts it; `subject`, `resource` and `action` may have the short form of the command line: `{"subject":
 * "user:alice", "action": "read", "resource": "invoice:INV-1"}`. Beside them may stand `expect`, the answer that the file
 * expects. `where` names the file in errors. Throws one `UsageError` with every fault, so that nobody has to run a batch again for each of them.
 */
export async function parseBatch(text: string, where: string): Promise<BatchQuestion[]> {
  const start = text.trimStart().charAt(0);
  if (start === '') throw new UsageError(`${where} is empty: write one request per line, like ${EXAMPLE}.`);
  if (start === '{' && !/\.ya?ml$/i.test(where)) return jsonLines(text, where);
  if (start === '[' && !/\.ya?ml$/i.test(where)) {
    return list(json(text, where), where);
  }
  return yaml(text, where);
}

const EXAMPLE = '{"subject": "user:alice", "action": "read", "resource": "invoice:INV-1"}';

function jsonLines(text: string, where: string): BatchQuestion[] {
  const lines = [...text.split('\n').entries()].filter(([, line]) => line.trim() !== '');
  return allOf(lines, where, ([index, line]) => {
    const place = `${where}:${index + 1}`;
    return question(json(line, place), place);
  });
}

/** The requests that `read` makes of all items, or one error with the faults of all. */
function allOf<T>(
  items: readonly T[],
  where: string,
  read: (item: T, index: number) => BatchQuestion,
): BatchQuestion[] {
  const questions: BatchQuestion[] = [];
  const faults: UsageError[] = [];
  for (const [index, item] of items.entries()) {
    try {
      questions.push(read(item, index));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      faults.push(error);
    }
  }
  const [first, ...others] = faults;
  if (first === undefined) return questions;
  if (others.length === 0) throw first;
  throw new UsageError(
    `${where} has ${counted(faults.length, 'invalid request')}; nothing was sent.`,
    undefined,
    faults.map(({ message }) => message),
  );
}

async function yaml(text: string, where: string): Promise<BatchQuestion[]> {
  const { documentsOf, sourceOf } = await import('@authz-service/core/manifest/documents');
  const { Findings } = await import('@authz-service/core/manifest/source');
  const file = { path: where, text };
  const findings = new Findings();
  const values: unknown[] = documentsOf(file, sourceOf(file), findings)
    .map((document): unknown => document.json(document.root, () => ({ label: '' }), true))
    .flatMap((value) => value ?? []);
  const faults = findings.faults.map(({ line, column, detail }) => `${where}:${line}:${column}: ${detail}`);
  const [first, ...others] = faults;
  if (first === undefined) return list(values, where);
  if (others.length === 0) throw new UsageError(first);
  throw new UsageError(`${where} has ${counted(faults.length, 'fault')}; nothing was sent.`, undefined, faults);
}

function list(values: unknown, where: string): BatchQuestion[] {
  return allOf(values as unknown[], where, (value, index) => question(value, `${where}, request ${index + 1}`));
}

function json(text: string, where: string): unknown {
  try {
    return parseJson(text, `${where}: this`);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const hint = error.errors.length > 0 ? '' : ` Write one request per line, like ${EXAMPLE}.`;
    throw new UsageError(`${error.detail}${hint}`);
  }
}

/**
 * Expands the short forms. Except for unknown keys, the service checks the rest, so that it gives everybody the same
 * answer.
 */
function question(value: unknown, where: string): BatchQuestion {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UsageError(`${where}: a request must be an object, like ${EXAMPLE}.`);
  }
  refuseUnknownKeys(value, BATCH_QUESTION, where);
  const { subject, action, resource, expect, ...rest } = value as Record<string, unknown>;
  const asked = {
    subject: typeof subject === 'string' ? subjectOf(subject, `${where}: subject`) : subject,
    action: typeof action === 'string' ? { name: action } : action,
    resource: typeof resource === 'string' ? resourceOf(resource, undefined, `${where}: resource`) : resource,
    ...rest,
  } as DecisionQuestion;
  return expect === undefined ? { question: asked } : { question: asked, expect: expectationOf(expect, where) };
}

/** The keys that a question of a file may have. */
const BATCH_QUESTION = decisionRequestSchema.extend({ expect: z.enum(EXPECTATIONS) });

function expectationOf(expect: unknown, where: string): Expectation {
  const known = EXPECTATIONS.find((expectation) => expectation === expect);
  if (known !== undefined) return known;
  throw new UsageError(`${where}: expect is ${JSON.stringify(expect)}: write "allow" or "deny", or leave it out.`);
}

/**
 * The service ignores unknown keys. In a file, an unknown key is a mistake, or a wish that the service would not
 * fulfil.
 */
function refuseUnknownKeys(value: unknown, schema: unknown, where: string): void {
  const bare = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  if (!(bare instanceof z.ZodObject) || typeof value !== 'object' || value === null) return;
  const known = Object.keys(bare.shape);
  for (const [key, member] of Object.entries(value)) {
    const inner: unknown = bare.shape[key];
    if (inner === undefined) {
      const meant = nearest(key, known);
      const remedy = meant === undefined ? `the keys here are ${known.join(', ')}` : `did you mean "${meant}"?`;
      throw new UsageError(`${where}: unknown key "${key}": ${remedy}${meant === undefined ? '.' : ''}`);
    }
    refuseUnknownKeys(member, inner, `${where}: ${key}`);
  }
}
