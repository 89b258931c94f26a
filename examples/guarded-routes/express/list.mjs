import { filterSql, ServiceClient } from '@authz-service/sdk';
import { guard } from '@authz-service/sdk/express';
import express from 'express';
import knex from 'knex';

const client = new ServiceClient({ url: process.env.AUTHZ_URL ?? 'http://127.0.0.1:8181' });

// Stands for your own database.
const database = knex({ client: 'sqlite3', connection: ':memory:', useNullAsDefault: true });
await database.schema.createTable('invoice', (table) => {
  table.text('name').primary();
  table.text('owner');
});
const owners = ['alice', 'carol', 'bob', 'carol', 'carol'];
await database('invoice').insert(owners.map((owner, at) => ({ name: `INV-${at + 1}`, owner })));

const columns = { name: 'invoice.name', properties: { owner: 'invoice.owner' } };
const pageSize = 2;

// A page of the invoices that a filter selects, which begins after one of them, and the number of all.
async function pageOf(filter, after) {
  const { sql, params } = filterSql(filter, columns, 'sqlite');
  const selected = () => database('invoice').whereRaw(sql, params);
  const page = selected().where('name', '>', after).orderBy('name');
  const found = await page.limit(pageSize + 1).pluck('name');
  const [{ count }] = await selected().count({ count: '*' });
  const invoices = found.slice(0, pageSize);
  return { invoices, count, next: found.length > pageSize ? invoices.at(-1) : null };
}

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

app.get('/invoices', authenticated, async ({ user, query }, response) => {
  const question = { subject: { type: 'user', id: user }, action: { name: 'read' }, resource: { type: 'invoice' } };
  const filter = await client.filterRows(question).catch(() => undefined);
  if (filter === undefined) response.sendStatus(503);
  else response.json(await pageOf(filter, String(query.after ?? '')));
});

const [host, port] = (process.env.LISTEN ?? '127.0.0.1:3000').split(':');
const server = app.listen(Number(port), host, () => {
  console.error(`listening on http://${host}:${server.address().port}`);
});
