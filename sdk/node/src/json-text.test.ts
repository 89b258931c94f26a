import { expect, it } from 'vitest';
import { ServiceClient } from './client.js';

const question = (context: object) =>
  ({
    subject: { type: 'user', id: 'alice' },
    action: { name: 'read' },
    resource: { type: 'invoice', id: '1' },
    context,
  }) as never;

/** Nothing is asked there. */
const client = (options = {}) => new ServiceClient({ url: 'http://127.0.0.1:1', retries: 0, ...options });

it.each([
  ['NaN', { n: Number.NaN }, '/context/n', 'NaN has no form in JSON'],
  ['infinity', { limits: [1, Number.POSITIVE_INFINITY] }, '/context/limits/1', 'Infinity has no form in JSON'],
  ['a whole number that may be rounded', { 'a/b': { n: 2 ** 57 } }, '/context/a~1b/n', 'beyond 2^53'],
  ['a big integer', { n: 175928847299117063n }, '/context/n', '175928847299117063n'],
])('%s is refused before it is sent, with its place', async (_, context, pointer, says) => {
  const refusal = { code: 'invalid_request', detail: expect.stringContaining(says), errors: [{ pointer }] };
  await expect(client().decide(question(context))).rejects.toMatchObject(refusal);
});

it('refuses one question of a batch by its place there', async () => {
  const evaluations = [question({}), question({ n: Number.NaN })];
  const refusal = { code: 'invalid_request', errors: [{ pointer: '/evaluations/1/context/n' }] };
  await expect(client().decideAll({ evaluations })).rejects.toMatchObject(refusal);
});

it('fails no other call that is joined with it', async () => {
  const fetch = async () => Response.json({ decision: true, evaluations: [{ decision: true }, { decision: true }] });
  const joining = client({ batching: true, fetch });
  const asked = [{}, { n: Number.NaN }, {}].map((context) => joining.decide(question(context)));
  const outcomes = await Promise.allSettled(asked);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

it('sends what is finite and exact as it is', async () => {
  let body = '';
  const fetch = async (_: unknown, init?: RequestInit) => {
    body = String(init?.body);
    return Response.json({ decision: true });
  };
  const context = { n: Number.MAX_SAFE_INTEGER, f: 0.1, small: 5e-324, none: undefined, at: new Date(0) };
  await client({ fetch }).decide(question(context));
  expect(JSON.parse(body).context).toEqual({
    n: 9007199254740991,
    f: 0.1,
    small: 5e-324,
    at: '1970-01-01T00:00:00.000Z',
  });
});
