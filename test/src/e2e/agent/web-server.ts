import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/** A plain web server that knows conditional requests: files of a folder, or those that it is given. */
export class WebServer {
  /** Every request, in order, with what it was answered. */
  readonly requests: { request: IncomingMessage; status: number }[] = [];
  /** Answers instead of the files, unless it returns false. */
  before: (...args: Parameters<RequestListener>) => boolean | undefined = () => false;

  private constructor(
    readonly url: string,
    private readonly server: Server,
  ) {}

  static async start(files: (path: string) => Buffer | undefined): Promise<WebServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const web = new WebServer(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, server);
    server.on('request', (request, response) => {
      response.on('finish', () => web.requests.push({ request, status: response.statusCode }));
      if (web.before(request, response)) return;
      const bytes = files((request.url ?? '').slice(1));
      if (bytes === undefined) {
        response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not found</h1>');
        return;
      }
      const etag = `"${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}"`;
      if (request.headers['if-none-match'] === etag) response.writeHead(304, { etag }).end();
      else response.writeHead(200, { etag, 'content-length': bytes.length }).end(bytes);
    });
    return web;
  }

  static ofFolder(folder: string): Promise<WebServer> {
    return WebServer.start((path) => {
      try {
        return readFileSync(join(folder, path));
      } catch {
        return undefined;
      }
    });
  }

  /** How often a path that begins so was answered with a status. */
  count(path: string, status: number): number {
    return this.requests.filter((one) => one.status === status && one.request.url?.startsWith(path)).length;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
