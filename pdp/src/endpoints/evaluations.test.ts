import type { Decision } from '@authz-service/core/access/api/decision';
import { finished } from '@authz-service/core/concurrency/time-slicing';
import { ProblemError } from '@authz-service/core/problem';
import { describe, expect, it } from 'vitest';
import { EVALUATIONS_MAX, type EvaluationsResponse } from '../contract/evaluations.js';
import type { EndpointCall, Evaluation } from './endpoint.js';
import { evaluationsEndpoint, parseEvaluations } from './evaluations.js';
import { type ParsedQuestion, parseQuestion } from './question.js';

const subject = { type: 'user', id: 'u' };
const action = { name: 'read' };
const resource = (id: string) => ({ type: 'doc', id });

/** Permits what is called so, fails for one name, and tells what it was asked, and when. */
async function answer(body: object) {
  const asked: (ParsedQuestion | ProblemError)[] = [];
  const moments = new Set<number>();
  const decide = (item: ParsedQuestion, now: number): Decision => {
    asked.push(item);
    moments.add(now);
    if (item.resource.id === 'costly') engine.steps += 1_000_000;
    if (item.resource.id === 'failing') throw new ProblemError('evaluation_failed', 'policy/p failed');
    const decision = item.resource.id === 'open';
    return { decision, reason: decision ? 'allowed' : 'denied', access_path: decision ? 'role' : 'none' };
  };
  const engine = {
    steps: 0,
    decide,
    explain: decide,
    resourceId: () => undefined,
    budgetOf: () => undefined,
  };
  const told: Evaluation[] = [];
  const call = {
    now: 7,
    run: async (work: Parameters<EndpointCall['run']>[0]) => finished(work({ engine } as never)),
    evaluated: (evaluation: Evaluation) => told.push(evaluation),
  } as unknown as EndpointCall;
  const answered = await evaluationsEndpoint.answer(parseEvaluations(body), call);
  return { asked, told, moments, evaluations: (answered as EvaluationsResponse).evaluations };
}

const decisions = async (body: object) => (await answer(body)).evaluations.map(({ decision }) => decision);
const of = (...ids: string[]) => ({ subject, action, evaluations: ids.map((id) => ({ resource: resource(id) })) });

