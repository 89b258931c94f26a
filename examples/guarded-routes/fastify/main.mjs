import { ServiceClient } from '@authz-service/sdk';
import { guard } from '@authz-service/sdk/fastify';
import Fastify from 'fastify';

const client = new ServiceClient({ url: process.env.AUTHZ_URL ?? 'http://127.0.0.1:8181' });

// Stands for your own authentication.
async function authenticated(request, reply) {
  request.user = request.headers['x-user'];
  if (!request.user) return reply.code(401).send('Say who you are.');
}

const mayRead = guard(
  client,
  (request) => ({
    subject: { type: 'user', id: request.user },
    action: { name: 'read' },
    resource: { type: 'invoice', id: request.params.id },
  }),
  { onUndecided: (error) => console.error(`nobody decided: ${error.message}`) },
);

const app = Fastify();
app.decorateRequest('user', null);
app.get('/invoices/:id', { preHandler: [authenticated, mayRead] }, async (request) => `Invoice ${request.params.id}\n`);

const [host, port] = (process.env.LISTEN ?? '127.0.0.1:3000').split(':');
console.error(`listening on ${await app.listen({ host, port: Number(port) })}`);
