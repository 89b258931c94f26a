import { expect, it } from 'vitest';
import { ServiceClient } from './client.js';
import { Slots } from './slots.js';

const QUESTION = {
  subject: { type: 'user', id: 'alice' },
  action: { name: 'read' },
  resource: { type: 'invoice', id: 'INV-1' },
};

it('lets so many in at once, in order, and passes over those that gave up', async () => {
  const slots = new Slots(1);
  const { signal } = new AbortController();
  const leaving = new AbortController();
  const order: string[] = [];
  await slots.take(signal);
  const left = slots.take(leaving.signal).catch((reason: unknown) => order.push(String(reason)));
  const second = slots.take(signal).then(() => order.push('second'));
  const third = slots.take(signal).then(() => order.push('third'));
  leaving.abort('left');
  await left;
  slots.free();
  await second;
  slots.free();
  await third;
  slots.free();
  await slots.take(signal);
  expect(order).toEqual(['left', 'second', 'third']);
});

it('answers a burst whose calls wait in line for longer than an attempt may take', async () => {
  let running = 0;
  let most = 0;
  const fetch = async (): Promise<Response> => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, 150));
    running -= 1;
    return Response.json({ decision: true });
  };
  const options = { retries: 0, attemptTimeoutMs: 1_500, decisionTimeoutMs: 60_000 };
  const client = new ServiceClient({ url: 'http://127.0.0.1:1', fetch: fetch as typeof globalThis.fetch, ...options });
  const decisions = await Promise.all(Array.from({ length: 1_000 }, () => client.decide(QUESTION)));
  expect(decisions.every(({ allowed }) => allowed)).toBe(true);
  expect(most).toBe(64);
});
