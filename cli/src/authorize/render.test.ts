import type { ExplainedClause } from '@authz-service/core/access/api/decision';
import { describe, expect, it } from 'vitest';
import { style } from '../output/terminal.js';
import { renderAnswer, sentence } from './render.js';

const QUESTION = {
  subject: { type: 'user', id: 'bob' },
  action: { name: 'approve' },
  resource: { type: 'invoice', name: 'INV-2' },
};

const CLAUSES: ExplainedClause[] = [
  {
    clause: 'resource.properties.amount < 10000',
    outcome: 'false',
    values: { 'resource.properties.amount': '12500' },
  },
  {
    clause: 'resource.properties.owner == subject.id',
    outcome: 'true',
    values: { 'resource.properties.owner': '"bob"', 'subject.id': '"bob"' },
  },
  { clause: 'context.mfa', outcome: 'absent', why: 'context.mfa' },
  { clause: 'context.vip', outcome: 'false', values: { 'context.vip': 'false' } },
  {
    clause: 'context.n < 3',
    outcome: 'failed',
    why: '"<" does not take context.n (a string) and a number',
    values: { 'context.n': '"\u001b[2J"\u001B[2J' },
  },
];

describe('renderAnswer', () => {
  it.each([
    [
      'an allow',
      { decision: true, context: { reason: 'Policy "p" allows.', policy_id: 'id-1', access_path: 'role' as const } },
    ],
    ['a denial', { decision: false, context: { reason: 'No policy matched.', access_path: 'none' as const } }],
    [
      'an explanation',
      {
        decision: false,
        context: {
          reason: 'Policy "closed" denies.',
          policy_id: 'id-2',
          access_path: 'group' as const,
          explanation: {
            candidates: [
              {
                policy: 'policy/billing/closed',
                policy_id: 'id-2',
                effect: 'DENY' as const,
                priority: 100,
                access_path: 'group' as const,
                through: ['subject/user/bob', 'group/finance'],
                outcome: 'applies' as const,
                why: 'all that it requires holds',
              },
              {
                policy: 'policy/billing/approve',
                policy_id: 'id-1',
                effect: 'ALLOW' as const,
                priority: 0,
                access_path: 'role' as const,
                through: ['subject/user/bob', 'group/finance', 'role/billing/accountant'],
                place: 'resource/billing/folder/north',
                outcome: 'does_not_apply' as const,
                why: 'its condition is false',
                clauses: CLAUSES,
                clauses_left_out: 2,
              },
              {
                policy: 'policy/x',
                policy_id: 'id-3',
                effect: 'ALLOW' as const,
                priority: 0,
                access_path: 'direct' as const,
                through: ['subject/user/bob'],
                outcome: 'failed' as const,
                why: 'its condition compares a text with a number\u001B[2J',
              },
            ],
          },
        },
      },
    ],
    [
      'an explanation without candidates',
      {
        decision: false,
        context: { reason: 'No policy matched.', access_path: 'none' as const, explanation: { candidates: [] } },
      },
    ],
  ])('shows %s', (_, answer) => {
    expect(renderAnswer(QUESTION, answer, style(false))).toMatchSnapshot();
  });
});

describe('sentence', () => {
  it('shows what is no proper question', () => {
    expect(sentence({ subject: 5 as never })).toBe('?:? ? ?:?');
  });
});
