import { ServiceClient } from '@authz-service/sdk/client';
import { median } from './random.js';

/*
 * What the Node SDK costs beside `fetch`, and what joining brings, as JSON. In turns, so that whatever else slows the
 * machine down falls on both sides of a ratio.
 */
const url = process.argv[2] ?? '';
const question = {
  subject: { type: 'user', id: 'alice' },
  action: { name: 'read' },
  resource: { type: 'invoice', id: 'INV-1' },
};
const timeouts = { decisionTimeoutMs: 30_000, attemptTimeoutMs: 30_000 };
const CALLERS = 100;
const ROUNDS = 10;

async function inTurns(turns: number, first: () => Promise<void>, second: () => Promise<void>): Promise<number> {
  const ratios: number[] = [];
  for (let turn = -turns / 10; turn < turns; turn += 1) {
    const begun = performance.now();
    await first();
    const between = performance.now();
    await second();
    if (turn >= 0) ratios.push((between - begun) / (performance.now() - between));
  }
  return median(ratios);
}

async function bare(): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/access/v1/evaluation`, {
    method: 'POST',
    headers,
    body: JSON.stringify(question),
  });
  if (((await answer.json()) as { decision: boolean }).decision !== true) throw new Error('it was denied');
}

const asking = (client: ServiceClient) => async (): Promise<void> => {
  if (!(await client.decide(question)).allowed) throw new Error('it was denied');
};

const together = (client: ServiceClient) => async (): Promise<void> => {
  const ask = asking(client);
  const caller = async () => {
    for (let round = 0; round < ROUNDS; round += 1) await ask();
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
};

const single = new ServiceClient({ url, ...timeouts });
const joined = new ServiceClient({ url, ...timeouts, batching: true });
const overBare = await inTurns(2000, asking(single), bare);
const joining = await inTurns(10, together(single), together(joined));
process.stdout.write(JSON.stringify({ overBare, joined: joining }));
