import { ProblemError } from '@authz-service/core/problem';
import { expect, it } from 'vitest';
import { Log } from '../protocol/log.js';
import { RetryPolicy } from './retry-policy.js';

const away = new ProblemError('network', 'nobody listens');

it('is spent once for an outage, and there again once something was answered', async () => {
  const retries = new RetryPolicy(new Log('off'), 400);
  const { signal } = new AbortController();
  let asked = 0;
  const ask = (failures: number) => {
    asked = 0;
    return retries.run(async () => {
      asked++;
      if (asked <= failures) throw away;
      return 'answered';
    }, signal);
  };
  expect(await ask(1)).toBe('answered');
  await expect(ask(Number.POSITIVE_INFINITY)).rejects.toBe(away);
  expect(asked).toBeGreaterThan(1);
  await expect(ask(Number.POSITIVE_INFINITY)).rejects.toBe(away);
  expect(asked).toBe(1);
  expect(await ask(0)).toBe('answered');
  expect(await ask(1)).toBe('answered');
});

it('is not for what was answered', async () => {
  const refused = new ProblemError('conflict', 'it is there');
  const retries = new RetryPolicy(new Log('off'));
  await expect(retries.run(() => Promise.reject(refused), new AbortController().signal)).rejects.toBe(refused);
});
