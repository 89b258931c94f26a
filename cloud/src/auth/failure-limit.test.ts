import { beforeEach, describe, expect, it } from 'vitest';
import { FailureLimit } from './failure-limit.js';

let clock = 0;
let limit: FailureLimit;

beforeEach(() => {
  clock = 1_000_000;
  limit = new FailureLimit(() => clock);
});

const isOpen = (party: string) => {
  try {
    limit.assertOpen(party);
    return true;
  } catch {
    return false;
  }
};
const fail = (party: string, times: number) => {
  for (let count = 0; count < times; count++) limit.fail(party);
};

describe('a limit of failures', () => {
  it('lets ten failures pass, then one a second', () => {
    fail('a', 9);
    expect(isOpen('a')).toBe(true);
    fail('a', 1);
    expect(isOpen('a')).toBe(false);
    clock += 999;
    expect(isOpen('a')).toBe(false);
    clock += 1;
    expect(isOpen('a')).toBe(true);
    fail('a', 1);
    expect(isOpen('a')).toBe(false);
  });

  it('says how long to wait', () => {
    fail('a', 12);
    const refusal = { code: 'too_many_requests', detail: expect.stringContaining('3 s'), retryAfterSeconds: 3 };
    expect(() => limit.assertOpen('a')).toThrow(expect.objectContaining(refusal));
  });

  it('counts each party by itself', () => {
    fail('a', 100);
    expect(isOpen('b')).toBe(true);
  });

  it('remembers a bounded number of parties, and forgets first who failed longest ago', () => {
    fail('old', 20);
    fail('a', 20);
    fail('old', 1);
    for (let count = 0; count < 9_999; count++) limit.fail(`other ${count}`);
    expect([isOpen('old'), isOpen('a')]).toEqual([false, true]);
  });

  it('makes nobody wait longer when the clock is set back', () => {
    fail('a', 9);
    clock -= 500_000;
    expect(isOpen('a')).toBe(true);
  });
});
