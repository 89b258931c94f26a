import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EngineRecord } from '@authz-service/core/decision/api/engine';
import { compileEngine } from '@authz-service/core/decision/compile-engine';
import { readManifest } from '@authz-service/core/manifest/read';
import { ProblemError } from '@authz-service/core/problem';
import { answerSearch } from '@authz-service/core/search/answer';
import { TenantSearch } from '@authz-service/core/search/tenant-search';
import { AUTHZEN_PATHS, authzenConfiguration } from '@authz-service/core/wire/authzen-configuration';
import { parseDecisionRequest } from '@authz-service/core/wire/decision-request';
import { decisionResponse } from '@authz-service/core/wire/decision-response';
import { parseEvaluations } from '@authz-service/core/wire/evaluations-request';
import { answerEvaluations } from '@authz-service/core/wire/evaluations-response';
import { PROBLEM_STATUS } from '@authz-service/core/wire/problem-status';
import { parseSearch } from '@authz-service/core/wire/search-request';

const FIXTURE = new URL('../../examples/authzen-fixture/tenant.yaml', import.meta.url);

interface PointAnswer {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

/** Makes of a right answer a wrong one, or leaves it. */
export type Tamper = (
  answer: PointAnswer,
  asked: { path: string; body: unknown; headers: IncomingMessage['headers'] },
) => void;

/** A decision point that holds the fixture tenant, in this process, and answers as the standard asks unless tampered with. */
export class FixturePoint {
  readonly received: { path: string; headers: IncomingMessage['headers'] }[] = [];
  tamper: Tamper = () => {};
  readonly #engine = compileEngine(fixtureRecords());
  readonly #search = new TenantSearch(this.#engine);
  readonly #server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { url: path = '', headers } = request;
    this.received.push({ path, headers });
    const { answer, asked } = this.#answer(path, headers, Buffer.concat(chunks).toString());
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

  #answer(path: string, headers: IncomingMessage['headers'], text: string) {
    const id = headers['x-request-id'];
    const own = { 'content-type': 'application/json', ...(typeof id === 'string' && { 'x-request-id': id }) };
    let asked: unknown;
    try {
      if (path === AUTHZEN_PATHS.configuration)
        return { answer: { status: 200, headers: own, body: authzenConfiguration(this.url) }, asked };
      if (headers['content-type'] !== 'application/json') throw new ProblemError('invalid_request', 'no JSON');
      asked = parsed(text);
      return { answer: { status: 200, headers: own, body: this.#decide(path, asked) }, asked };
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      return { answer: { status: PROBLEM_STATUS[error.code], headers: own, body: { detail: error.detail } }, asked };
    }
  }

  #decide(path: string, asked: unknown): unknown {
    if (path === AUTHZEN_PATHS.evaluation) return decisionResponse(this.#engine.decide(parseDecisionRequest(asked), 0));
    if (path === AUTHZEN_PATHS.evaluations) {
      const request = parseEvaluations(asked);
      if (!('items' in request)) return decisionResponse(this.#engine.decide(request, 0));
      return finished(
        answerEvaluations(request, (item) => (item instanceof ProblemError ? item : this.#engine.decide(item, 0))),
      );
    }
    const kind = (['subject', 'resource', 'action'] as const).find((one) => AUTHZEN_PATHS[one] === path);
    if (kind === undefined) throw new ProblemError('not_found', path);
    const searched = { search: this.#search, tenant: 'fixture', revision: '1' };
    return finished(answerSearch(searched, parseSearch(kind, asked), { now: 0, clock: () => 0 }));
  }
}

function fixtureRecords(): EngineRecord[] {
  const { manifest, faults } = readManifest([{ path: 'tenant.yaml', text: readFileSync(FIXTURE, 'utf8') }]);
  if (manifest === undefined) throw new Error(JSON.stringify(faults));
  return manifest.records.map(({ kind, fields }, at) => ({ kind, fields, id: `id-${at}` }) as unknown as EngineRecord);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ProblemError('invalid_request', 'no JSON');
  }
}

function finished<T>(steps: Generator<undefined, T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}