describe('a batch', () => {
  it('has a budget of steps, beyond which nothing more is decided', async () => {
    const { asked, told, evaluations } = await answer(of('open', 'costly', 'costly', 'open', 'open'));
    expect(asked).toHaveLength(3);
    expect(evaluations.map(({ decision }) => decision)).toEqual([true, false, false, false, false]);
    for (const evaluation of evaluations.slice(3))
      expect(evaluation).toMatchObject({
        context: {
          error: { code: 'evaluation_failed', message: expect.stringMatching(/2000000 steps.*another batch/) },
        },
      });
    expect(told).toHaveLength(5);
  });

  it('without evaluations is a single request', () => {
    const body = { subject, action, resource: resource('open'), options: { explain: true } };
    for (const evaluations of [undefined, []])
      expect(parseEvaluations({ ...body, evaluations })).toEqual(parseQuestion(body));
    expect(() => parseEvaluations({ subject, evaluations: [] })).toThrow('The decision request is malformed');
  });

  it.each([
    [undefined, [true, false, true]],
    ['execute_all', [true, false, true]],
    ['deny_on_first_deny', [true, false]],
    ['permit_on_first_permit', [true]],
  ])('with the semantic %s goes on to %j', async (evaluations_semantic, wanted) => {
    expect(await decisions({ ...of('open', 'shut', 'open'), options: { evaluations_semantic } })).toEqual(wanted);
  });

  it('takes failures and malformed evaluations for denials', async () => {
    const options = { evaluations_semantic: 'deny_on_first_deny' };
    expect(await decisions({ ...of('open', 'failing', 'open'), options })).toEqual([true, false]);
    expect(await decisions({ subject, action, evaluations: [{}, { resource: resource('open') }], options })).toEqual([
      false,
    ]);
    const permit = { evaluations_semantic: 'permit_on_first_permit' };
    expect(await decisions({ ...of('failing', 'shut', 'open', 'open'), options: permit })).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('answers all, though no decision is what its semantic ends with', async () => {
    expect(await decisions({ ...of('open', 'open'), options: { evaluations_semantic: 'deny_on_first_deny' } })).toEqual(
      [true, true],
    );
  });

  it('takes defaults whole, and what an evaluation has of its own in their place', async () => {
    const { asked } = await answer({
      subject: { ...subject, properties: { a: 1 } },
      resource: { ...resource('open'), properties: { n: 1 } },
      action,
      context: { ip: '::1', mfa: true },
      options: { explain: true },
      evaluations: [{}, { subject: { type: 'user', id: 'v' }, context: { ip: '::2' }, options: {} }],
    });
    const defaults = { action, context: { ip: '::1', mfa: true }, explain: true };
    const open = { ...resource('open'), properties: { n: 1 } };
    expect(asked).toEqual([
      { ...defaults, subject: { ...subject, properties: { a: 1 } }, resource: open },
      { ...defaults, subject: { type: 'user', id: 'v' }, resource: open, context: { ip: '::2' }, explain: false },
    ]);
  });

  it('does not look into defaults that every evaluation replaces', async () => {
    const evaluations = [{ subject, action, resource: resource('open'), context: {} }];
    expect(await decisions({ subject: {}, resource: { type: 1 }, action: {}, evaluations })).toEqual([true]);
  });

  it('answers faults of an evaluation in its place, with pointers into the whole', async () => {
    const { evaluations } = await answer({
      subject,
      action,
      evaluations: [{ resource: resource('open') }, {}, { resource: { type: 'doc' }, action: null }, 'x'],
    });
    expect(evaluations.map(({ decision }) => decision)).toEqual([true, false, false, false]);
    const pointers = evaluations.map(({ context }) =>
      context !== undefined && 'error' in context ? context.error.errors?.map(({ pointer }) => pointer) : undefined,
    );
    expect(pointers).toEqual([
      undefined,
      ['/evaluations/1/resource'],
      ['/evaluations/2/resource', '/evaluations/2/action'],
      ['/evaluations/3'],
    ]);
    expect(evaluations[1]).toMatchObject({
      decision: false,
      context: { access_path: 'none', error: { status: 400, code: 'invalid_request' } },
    });
  });

  it('is decided at one moment, and the host hears of each evaluation in its place', async () => {
    const { moments, told } = await answer({
      ...of('open', 'failing', 'shut'),
      evaluations: [...of('open', 'failing', 'shut').evaluations, {}],
    });
    expect([...moments]).toEqual([7]);
    expect(
      told.map(({ index, request, outcome }) => [
        index,
        request?.resource.id,
        'code' in outcome ? outcome.code : outcome.decision,
      ]),
    ).toEqual([
      [0, 'open', true],
      [1, 'failing', 'evaluation_failed'],
      [2, 'shut', false],
      [3, undefined, 'invalid_request'],
    ]);
  });

  it('answers decisions alone, unless asked for reasons', async () => {
    expect((await answer(of('open', 'shut'))).evaluations).toEqual([{ decision: true }, { decision: false }]);
    expect((await answer({ ...of('open'), options: { reasons: true } })).evaluations).toEqual([
      { decision: true, context: { reason: 'allowed', access_path: 'role' } },
    ]);
  });

  it('answers a failed evaluation with its status', async () => {
    expect((await answer(of('failing'))).evaluations).toEqual([
      {
        decision: false,
        context: {
          reason: 'policy/p failed',
          access_path: 'none',
          error: { status: 500, code: 'evaluation_failed', message: 'policy/p failed' },
        },
      },
    ]);
  });

  it.each<[string, unknown, string[]]>([
    ['no object', [], ['']],
    ['evaluations that are no list', { ...of('open'), evaluations: {} }, ['/evaluations']],
    ['evaluations that are null', { ...of('open'), evaluations: null }, ['/evaluations']],
    ['too many evaluations', { ...of('open'), evaluations: Array(EVALUATIONS_MAX + 1).fill({}) }, ['/evaluations']],
    [
      'an unknown semantic',
      { ...of('open'), options: { evaluations_semantic: 'first' } },
      ['/options/evaluations_semantic'],
    ],
    ['reasons that are no truth value', { ...of('open'), options: { reasons: 'yes' } }, ['/options/reasons']],
    ['a semantic that is no text', { options: { evaluations_semantic: 1 } }, ['/options/evaluations_semantic']],
    ['options that are no object', { ...of('open'), options: 'execute_all' }, ['/options']],
    [
      'malformed defaults that an evaluation takes',
      { subject: 'u', resource: {}, action: { name: 1 }, context: [], evaluations: [{}] },
      ['/subject', '/context', '/resource/type', '/resource', '/action/name'],
    ],
    [
      'a malformed default that only some evaluations replace',
      { ...of('open'), resource: {}, evaluations: [...of('open').evaluations, {}] },
      ['/resource/type', '/resource'],
    ],
    ['a replaced default that is no object', { ...of('open'), resource: 'open' }, ['/resource']],
  ])('is refused as a whole for %s', (_, body, pointers) => {
    expect(() => parseEvaluations(body)).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        errors: pointers.map((pointer) => expect.objectContaining({ pointer })),
      }),
    );
  });

  it('of as many as may be is taken', async () => {
    expect(
      await decisions({ ...of('open'), evaluations: Array(EVALUATIONS_MAX).fill({ resource: resource('open') }) }),
    ).toHaveLength(EVALUATIONS_MAX);
  });
});
