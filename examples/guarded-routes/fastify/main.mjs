import { ServiceClient } from '@authz-service/sdk/client';
import { guard } from '@authz-service/sdk/fastify';
import Fastify from 'fastify';

const client = new ServiceClient({ url: process.env.AUTHZ_URL ?? 'http://127.0.0.1:8181' });

// The header stands for your own authentication.
const mayRead = guard(client, (request) => {
  const user = request.headers['x-user'];
  if (!user) return undefined;
  return {
    subject: { type: 'user', id: user },
    action: { name: 'read' },
    resource: { type: 'invoice', id: request.params.id },
  };
});

const app = Fastify();
app.get('/invoices/:id', { preHandler: mayRead }, async (request) => ({ invoice: request.params.id }));
const url = await app.listen({ port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' });
console.log(JSON.stringify({ url }));
