import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Bundle } from '@authz-service/core/bundle/types';
import { TestSigner } from './test-signer.js';

/** A cloud that answers bundle requests as told, correctly or not, over real HTTP on a free port. */
export class ScriptedCloud {
  /** Every request for a bundle, in order. */
  readonly requests: IncomingMessage[] = [];
  #listener: RequestListener = (_, response) => response.writeHead(503).end();
  #server: Server;
  #port = 0;

  private constructor(
    /** The signer of the served bundles; it can be replaced at any time. */
    public signer: TestSigner,
  ) {
    this.#server = this.#create();
  }

  static async start(): Promise<ScriptedCloud> {
    const cloud = new ScriptedCloud(await TestSigner.make());
    await cloud.listen();
    return cloud;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Answers every request like this from now on. */
  answer(listener: RequestListener): void {
    this.#listener = listener;
  }

  /** Serves this bundle from now on, as the real cloud does: with its ETag, and 304 to callers that have it. */
  async serve(bundle: Bundle): Promise<Buffer> {
    const archive = await this.signer.pack(bundle);
    this.answer((request, response) => sendBundle(request, response, archive, `"${bundle.revision}"`));
    return archive;
  }

  /** Closes the port and every connection: new callers are refused. */
  async refuse(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Listens again after `refuse`, on the same port. */
  async listen(): Promise<void> {
    if (!this.#server.listening) this.#server = this.#create();
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    if (this.#server.listening) await this.refuse();
  }

  #create(): Server {
    return createServer((request, response) => {
      if (request.url === '/.well-known/jwks.json') {
        response.writeHead(200, { 'content-type': 'application/json' }).end(this.signer.jwks);
        return;
      }
      this.requests.push(request);
      this.#listener(request, response);
    });
  }
}

export function sendBundle(request: IncomingMessage, response: ServerResponse, archive: Buffer, etag: string): void {
  if (request.headers.authorization !== 'Bearer svc_test') response.writeHead(401).end();
  else if (request.headers['if-none-match'] === etag) response.writeHead(304, { etag }).end();
  else response.writeHead(200, { 'content-type': 'application/gzip', etag }).end(archive);
}
