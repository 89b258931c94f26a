import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** The notes on merge request 7 of project 5, as GitLab's API serves them: one a page, to those who have the token. */
export class MergeRequestNotes {
  readonly bodies = ["Somebody's own words."];
  private server: Server | undefined;

  /** The variables of a job on that merge request. */
  async start(): Promise<Record<string, string>> {
    this.server = createServer(async (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
      const [, id] = /^\/projects\/5\/merge_requests\/7\/notes(?:\/(\d+))?$/.exec(pathname) ?? [];
      const send = (status: number, body: unknown, headers = {}) =>
        response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
      if (request.headers['private-token'] !== 'glpat-7') return send(401, {});
      if (request.method === 'GET') {
        const page = Number(searchParams.get('page') ?? 1);
        const next = page < this.bodies.length ? String(page + 1) : '';
        return send(200, [{ id: page - 1, body: this.bodies[page - 1] }], { 'x-next-page': next });
      }
      const { body } = (await json(request)) as { body: string };
      if (request.method === 'POST' && id === undefined) this.bodies.push(body);
      else if (request.method === 'PUT' && Number(id) < this.bodies.length) this.bodies[Number(id)] = body;
      else return send(404, {});
      return send(200, { body });
    });
    await new Promise<void>((resolve) => this.server?.listen(0, '127.0.0.1', resolve));
    const { port } = this.server.address() as AddressInfo;
    return {
      CI_API_V4_URL: `http://127.0.0.1:${port}`,
      CI_PROJECT_ID: '5',
      CI_MERGE_REQUEST_IID: '7',
      COMMENT_TOKEN: 'glpat-7',
    };
  }

  close(): void {
    this.server?.close();
  }
}
