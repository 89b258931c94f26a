import Fastify, { type FastifyRequest } from 'fastify';
import { expect, expectTypeOf, it } from 'vitest';
import { guard, NOT_FOUND } from './fastify.js';
import { FakeDecisionPoint } from './testing.js';

const client = new FakeDecisionPoint([{ subject: 'user:alice', resource: 'invoice:INV-1', answer: 'allow' }]).client();
const question = (user: unknown, id: string) => ({
  subject: { type: 'user', id: String(user) },
  action: { name: 'read' },
  resource: { type: 'invoice', id },
});

it('knows the type of a mapper’s request outside a route and in one', async () => {
  const outside = guard(client, (request) => {
    expectTypeOf(request.params).toEqualTypeOf<Readonly<Record<string, string>>>();
    expectTypeOf(request.headers['x-user']).toEqualTypeOf<string | string[] | undefined>();
    const { id } = request.params;
    return id === undefined ? NOT_FOUND : question(request.headers['x-user'], id);
  });
  type Route = { Params: { id: string }; Querystring: { deep: boolean } };
  const named = guard(client, (request: FastifyRequest<Route>) =>
    question(request.headers['x-user'], request.params.id),
  );

  const app = Fastify();
  app.get('/outside/:id', { preHandler: outside }, async () => 'shown');
  app.get('/list/:id', { preHandler: [outside] }, async () => 'shown');
  app.get<Route>('/typed/:id', { preHandler: outside }, async () => 'shown');
  app.get<Route>('/named/:id', { preHandler: named }, async () => 'shown');
  app.get<Route>(
    '/inside/:id',
    {
      preHandler: guard(client, (request) => {
        expectTypeOf(request.params).toEqualTypeOf<{ id: string }>();
        expectTypeOf(request.query).toEqualTypeOf<{ deep: boolean }>();
        return question(request.headers['x-user'], request.params.id);
      }),
    },
    async () => 'shown',
  );
  app.addHook('preHandler', outside);
  // @ts-expect-error: The route has another parameter than its mapper reads.
  app.get<{ Params: { number: string } }>('/other/:number', { preHandler: named }, async () => 'shown');

  for (const path of ['outside', 'list', 'typed', 'named', 'inside']) {
    for (const [user, status] of [
      ['alice', 200],
      ['bob', 403],
    ] as const) {
      const answer = await app.inject({ path: `/${path}/INV-1`, headers: { 'x-user': user } });
      expect([path, answer.statusCode]).toEqual([path, status]);
    }
  }
});
