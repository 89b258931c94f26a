import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

const load = fileURLToPath(new URL('node-load.mjs', import.meta.url));

/** Counting objects is experimental. */
const FLAGS = ['--expose-gc', '--disable-warning=ExperimentalWarning'];

interface Question {
  subject: { id: string };
}

/** Allows what is even, and now and then breaks in every way that a connection and a service can. */
let server: Server;
let asked = 0;
beforeAll(async () => {
  server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const FAULTS: [every: number, fault: (response: ServerResponse) => unknown][] = [
  [7, (response) => response.destroy()],
  [
    11,
    (response) => response.writeHead(200, { 'content-type': 'application/json', 'content-length': 99 }).end('{"dec'),
  ],
  [13, () => 'nothing for as long as the caller waits'],
  [17, (response) => json(response, { code: 'not_ready', detail: 'no bundle' }, 503)],
  [19, (response) => json(response, { code: 'too_many_requests', detail: 'later' }, 429)],
  [23, (response) => response.socket?.end('not HTTP\r\n\r\n')],
  [29, (response) => json(response, { code: 'unauthorized', detail: 'expired' }, 401)],
];

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  asked += 1;
  const fault = FAULTS.find(([every]) => asked % every === 0)?.[1];
  if (fault !== undefined) fault(response);
  else if (request.url === '/oauth/token')
    json(response, { access_token: `t${asked}`, token_type: 'Bearer', expires_in: 60 });
  else {
    const { evaluations, ...question } = JSON.parse(body) as Question & { evaluations?: Question[] };
    const decide = ({ subject }: Question) => ({ decision: Number(subject.id) % 2 === 0 });
    json(response, evaluations === undefined ? decide(question) : { evaluations: evaluations.map(decide) });
  }
}

function json(response: ServerResponse, body: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

it('leaves no timer, listener or connection behind, whatever fails, and lets the program end', async () => {
  const { port } = server.address() as AddressInfo;
  const child = spawn(process.execPath, [...FLAGS, load, `http://127.0.0.1:${port}`], { stdio: 'pipe' });
  const warned = text(child.stderr);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const said = async () => JSON.parse((await lines.next()).value ?? '{}');
  const first = await said();
  const before = await connections();
  const { tally, ...last } = await said();

  expect(tally).toMatchObject({ wrong: 0, other: 0 });
  for (const kind of ['right', 'undecided', 'givenUp']) expect(tally[kind], kind).toBeGreaterThan(0);
  for (const left of [first, last]) expect(left).toMatchObject({ listeners: 0, timers: 0 });
  // What the platform keeps for a connection that is open stays; what grows with the calls is a leak.
  expect(last.controllers).toBeLessThan(first.controllers + 50);
  expect(await connections()).toBeLessThan(Math.max(before, 50) * 2);

  child.stdin.end();
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
  // Node takes many listeners of one signal for a leak, and warns.
  expect(await warned).toBe('');
});

function connections(): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}
