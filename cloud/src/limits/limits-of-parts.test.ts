import { expect, it } from 'vitest';
import { Limits } from './limits.js';

const quota = { bytes: { amount: 1000, seconds: 10 } };

/** Requests of one tenant with bodies of unknown length, which have all passed the check of what is left. */
function arriving(count: number) {
  const clock = { ms: 0 };
  const refused: string[] = [];
  const limits = new Limits(
    { tenant: quota, credential: {}, address: {} },
    () => clock.ms,
    (scope, unit) => refused.push(`${scope} ${unit}`),
  );
  const bodies = Array.from({ length: count }, () => {
    const account = limits.account();
    account?.charge({ bytes: 1 }, { tenant: 't' });
    return (bytes: number) => account?.chargePart({ bytes });
  });
  return { bodies, clock, refused };
}

it('whoever takes the last of what is left goes on, and the others are refused', () => {
  const { bodies, clock, refused } = arriving(3);
  const [one, two, three] = bodies;
  one?.(500);
  two?.(600);
  two?.(5000);
  expect(() => one?.(100)).toThrow('has used up its 1000 bytes');
  expect(() => three?.(100)).toThrow(expect.objectContaining({ code: 'too_many_requests', retryAfterSeconds: 53 }));
  two?.(1);
  expect(refused).toEqual(['tenant bytes', 'tenant bytes']);
  clock.ms += 60_000;
  three?.(100);
});

it('bodies that stay below it together are all taken', () => {
  const { bodies } = arriving(10);
  for (let turn = 0; turn < 9; turn++) for (const body of bodies) body(10);
});
