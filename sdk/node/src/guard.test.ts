import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { decisionOf, guard as expressGuard, NOT_FOUND } from './express.js';
import { guard as fastifyGuard } from './fastify.js';
import { refusalOf } from './guard.js';
import { guard as nestGuard } from './nest.js';
import type { DecisionQuestion } from './question.js';
import { FakeDecisionPoint } from './testing.js';

interface Request {
  user: string | undefined;
}

const point = new FakeDecisionPoint([
  { subject: 'user:alice', answer: 'allow' },
  { subject: 'user:bob', answer: 500 },
  { subject: 'user:carol', answer: 'away' },
  { subject: 'user:malformed', answer: 400 },
]);
const client = point.client();

function toQuestion({ user }: Request): DecisionQuestion | typeof NOT_FOUND | undefined {
  if (user === 'broken') throw new Error('The mapper failed.');
  if (user === undefined) return undefined;
  if (user === 'lost') return NOT_FOUND;
  return { subject: { type: 'user', id: user }, action: { name: 'read' }, resource: { type: 'invoice', id: '1' } };
}

/** Who asks, and what the guarded route is answered with. */
const CASES: [user: string | undefined, status: number][] = [
  ['alice', 200],
  ['eve', 403],
  [undefined, 403],
  ['bob', 503],
  ['carol', 503],
  ['broken', 500],
  ['malformed', 400],
  ['lost', 404],
];

describe.each(CASES)('a request of %s is answered with %i', (user, status) => {
  it('by Express', async () => {
    const undecided: unknown[] = [];
    const app = express();
    const options = { onUndecided: (error: unknown) => undecided.push(error) };
    app.get(
      '/',
      expressGuard(client, (request: express.Request) => toQuestion({ user: request.get('x-user') }), options),
      (request, response) => void response.send(decisionOf(request)?.allowed ? 'the invoice' : 'no decision'),
    );
    app.use((_error: Error, _request: express.Request, response: express.Response, _next: express.NextFunction) => {
      response.status(500).end();
    });
    const server = createServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const headers: Record<string, string> = user === undefined ? {} : { 'x-user': user };
      const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { headers });
      expect(answer.status).toBe(status);
      const text = await answer.text();
      expect(text === 'the invoice').toBe(status === 200);
      expect(text).not.toMatch(/alice|bob|carol|table/);
      expect(undecided).toHaveLength(status === 503 || status === 400 ? 1 : 0);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it('by Fastify', async () => {
    const answered: unknown[] = [];
    const reply = {
      code: (code: number) => answered.push(code),
      header: () => {},
      send: () => {},
    };
    const passed = fastifyGuard(client, toQuestion)({ user }, reply);
    if (status === 500) return void (await expect(passed).rejects.toThrow('The mapper failed.'));
    expect(await passed).toBe(status === 200 ? undefined : reply);
    expect(answered).toEqual(status === 200 ? [] : [status]);
  });

  it('by Nest', async () => {
    const context = { switchToHttp: () => ({ getRequest: <R>() => ({ user }) as R }) };
    const passed = nestGuard(client, toQuestion).canActivate(context);
    if (status === 503 || status === 400 || status === 404) {
      return void (await expect(passed).rejects.toMatchObject({ statusCode: status }));
    }
    if (status === 500) return void (await expect(passed).rejects.toThrow('The mapper failed.'));
    expect(await passed).toBe(status === 200);
  });
});

it('knows what a request has though the mapper does not say its type', () => {
  const question = (id: string | undefined, invoice = '1') => ({
    subject: { type: 'user', id: id ?? '' },
    action: { name: 'read' },
    resource: { type: 'invoice', id: invoice },
  });
  const app = express();
  const mayRead = expressGuard(client, ({ headers, params }) => question(String(headers['x-user']), params.id));
  app.get('/invoices/:id', mayRead);
  app.get(
    '/:id',
    expressGuard(client, (request) => question(request.get('x-user'), request.params.id)),
  );
  nestGuard(client, ({ headers }) => question(String(headers['x-user'])));
});

it.each([
  [
    'throws',
    () => {
      throw new Error('the log is full');
    },
  ],
  [
    'rejects',
    async () => {
      throw new Error('the log is full');
    },
  ],
])('answers 503 all the same where onUndecided %s', async (_, onUndecided) => {
  const asked: DecisionQuestion = {
    subject: { type: 'user', id: 'bob' },
    action: { name: 'read' },
    resource: { type: 'invoice', id: '1' },
  };
  expect(await refusalOf(client, {}, () => asked, { onUndecided })).toMatchObject({ status: 503 });
});

it('hands over to Express what cannot be answered since something else has answered', async () => {
  const sent = new Error('headers are sent');
  const response = {
    statusCode: 200,
    setHeader: () => {
      throw sent;
    },
    end: () => undefined,
  };
  const passed: unknown[] = [];
  await expressGuard<Request>(client, toQuestion)({ user: 'eve' }, response, (error) => passed.push(error));
  expect(passed).toEqual([sent]);
});
