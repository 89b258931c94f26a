/**
 * Puts a load on the decision point at the URL given, through every way of asking, and says in JSON lines what became of it and
 * what stayed behind. Ends when its input does, unless something keeps it alive. Needs --expose-gc.
 */
import { getEventListeners, once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { queryObjects } from 'node:v8';
import { ServiceClient } from '@authz-service/sdk/client';
import { ServiceError } from '@authz-service/sdk/service-error';

const [url] = process.argv.slice(2);
// A deadline whose timer stayed would be seen, for it is far away.
const options = { url, retries: 1, decisionTimeoutMs: 60_000, attemptTimeoutMs: 500 };
const oauth = { clientId: 'load', clientSecret: 'of-the-load' };
const clients = [
  new ServiceClient(options),
  new ServiceClient({ ...options, batching: { max: 10 } }),
  new ServiceClient({ ...options, credentials: oauth }),
  new ServiceClient({ ...options, credentials: oauth, batching: true, retries: 0 }),
];

/** One for all calls, as that of a server that shuts down one day. */
const shared = new AbortController();
const tally = { right: 0, wrong: 0, undecided: 0, givenUp: 0, other: 0 };
const enough = new Error('enough');

async function ask(client, at) {
  const leaving = at % 9 === 0;
  const signal = leaving ? AbortSignal.any([shared.signal, abortedSoon()]) : shared.signal;
  const question = {
    subject: { type: 'user', id: String(at) },
    action: { name: 'read' },
    resource: { type: 'invoice', id: 'INV-1' },
  };
  try {
    const { allowed } = await client.decide(question, { signal });
    tally[allowed === (at % 2 === 0) ? 'right' : 'wrong'] += 1;
  } catch (error) {
    tally[error === enough ? 'givenUp' : error instanceof ServiceError ? 'undecided' : 'other'] += 1;
  }
}

function abortedSoon() {
  const controller = new AbortController();
  setImmediate().then(() => controller.abort(enough));
  return controller.signal;
}

async function round() {
  const calls = clients.flatMap((client) => Array.from({ length: 40 }, (_, at) => ask(client, at)));
  await Promise.all(calls);
}

/** Returns what is alive once all is settled, also what nobody waits for any more, and collected. */
async function left() {
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const deadline = performance.now() + 10_000;
  do await setImmediate();
  while (timers() > 0 && performance.now() < deadline);
  globalThis.gc();
  return {
    listeners: getEventListeners(shared.signal, 'abort').length,
    controllers: queryObjects(AbortController, { format: 'count' }),
    timers: timers(),
  };
}

const say = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);
await round();
say(await left());
for (let rounds = 0; rounds < 5; rounds += 1) await round();
say({ ...(await left()), tally });
process.stdin.resume();
await once(process.stdin, 'end');
