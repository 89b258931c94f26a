import { ServiceClient } from '@authz-service/sdk';
import { guard } from '@authz-service/sdk/express';
import express from 'express';

const client = new ServiceClient({ url: process.env.AUTHZ_URL ?? 'http://127.0.0.1:8181' });

// Stands for your own authentication.
function authenticated(request, response, next) {
  request.user = request.get('x-user');
  if (request.user) next();
  else response.sendStatus(401);
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

const app = express();
app.get('/invoices/:id', authenticated, mayRead, (request, response) => {
  response.send(`Invoice ${request.params.id}\n`);
});

const [host, port] = (process.env.LISTEN ?? '127.0.0.1:3000').split(':');
const server = app.listen(Number(port), host, () => {
  console.error(`listening on http://${host}:${server.address().port}`);
});
