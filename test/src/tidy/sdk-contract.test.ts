import { PROBLEMS, ProblemError } from '@authz-service/core/problem';
import { AUTHZEN_PATHS as CONTRACT_PATHS } from '@authz-service/pdp/contract/authzen-paths';
import type { DecisionRequestBody } from '@authz-service/pdp/contract/decision-request';
import type { DecisionResponse } from '@authz-service/pdp/contract/decision-response';
import type { EvaluationsRequestBody } from '@authz-service/pdp/contract/evaluations';
import { PROBLEM_STATUS } from '@authz-service/pdp/transport/problem-status';
import { AUTHZEN_PATHS } from '@authz-service/sdk/authzen-paths';
import type { Candidate } from '@authz-service/sdk/decision';
import type { DecisionQuestion, EvaluationsQuestion } from '@authz-service/sdk/question';
import { codeOfStatus, ERROR_TITLES, ServiceError } from '@authz-service/sdk/service-error';
import { expect, expectTypeOf, it } from 'vitest';

it('has the codes and titles of the service, and not_evaluated', () => {
  const { not_evaluated: _, ...titles } = ERROR_TITLES;
  expect(titles).toEqual(PROBLEMS);
});

it('is a problem to the programs of the service, and a refusal of theirs is no ServiceError', () => {
  expect(new ServiceError('network', 'x')).toBeInstanceOf(ProblemError);
  expect(new ProblemError('network', 'x')).toBeInstanceOf(ProblemError);
  expect(new ProblemError('network', 'x')).not.toBeInstanceOf(ServiceError);
  for (const other of [new Error('x'), { code: 'network', detail: 'x' }, undefined, 'network']) {
    expect(other instanceof ProblemError).toBe(false);
  }
});

it('gives a status the code of a problem that has this status', () => {
  for (const status of [400, 401, 403, 404, 405, 409, 412, 413, 415, 422, 429, 502, 503, 504]) {
    expect([status, codeOfStatus(status)]).toEqual([status, expect.any(String)]);
    const code = codeOfStatus(status) as keyof typeof PROBLEM_STATUS;
    if (status !== 422) expect(PROBLEM_STATUS[code]).toBe(status);
  }
  expect(codeOfStatus(418)).toBe('internal');
});

it('asks at the paths of the contract', () => {
  expect(AUTHZEN_PATHS).toEqual(CONTRACT_PATHS);
});

it('has the members of the contract in its questions and explanations', () => {
  type Members<T> = { [M in keyof T]-?: M extends 'options' ? keyof NonNullable<T[M]> : M };
  expectTypeOf<Members<DecisionQuestion>>().toEqualTypeOf<Members<DecisionRequestBody>>();
  expectTypeOf<Members<EvaluationsQuestion>>().toEqualTypeOf<Members<EvaluationsRequestBody>>();
  expectTypeOf<DecisionRequestBody>().toExtend<DecisionQuestion>();
  type Explanation = NonNullable<DecisionResponse['context']['explanation']>;
  expectTypeOf<Candidate>().toEqualTypeOf<Explanation['candidates'][number]>();
});
