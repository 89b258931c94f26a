import { describe, expect, it } from 'vitest';
import { readQuotas } from './read-quotas.js';

function read(text: string) {
  const faults: string[] = [];
  return { quotas: readQuotas(text, (detail) => faults.push(detail)), faults };
}

describe('limits', () => {
  it('are amounts in a time, of any of the units', () => {
    expect(read('requests=600/1m, polls=9/s,commits=60/30s, records=100000/1h , bytes=2MiB/1d')).toEqual({
      quotas: {
        requests: { amount: 600, seconds: 60 },
        polls: { amount: 9, seconds: 1 },
        commits: { amount: 60, seconds: 30 },
        records: { amount: 100_000, seconds: 3600 },
        bytes: { amount: 2 * 1024 * 1024, seconds: 86_400 },
      },
      faults: [],
    });
  });

  it.each([
    ['requests', 'holds "requests"'],
    ['requests=600', 'holds "requests=600"'],
    ['requests=0/1m', 'holds "requests=0/1m"'],
    ['requests=1/0s', 'holds "requests=1/0s"'],
    ['requests=1KiB/1s', 'holds "requests=1KiB/1s"'],
    ['request=1/1s', 'holds "request=1/1s"'],
    ['requests=1/1s,', 'holds ""'],
    ['requests=-1/1s', 'holds "requests=-1/1s"'],
    ['requests=1/1s, requests=2/1s', 'limits requests twice'],
  ])('refuse %s', (text, fault) => {
    const [first] = read(text).faults;
    expect(first).toContain(fault);
  });
});
