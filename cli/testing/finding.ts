import type { Finding } from '@authz-service/core/questions/impact/api/finding';

/** A finding about Bob and one invoice, with other members where a test needs them. */
export function finding(members: Partial<Finding> = {}): Finding {
  return {
    id: '0123456789abcdef',
    change: 'gained',
    subjects: {
      principals: [{ principal: 'subject/user/bob', subjects: 1, of: 1, directly: 1 }],
      recorded: 1,
      unrecorded: [],
    },
    actions: ['read'],
    resources: [{ type: 'billing/invoice', which: 'named', names: ['billing/invoice/INV-1'], recorded: 1 }],
    condition: null,
    from: null,
    until: null,
    triples: 1,
    exact: true,
    causes: [[{ address: 'policy/billing/read', change: 'changed', file: 'billing.yaml', line: 7 }]],
    risks: [],
    ...members,
  };
}
