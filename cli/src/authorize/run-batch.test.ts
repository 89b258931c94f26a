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
const three = ['alice', 'bob', 'mallory'].map((id) => ({ question: question(id) }));

describe('runBatch', () => {
  it('prints a line for each request, in order, aligned', async () => {
    const { terminal, text } = capturedTerminal();
    expect(await runBatch(client(), three, options(false), terminal)).toEqual({
      denied: 1,
      failed: 1,
      expected: 0,
      unexpected: 0,
    });
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

  it('says which answers are not the expected ones', async () => {
    const asked = [...three, ...three].map((one, index) => ({
      ...one,
      expect: index < 3 ? ('allow' as const) : ('deny' as const),
    }));
    const plain = capturedTerminal();
    const counts = { denied: 2, failed: 2, expected: 6, unexpected: 4 };
    expect(await runBatch(client(), asked, options(false), plain.terminal)).toEqual(counts);
    expect(plain.text()).toBe(`allowed  user:alice read invoice:INV-1    Reason for alice.
denied   user:bob read invoice:INV-1      not as expected (allow)  Reason for bob.
failed   user:mallory read invoice:INV-1  not as expected (allow)  No.
allowed  user:alice read invoice:INV-1    not as expected (deny)  Reason for alice.
denied   user:bob read invoice:INV-1      Reason for bob.
failed   user:mallory read invoice:INV-1  not as expected (deny)  No.
`);
    const json = capturedTerminal();
    await runBatch(client(), asked, options(true), json.terminal);
    const lines = json.text().trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line)).map(({ expect, passed }) => [expect, passed])).toEqual([
      ['allow', true],
      ['allow', false],
      ['allow', false],
      ['deny', false],
      ['deny', true],
      ['deny', false],
    ]);
  });

  it('asks all of them, a few at a time', async () => {
    const service = client();
    const { terminal, text } = capturedTerminal();
    await runBatch(
      service,
      Array.from({ length: 2500 }, () => ({ question: question('alice') })),
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
