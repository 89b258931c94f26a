import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { readSecret } from './config/secret-file.js';
import type { Controller } from './controller.js';
import type { SyncMetrics } from './sync-metrics.js';

const BODY_BYTES_MAX = 5 * 1024 * 1024;

interface SyncServerOptions {
  controllers: readonly Controller[];
  metrics: SyncMetrics;
  log: Logger;
}

/**
 * Serves webhooks at `POST /hooks/{stack}`, and for operators `/livez`, `/readyz` (whether every stack is applied and enforced), `/metrics`
 * and `GET /v1/sync`. A webhook is believed if it is signed with the stack's secret, and says only that there may be something new.
 */
export async function startSyncServer(
  { host, port }: { host: string; port: number },
  options: SyncServerOptions,
): Promise<Server> {
  const server = createServer((request, response) => {
    answer(request, response, options).catch((error: unknown) => {
      options.log.error({ error: error instanceof Error ? error.message : String(error) }, 'a request failed');
      if (!response.headersSent) reply(response, 500, 'internal error\n');
    });
  });
  server.requestTimeout = 30_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return server;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { controllers, metrics, log }: SyncServerOptions,
): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  const hook = /^\/hooks\/([^/]+)$/.exec(pathname)?.[1];
  if (hook !== undefined) {
    if (request.method !== 'POST') return reply(response, 405, 'only POST is offered here\n', { allow: 'POST' });
    const controller = controllers.find(({ config }) => encodeURIComponent(config.name) === hook);
    const file = controller?.config.webhook_secret;
    // Nobody learns which stacks there are.
    const refuse = () => reply(response, 401, 'the signature is not that of the stack\n');
    if (controller === undefined || file === undefined) return refuse();
    const body = await bodyOf(request);
    if (body === undefined) return reply(response, 413, 'the body is too large\n');
    if (!isSigned(request, body, await readSecret(file))) return refuse();
    log.info({ stack: controller.config.name }, 'webhook');
    controller.trigger();
    return reply(response, 202, 'looking\n');
  }
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return reply(response, 405, 'only GET is offered here\n', { allow: 'GET' });
  if (pathname === '/livez') return reply(response, 200, 'ok\n');
  if (pathname === '/readyz') {
    const lines = controllers.map(({ config, status }) => {
      const state = status?.ready
        ? 'ready'
        : `${status?.state ?? 'not looked at yet'}${status?.reason ? `: ${status.reason}` : ''}`;
      return `${config.name}: ${state.split('\n')[0]}`;
    });
    const isReady = controllers.every(({ status }) => status?.ready === true);
    return reply(response, isReady ? 200 : 503, `${lines.join('\n')}\n`);
  }
  if (pathname === '/metrics') {
    const { registry } = metrics;
    return reply(response, 200, await registry.metrics(), { 'content-type': registry.contentType });
  }
  if (pathname === '/v1/sync') {
    const stacks = controllers.map(({ config, isLeader, status }) => ({
      stack: config.name,
      leads: isLeader,
      ...(status && { status }),
    }));
    return reply(response, 200, `${JSON.stringify({ stacks })}\n`, { 'content-type': 'application/json' });
  }
  return reply(response, 404, 'there is no such page\n');
}

/** Whether the body is signed as GitHub and Gitea do (HMAC-SHA256), or the request brings the secret as GitLab's do. */
function isSigned({ headers }: IncomingMessage, body: Buffer, secret: string): boolean {
  const mac = createHmac('sha256', secret).update(body).digest('hex');
  const pairs: [string | string[] | undefined, string][] = [
    [headers['x-hub-signature-256'], `sha256=${mac}`],
    [headers['x-gitea-signature'], mac],
    [headers['x-gitlab-token'], secret],
  ];
  return pairs.some(([given, wanted]) => typeof given === 'string' && isEqual(given, wanted));
}

function isEqual(given: string, wanted: string): boolean {
  const [one, other] = [given, wanted].map((text) => createHmac('sha256', 'compare').update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > BODY_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function reply(response: ServerResponse, status: number, text: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...headers });
  response.end(text);
}
