import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EngineRecord } from '@authz-service/core/access/api/engine';
import { compileEngine } from '@authz-service/core/access/engine/compile-engine';
import { TenantSearch } from '@authz-service/core/access/search/tenant-search';
import { finished } from '@authz-service/core/concurrency/time-slicing';
import { readManifest } from '@authz-service/core/manifest/read';
import { ProblemError } from '@authz-service/core/problem';
import type { EndpointCall } from '@authz-service/pdp/endpoints/endpoint';
import { ENDPOINTS } from '@authz-service/pdp/endpoints/endpoints';
import { jsonOf } from '@authz-service/pdp/transport/json-body';
import { PROBLEM_STATUS } from '@authz-service/pdp/transport/problem-status';

const FIXTURE = new URL('../../examples/authzen-fixture/tenant.yaml', import.meta.url);

interface PointAnswer {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

/** Turns a correct answer into a wrong one, or leaves it. */
export type Tamper = (
  answer: PointAnswer,
  asked: { path: string; body: unknown; headers: IncomingMessage['headers'] },
) => void;

/**
 * A decision point with the fixture tenant, in this process. It answers as the standard requires, unless it is tampered
 * with.
 */
export class FixturePoint {
  readonly received: { path: string; headers: IncomingMessage['headers'] }[] = [];
  tamper: Tamper = () => {};
  readonly #engine = compileEngine(fixtureRecords());
  readonly #search = new TenantSearch(this.#engine);
  readonly #call: EndpointCall = {
    now: 0,
    engine: () => this.#engine,
    run: async (work) => finished(work({ id: 'fixture', revision: '1', engine: this.#engine, search: this.#search })),
    evaluated: () => {},
    ageWithin: () => undefined,
    publicUrl: () => this.url,
  };
  readonly #server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { url: path = '', headers } = request;
    this.received.push({ path, headers });
    const { answer, asked } = await this.#answer(request, Buffer.concat(chunks));
    this.tamper(answer, { path, body: asked, headers });
    response.writeHead(answer.status, answer.headers).end(JSON.stringify(answer.body));
  });

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, body: Buffer) {
    const id = request.headers['x-request-id'];
    const headers = { 'content-type': 'application/json', ...(typeof id === 'string' && { 'x-request-id': id }) };
    let asked: unknown;
    try {
      const endpoint = ENDPOINTS.find(({ path }) => path === request.url);
      if (endpoint === undefined) throw new ProblemError('not_found', `${request.url}`);
      if (endpoint.request !== undefined) asked = jsonOf(request, body, 'invalid_request');
      return {
        answer: { status: 200, headers, body: await endpoint.answer(endpoint.parse(asked), this.#call) },
        asked,
      };
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      return { answer: { status: PROBLEM_STATUS[error.code], headers, body: { detail: error.detail } }, asked };
    }
  }
}

function fixtureRecords(): EngineRecord[] {
  const { manifest, faults } = readManifest([{ path: 'tenant.yaml', text: readFileSync(FIXTURE, 'utf8') }]);
  if (manifest === undefined) throw new Error(JSON.stringify(faults));
  return manifest.records.map(({ kind, fields }, at) => ({ kind, fields, id: `id-${at}` }) as unknown as EngineRecord);
}
