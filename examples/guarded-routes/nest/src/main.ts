import 'reflect-metadata';
import { ServiceClient } from '@authz-service/sdk/client';
import { guard } from '@authz-service/sdk/nest';
import { Controller, Get, Module, Param, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

const client = new ServiceClient({ url: process.env.AUTHZ_URL ?? 'http://127.0.0.1:8181' });

interface Request {
  headers: Record<string, string | undefined>;
  params: { id: string };
}

// The header stands for your own authentication.
const mayRead = guard(client, ({ headers, params }: Request) => {
  const user = headers['x-user'];
  if (user === undefined) return undefined;
  return {
    subject: { type: 'user', id: user },
    action: { name: 'read' },
    resource: { type: 'invoice', id: params.id },
  };
});

@Controller('invoices')
class Invoices {
  @Get(':id')
  @UseGuards(mayRead)
  read(@Param('id') id: string) {
    return { invoice: id };
  }
}

@Module({ controllers: [Invoices] })
class App {}

const app = await NestFactory.create(App, { logger: false });
await app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1');
console.log(JSON.stringify({ url: await app.getUrl() }));
