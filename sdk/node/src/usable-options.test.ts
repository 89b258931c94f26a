import { expect, it } from 'vitest';
import { ServiceClient } from './client.js';

it.each([
  [{ apiKey: 'secret' }, 'There is no option "apiKey": it is a member of credentials: write credentials: { apiKey }.'],
  [{ clientId: 'a' }, 'write credentials: { clientId, clientSecret }.'],
  [{ timeoutMs: 10 }, 'There is no option "timeoutMs": there are url, credentials, decisionTimeoutMs, '],
  [{ toString: undefined }, 'There is no option "toString"'],
  [{ batching: { max: 0 } }, 'batching.max is 0'],
  [{ batching: { max: 1.5 } }, 'batching.max is 1.5'],
  [{ batching: { max: Number.NaN } }, 'batching.max is NaN'],
  [{ batching: {} }, 'batching.max is undefined'],
  [{ retries: 0.5 }, 'retries is 0.5'],
  [{ retries: Number.NaN }, 'retries is NaN'],
  [{ decisionTimeoutMs: 0 }, 'decisionTimeoutMs is 0'],
  [{ decisionTimeoutMs: Number.POSITIVE_INFINITY }, 'decisionTimeoutMs is Infinity'],
  [{ attemptTimeoutMs: 2 ** 31 }, 'attemptTimeoutMs is 2147483648'],
  [{ managementTimeoutMs: '2000' }, 'managementTimeoutMs is "2000"'],
  [{ userAgent: 'shop\nx: y' }, 'userAgent is "shop\\nx: y"'],
])('refuses %j, which no call could use', (options, detail) => {
  expect(() => new ServiceClient({ url: 'http://127.0.0.1:1', ...(options as object) })).toThrow(
    expect.objectContaining({ code: 'invalid_config', detail: expect.stringContaining(detail) }),
  );
});

it('takes the longest time and the smallest batch', () => {
  const options = { decisionTimeoutMs: 2 ** 31 - 1, retries: 0, batching: { max: 1 }, userAgent: 'shop/1.0 (test)' };
  expect(() => new ServiceClient({ url: 'http://127.0.0.1:1', ...options })).not.toThrow();
});
