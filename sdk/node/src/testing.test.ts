import { describe, expect, it } from 'vitest';
import { FakeDecisionPoint } from './testing.js';

const question = (id: string, name = 'read') => ({
  subject: { type: 'user', id },
  action: { name },
  resource: { type: 'invoice', id: 'INV-1' },
});

describe('a fake decision point', () => {
  it('answers from its table, denies the rest, and remembers what it was asked', async () => {
    const point = new FakeDecisionPoint([
      { subject: 'user:alice', action: 'read', resource: 'invoice:INV-1', answer: 'allow', reason: 'hers' },
      { subject: 'user:bob', answer: 503 },
      { subject: 'user:carol', answer: 'away' },
    ]);
    const client = point.client();
    expect(await client.decide(question('alice'))).toMatchObject({ allowed: true, reason: 'hers' });
    expect(await client.decide(question('alice', 'pay'))).toMatchObject({ allowed: false, decided: true });
    await expect(client.decide(question('bob'))).rejects.toMatchObject({ code: 'not_ready' });
    await expect(client.decide(question('carol'))).rejects.toMatchObject({ code: 'network' });
    expect(point.asked).toEqual([question('alice'), question('alice', 'pay'), question('bob'), question('carol')]);
    point.answer({ answer: 'allow' });
    expect(await client.decide(question('bob'))).toMatchObject({ allowed: true });
  });

  it.each([
    ['execute_all', [true, 'not_ready', false]],
    ['deny_on_first_deny', [true, 'not_ready', 'not_evaluated']],
    ['permit_on_first_permit', [true, 'not_evaluated', 'not_evaluated']],
  ] as const)('knows batches: %s', async (semantic, expected) => {
    const point = new FakeDecisionPoint([
      { subject: 'user:alice', answer: 'allow' },
      { subject: 'user:bob', answer: 503 },
    ]);
    const outcomes = await point.client().decideAll({
      evaluations: ['alice', 'bob', 'eve'].map((id) => question(id)),
      options: { evaluations_semantic: semantic },
    });
    expect(outcomes.map((outcome) => (outcome.ok ? outcome.decision.allowed : outcome.error.code))).toEqual(expected);
  });
});
