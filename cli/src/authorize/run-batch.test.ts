import { ProblemError } from '@authz-service/core/problem';
import type { DecisionQuestion } from '@authz-service/sdk/wire';
import { describe, expect, it } from 'vitest';
import { capturedTerminal } from '../../testing/captured-terminal.js';
import { runBatch } from './run-batch.js';

const question = (id: string): DecisionQuestion => ({
  subject: { type: 'user', id },
  action: { name: 'read' },
  resource: { type: 'invoice', name: 'INV-1' },
});

/** Allows alice, fails on mallory as the service would, denies the rest. */
function client(common?: ProblemError) {
  const sizes: number[] = [];
  return {
    sizes,
    authorizeAll: async (questions: Iterable<DecisionQuestion>) => {
      const list = [...questions];
      sizes.push(list.length);
      return list.map(({ subject: { id } }) => {
        if (common) return { ok: false as const, error: common };
        if (id === 'mallory') return { ok: false as const, error: new ProblemError('invalid_request', 'No.') };
        const context = { reason: `Reason for ${id}.`, access_path: 'none' as const };
        return { ok: true as const, value: { decision: id === 'alice', context } };
      });
    },
  };
}

const options = (json: boolean) => ({ json, concurrency: 4, signal: new AbortController().signal });
const three = ['alice', 'bob', 'mallory'].map(question);

describe('runBatch', () => {
  it('prints a line for each request, in order, aligned', async () => {
    const { terminal, text } = capturedTerminal();
    expect(await runBatch(client(), three, options(false), terminal)).toEqual({ denied: 1, failed: 1 });
    expect(text()).toBe(`allowed  user:alice read invoice:INV-1    Reason for alice.
denied   user:bob read invoice:INV-1      Reason for bob.
failed   user:mallory read invoice:INV-1  No.
`);
  });

  it('prints JSON lines, an error in the place of its request', async () => {
    const { terminal, text } = capturedTerminal();
    await runBatch(client(), three, options(true), terminal);
    const lines = text()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([{ decision: true }, { decision: false }, { error: { code: 'invalid_request' } }]);
  });

  it('asks the first one alone, and the others by the thousand', async () => {
    const service = client();
    const { terminal, text } = capturedTerminal();
    await runBatch(
      service,
      Array.from({ length: 2500 }, () => question('alice')),
      options(true),
      terminal,
    );
    expect(service.sizes).toEqual([1, 1000, 1000, 499]);
    expect(text().split('\n')).toHaveLength(2501);
  });

  it('says once what every request would meet', async () => {
    const service = client(new ProblemError('network', 'Nobody listens.'));
    const { terminal, text } = capturedTerminal();
    await expect(runBatch(service, three, options(true), terminal)).rejects.toThrow('Nobody listens.');
    expect(service.sizes).toEqual([1]);
    expect(text()).toBe('');
  });
});
