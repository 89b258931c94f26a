import type { ServiceClient } from '@authz-service/sdk/client';
import type { Outcome } from '@authz-service/sdk/decision';
import type {
  ActionQuestion,
  DecisionQuestion,
  EvaluationsQuestion,
  ResourceQuestion,
  SubjectQuestion,
} from '@authz-service/sdk/question';
import { ServiceError } from '@authz-service/sdk/service-error';
import { expect } from 'vitest';
import type { AskAuthzen, AuthzenCase } from './authzen-cases.js';

/** Translates an AuthZEN request to calls of the SDK, and its answers to AuthZEN's form. */
export const askingBySdk =
  (client: ServiceClient): AskAuthzen =>
  async (path, body) => {
    try {
      return { status: 200, body: await answerOf(client, path, body) };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return { status: error.status ?? 0, body: { code: error.code, errors: error.errors } };
    }
  };

async function answerOf(client: ServiceClient, path: AuthzenCase['path'], body: unknown): Promise<object> {
  if (path === 'evaluation') return decide(client, body);
  if (path === 'evaluations') return decideAll(client, body as EvaluationsQuestion);
  const { page, ...rest } = body as { page?: { limit?: unknown; token?: unknown } };
  // The SDK follows pages by itself, so they arrive as one.
  const byPages = page?.limit === 1;
  const results = await search(client, path, byPages ? rest : body, byPages ? { limit: 1 } : {});
  return byPages ? { results, page: { next_token: '', count: results.length } } : { results };
}

async function decide(client: ServiceClient, question: unknown): Promise<object> {
  const { allowed, decided, context } = await client.decide(question as DecisionQuestion);
  expect(decided).toBe(true);
  return { decision: allowed, context };
}

async function decideAll(client: ServiceClient, question: EvaluationsQuestion): Promise<object> {
  const { evaluations } = question;
  // Without a list the question is a single one, for which the SDK has a method of its own.
  if (evaluations === undefined || evaluations.length === 0) return decide(client, question);
  const outcomes = await client.decideAll(question);
  expect(outcomes).toHaveLength(evaluations.length);
  const asked = outcomes.findIndex((one) => !one.ok && one.error.code === 'not_evaluated');
  const skipped = asked < 0 ? [] : outcomes.slice(asked);
  for (const one of skipped) expect(one).toMatchObject({ ok: false, error: { code: 'not_evaluated' } });
  return { evaluations: outcomes.slice(0, outcomes.length - skipped.length).map(itemOf) };
}

function itemOf(outcome: Outcome): object {
  if (outcome.ok) return { decision: outcome.decision.allowed };
  const { code, status, detail, errors } = outcome.error;
  return { decision: false, context: { error: { code, status, message: detail, errors } } };
}

function search(client: ServiceClient, path: AuthzenCase['path'], question: unknown, options: { limit?: number }) {
  if (path === 'search/subject') return all(client.searchSubjects(question as SubjectQuestion, options));
  if (path === 'search/resource') return all(client.searchResources(question as ResourceQuestion, options));
  return all(client.searchActions(question as ActionQuestion, options));
}

async function all<T>(results: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of results) found.push(one);
  return found;
}
