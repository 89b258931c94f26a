import { TimeSlicing } from '@authz-service/core/concurrency/time-slicing';
import { expect, it } from 'vitest';
import { conditionWordRoutes } from './condition-words.js';

it('puts one condition after the other in words, in their order, with null for one that has none', async () => {
  let at = 0;
  /** Each look at the clock takes longer than a slice. */
  const slicing = new TimeSlicing(() => (at += 10));
  const [route] = conditionWordRoutes({ slicing });
  let turns = 0;
  const count = () => {
    turns++;
    if (!done) setImmediate(count);
  };
  let done = false;
  setImmediate(count);
  const conditions = ['context.mfa', '(', ...Array.from({ length: 20 }, () => 'context.mfa')];
  const reply = await route?.handle({ body: { conditions }, credential: { tenant: 't' } } as never);
  done = true;
  const { words } = JSON.parse(String(reply?.body?.content));
  expect(words).toEqual(conditions.map((condition) => (condition === '(' ? null : 'with a second factor')));
  expect(turns).toBeGreaterThanOrEqual(20);
});
