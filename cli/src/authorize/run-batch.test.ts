import type { DecisionQuestion } from '@authz-service/sdk/question';
import { ServiceError } from '@authz-service/sdk/service-error';
import { describe, expect, it } from 'vitest';
import { capturedTerminal } from '../../testing/captured-terminal.js';
import { runBatch } from './run-batch.js';

const question = (id: string): DecisionQuestion => ({
  subject: { type: 'user', id },
  action: { name: 'read' },
  resource: { type: 'invoice', name: 'INV-1' },
});

/** Allows alice, fails on mallory as the service would, denies the rest. */
function client(common?: ServiceError) {
  const asked: string[] = [];
  let open = 0;
  let most = 0;
  return {
    asked,
    most: () => most,
    decide: async ({ subject: { id } }: DecisionQuestion) => {
      asked.push(id);
      open += 1;
      most = Math.max(most, open);
      await Promise.resolve();
      open -= 1;
      if (common) throw common;
      if (id === 'mallory') throw new ServiceError('invalid_request', 'No.');
      return { allowed: id === 'alice', decided: true, context: { reason: `Reason for ${id}.`, access_path: 'none' } };
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

  it('asks all of them, a few at a time', async () => {
    const service = client();
    const { terminal, text } = capturedTerminal();
    await runBatch(
      service,
      Array.from({ length: 2500 }, () => question('alice')),
      options(true),
      terminal,
    );
    expect(service.asked).toHaveLength(2500);
    expect(service.most()).toBe(4);
    expect(text().split('\n')).toHaveLength(2501);
  });

  it('says once what every request would meet', async () => {
    const service = client(new ServiceError('network', 'Nobody listens.'));
    const { terminal, text } = capturedTerminal();
    await expect(runBatch(service, three, options(true), terminal)).rejects.toThrow('Nobody listens.');
    expect(service.asked).toEqual(['alice']);
    expect(text()).toBe('');
  });
});
