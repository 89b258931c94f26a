/**
 * Asks a decision point at a constant rate, whether it answers or not, until its input ends; then prints when each request
 * was sent (wall clock, ms) and how long its answer took (ms), as JSON. In a process of its own, so that nobody else's
 * pauses are measured.
 *   steady-load.js URL PER_SECOND QUESTIONS.json
 * A cloud takes SERVICE_API_KEY; an agent takes none.
 */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';

const [url = '', perSecond = '', path = ''] = process.argv.slice(2);
const bodies = (JSON.parse(readFileSync(path, 'utf8')) as object[]).map((body) => Buffer.from(JSON.stringify(body)));
const { SERVICE_API_KEY: key } = process.env;
const agent = new Agent({ keepAlive: true });
const samples: [sentAt: number, ms: number][] = [];
let sent = 0;

function ask(): void {
  const body = bodies[sent % bodies.length] as Buffer;
  send(body, performance.now());
}

function send(body: Buffer, sentAt: number): void {
  const headers = {
    'content-type': 'application/json',
    'content-length': body.length,
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  };
  const asked = request(`${url}/v1/authorize`, { method: 'POST', agent, headers }, (response) => {
    if (response.statusCode !== 200) throw new Error(`${url} answered ${response.statusCode}`);
    response.resume().on('end', () => samples.push([performance.timeOrigin + sentAt, performance.now() - sentAt]));
  });
  asked.on('error', (error: NodeJS.ErrnoException) => {
    // The server has closed an idle connection in the same moment: the request counts from when it was sent first.
    if (!asked.reusedSocket || error.code !== 'ECONNRESET') throw error;
    send(body, sentAt);
  });
  asked.end(body);
}

const begun = performance.now();
const timer = setInterval(() => {
  for (const due = ((performance.now() - begun) / 1000) * Number(perSecond); sent < due; sent += 1) ask();
}, 1);
process.stdin.resume().on('end', () => {
  clearInterval(timer);
  const done = setInterval(() => {
    if (samples.length < sent) return;
    clearInterval(done);
    agent.destroy();
    process.stdout.write(JSON.stringify(samples));
  }, 10);
});
