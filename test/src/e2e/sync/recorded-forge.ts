import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RecordedRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
}

interface Answer {
  status?: number;
  body: unknown;
}

/** The answer to requests whose method and path match: as a forge documents it, cut to what is read. */
export type RecordedAnswer = [pattern: RegExp, answer: (request: RecordedRequest) => Answer | Promise<Answer>];

/** A server that answers as GitHub, GitLab or Gitea have been recorded to, and keeps what it is asked. */
export class RecordedForge {
  readonly requests: RecordedRequest[] = [];
  answers: RecordedAnswer[] = [];
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', async () => {
        const { method = '', url: path = '', headers } = request;
        const text = Buffer.concat(chunks).toString();
        const asked = { method, path, headers, body: text === '' ? {} : JSON.parse(text) };
        this.requests.push(asked);
        const found = await this.answers.find(([pattern]) => pattern.test(`${method} ${path}`))?.[1](asked);
        response.writeHead(found === undefined ? 404 : (found.status ?? 200), { 'content-type': 'application/json' });
        response.end(JSON.stringify(found?.body ?? { message: 'Not Found' }));
      });
    });
  }

  static async start(): Promise<RecordedForge> {
    const forge = new RecordedForge();
    await new Promise<void>((resolve) => forge.#server.listen(0, '127.0.0.1', resolve));
    return forge;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The bodies of what was written to a path. */
  written(pattern: RegExp): Record<string, unknown>[] {
    return this.requests.filter(({ method, path }) => method !== 'GET' && pattern.test(path)).map(({ body }) => body);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
