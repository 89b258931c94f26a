import { ServiceClient } from '@authz-service/sdk/client';
import { guard } from '@authz-service/sdk/express';
import express from 'express';

const client = new ServiceClient({ url: process.env.AUTHZ_URL ?? 'http://127.0.0.1:8181' });

// The header stands for your own authentication.
const mayRead = guard(client, (request) => {
  const user = request.get('x-user');
  if (!user) return undefined;
  return {
    subject: { type: 'user', id: user },
    action: { name: 'read' },
    resource: { type: 'invoice', id: request.params.id },
  };
});

const app = express();
app.get('/invoices/:id', mayRead, (request, response) => {
  response.json({ invoice: request.params.id });
});
const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` }));
});
