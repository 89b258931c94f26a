import { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Pulse } from './pulse.js';

let now: number;
let pulse: Pulse;
let connection: Socket;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  now = 0;
  pulse = new Pulse(() => now);
  connection = new Socket();
  connection.on('error', () => {});
  pulse.watch(connection);
});
afterEach(() => {
  pulse.end();
  vi.useRealTimers();
});

const pass = async (ms: number) => {
  now += ms;
  await vi.advanceTimersByTimeAsync(ms);
  await nextTurn();
};
const never = () => new Promise<never>(() => {});
const answered = async () => 'answer';
const refused = () => Promise.reject(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }));

describe('the pulse of a database', () => {
  it('gives up nothing while it answers, however long nobody asks', async () => {
    expect(await pulse.ask(answered)).toBe('answer');
    await pass(60_000);
    expect([pulse.fault, connection.destroyed]).toEqual([undefined, false]);
  });

  it('gives up connections once a question has no answer for five seconds, and new ones then', async () => {
    void pulse.ask(never);
    await pass(4_999);
    expect([pulse.fault, connection.destroyed]).toEqual([undefined, false]);
    await pass(1);
    expect(pulse.fault?.what).toBe('The database of the cloud does not answer');
    expect(connection.destroyed).toBe(true);
    const later = new Socket();
    later.on('error', () => {});
    pulse.watch(later);
    await pass(1_000);
    expect(later.destroyed).toBe(true);
  });

  it('gives up connections though a timer ends a fraction of a millisecond early', async () => {
    void pulse.ask(never);
    now += 4_999.5;
    await vi.advanceTimersByTimeAsync(5_000);
    await nextTurn();
    expect(connection.destroyed).toBe(false);
    await pass(1);
    expect(connection.destroyed).toBe(true);
  });

  it('says that the database does not answer where the cloud gave a question up itself', async () => {
    await expect(pulse.ask(() => Promise.reject(new Error('the database was silent for too long')))).rejects.toThrow();
    await pass(5_000);
    expect(pulse.fault?.what).toBe('The database of the cloud does not answer');
  });

  it('gives up nothing where the answer is read in the turn after a process that stood still', async () => {
    let answer = () => {};
    const asked = pulse.ask(() => new Promise<void>((resolve) => (answer = resolve)));
    now += 5_000;
    vi.advanceTimersByTime(5_000);
    answer();
    await asked;
    await nextTurn();
    expect([pulse.fault, connection.destroyed]).toEqual([undefined, false]);
  });

  it('counts from the first question without an answer, and says why the last one failed', async () => {
    await expect(pulse.ask(refused)).rejects.toThrow('connect');
    await pass(3_000);
    await expect(pulse.ask(refused)).rejects.toThrow('connect');
    await pass(2_000);
    expect(pulse.fault?.what).toBe('The database of the cloud cannot be reached');
  });

  it('is back with the first answer', async () => {
    void pulse.ask(never);
    await pass(5_000);
    await pulse.ask(answered);
    expect(pulse.fault).toBeUndefined();
    const fresh = new Socket();
    pulse.watch(fresh);
    await pass(60_000);
    expect(fresh.destroyed).toBe(false);
    fresh.destroy();
  });
});
