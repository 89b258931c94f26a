/**
 * Asks a decision point at a constant rate, whether it answers or not, until its input ends; then prints when each request
 * was sent (wall clock, ms) and how long its answer took (ms), as JSON. In a process of its own, so that nobody else's
 * pauses are measured.
 *   steady-load.js URL PER_SECOND QUESTIONS.json
 */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';

const [url = '', perSecond = '', path = ''] = process.argv.slice(2);
const bodies = (JSON.parse(readFileSync(path, 'utf8')) as object[]).map((body) => Buffer.from(JSON.stringify(body)));
const agent = new Agent({ keepAlive: true });
const samples: [sentAt: number, ms: number][] = [];
let sent = 0;

function ask(): void {
  const body = bodies[sent % bodies.length] as Buffer;
  const sentAt = performance.now();
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  request(`${url}/v1/authorize`, { method: 'POST', agent, headers }, (response) => {
    if (response.statusCode !== 200) throw new Error(`${url} answered ${response.statusCode}`);
    response.resume().on('end', () => samples.push([performance.timeOrigin + sentAt, performance.now() - sentAt]));
  }).end(body);
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
