import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Check } from './check.js';
import type { Endpoint, PointAnswer } from './decision-point.js';
import { expectObject, expectStatus, fail, isObject, shown } from './expectations.js';

const REPETITIONS = 5;

/**
 * Checks of what every endpoint must do with headers, malformed bodies, unknown members and repetitions (sections 2.4 to
 * 2.6 and 5). `body` is a valid request to it.
 */
export function endpointChecks(level: Check['level'], endpoint: Endpoint, body: object): Check[] {
  const json = JSON.stringify(body);
  const refusals: [section: string, name: string, body: unknown, contentType?: string][] = [
    ['2.4.3', 'another content type', json, 'text/plain'],
    ['2.4.4', 'a body that is not JSON', json.slice(0, -1)],
    ['2.4.5', 'an empty body', ''],
    ['2.4.6', 'a subject that is a string', { ...body, subject: 'alice' }],
  ];
  return [
    ...refusals.map(
      ([section, name, sent, contentType]): Check => ({
        level,
        section,
        name: `${endpoint}: ${name} is refused`,
        run: async (point) => expectStatus(await point.post(endpoint, { body: sent, contentType }), 400),
      }),
    ),
    {
      level,
      section: '2.5.1',
      name: `${endpoint}: a request id comes back`,
      run: async (point) => {
        const id = randomUUID();
        const answer = await point.post(endpoint, { body, headers: { 'x-request-id': id } });
        expectStatus(answer, 200);
        const echoed = answer.headers.get('x-request-id');
        if (echoed !== id) fail(`expected the X-Request-ID ${id}, got ${shown(echoed ?? 'none')}`);
      },
    },
    {
      level,
      section: '2.6',
      name: `${endpoint}: the same question has the same answer`,
      run: async (point) => {
        const first = await point.post(endpoint, { body });
        for (let round = 1; round < REPETITIONS; round++) expectSameAnswer(await point.post(endpoint, { body }), first);
      },
    },
    {
      level,
      section: '5',
      name: `${endpoint}: unknown members are ignored`,
      run: async (point) =>
        expectSameAnswer(
          await point.post(endpoint, { body: { ...body, more: 'x', later: { nested: true } } }),
          await point.post(endpoint, { body }),
        ),
    },
  ];
}

function expectSameAnswer(answer: PointAnswer, other: PointAnswer): void {
  const [one, another] = [decided(answer), decided(other)];
  if (!isDeepStrictEqual(one, another)) fail(`expected the same answer, got ${shown(one)} and ${shown(another)}`);
}

/** The content of an answer, without the contexts and without the order of results, which may change between calls. */
function decided(answer: PointAnswer): unknown {
  const { decision, evaluations, results } = expectObject(answer);
  if (Array.isArray(results)) return results.map((result) => JSON.stringify(result)).sort();
  if (Array.isArray(evaluations)) return evaluations.map((item) => (isObject(item) ? item.decision : item));
  return decision;
}
