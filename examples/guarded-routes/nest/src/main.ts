import 'reflect-metadata';
import { type Filter, filterSql, ServiceClient } from '@authz-service/sdk';
import { guard } from '@authz-service/sdk/nest';
import {
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  Module,
  Param,
  Query,
  Req,
  ServiceUnavailableException,
  UnauthorizedException,
  UseGuards,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
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
async function pageOf(filter: Filter, after: string) {
  const { sql, params } = filterSql(filter, columns, 'sqlite');
  const selected = () => database('invoice').whereRaw(sql, params);
  const page = selected().where('name', '>', after).orderBy('name');
  const found: string[] = await page.limit(pageSize + 1).pluck('name');
  const [counted] = await selected().count({ count: '*' });
  const invoices = found.slice(0, pageSize);
  return { invoices, count: counted?.count, next: found.length > pageSize ? invoices.at(-1) : null };
}

interface Request {
  headers: Record<string, string | undefined>;
  params: { id: string };
  user: string;
}

// Stands for your own authentication.
const authenticated: CanActivate = {
  canActivate(context: ExecutionContext) {
    const request = context.switchToHttp().getRequest<Request>();
    const user = request.headers['x-user'];
    if (user === undefined) throw new UnauthorizedException();
    request.user = user;
    return true;
  },
};

const mayRead = guard(
  client,
  ({ user, params }: Request) => ({
    subject: { type: 'user', id: user },
    action: { name: 'read' },
    resource: { type: 'invoice', id: params.id },
  }),
  { onUndecided: (error) => console.error(`nobody decided: ${error}`) },
);

@Controller('invoices')
class Invoices {
  @Get(':id')
  @UseGuards(authenticated, mayRead)
  read(@Param('id') id: string) {
    return `Invoice ${id}\n`;
  }

  @Get()
  @UseGuards(authenticated)
  async list(@Req() { user }: Request, @Query('after') after = '') {
    const question = { subject: { type: 'user', id: user }, action: { name: 'read' }, resource: { type: 'invoice' } };
    const filter = await client.filterRows(question).catch(() => undefined);
    if (filter === undefined) throw new ServiceUnavailableException();
    return pageOf(filter, after);
  }
}

@Module({ controllers: [Invoices] })
class App {}

const app = await NestFactory.create(App, { logger: false });
const [host, port] = (process.env.LISTEN ?? '127.0.0.1:3000').split(':');
await app.listen(Number(port), String(host));
console.error(`listening on ${await app.getUrl()}`);
