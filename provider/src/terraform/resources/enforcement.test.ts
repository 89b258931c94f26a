import type { AgentList } from '@authz-service/sdk/wire';
import { describe, expect, it } from 'vitest';
import { Enforcement } from './enforcement.js';

const LIST: AgentList = {
  ...{ revision: '2.a', wanted: 2, enforced: false, total: 2, enforcing: 2, expired: 0, publishers: 0 },
  ...{ complete: true, agents: [], more: false },
};

const refused = (list: Partial<AgentList>) => {
  const enforcement = new Enforcement({ enforced: async () => ({ ...LIST, ...list }) }, { ms: 0, text: '0s' });
  return enforcement.of('2.a', new AbortController().signal);
};

describe('waiting for agents', () => {
  it.each([
    [{ publishers: 1 }, /One of them publishes bundles as files: nobody knows which agents read those/],
    [{ publishers: 2 }, /2 of them publish bundles as files/],
    [{ complete: false }, /there are others that are not listed/],
    [{ publishers: 1, complete: false }, /others that are not listed.*One of them publishes/],
    [{ publishers: 1, enforcing: 1 }, /1 of 2 agents may decide by an earlier one.*One of them publishes/s],
  ])('names its cause: %j', async (list, cause) => {
    await expect(refused(list)).rejects.toMatchObject({ diagnostics: [{ detail: expect.stringMatching(cause) }] });
  });
});
