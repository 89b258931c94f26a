import 'reflect-metadata';
import { ServiceClient } from '@authz-service/sdk';
import { guard } from '@authz-service/sdk/nest';
import {
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  Module,
  Param,
  UnauthorizedException,
  UseGuards,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

const client = new ServiceClient({ url: process.env.AUTHZ_URL ?? 'http://127.0.0.1:8181' });

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
}

@Module({ controllers: [Invoices] })
class App {}

const app = await NestFactory.create(App, { logger: false });
const [host, port] = (process.env.LISTEN ?? '127.0.0.1:3000').split(':');
await app.listen(Number(port), String(host));
console.error(`listening on ${await app.getUrl()}`);
