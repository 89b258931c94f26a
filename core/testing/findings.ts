import type { AccessDelta } from '../src/questions/impact/api/access-delta.js';
import type { Finding } from '../src/questions/impact/api/finding.js';
import type { AccessReport, ReportedFinding } from '../src/questions/impact/report/access-report.js';

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

/** A report with these findings, which counts one triple of each as gained unless a test says otherwise. */
export function accessReport(findings: readonly ReportedFinding[], members: Partial<AccessReport> = {}): AccessReport {
  const counts: AccessDelta['counts'] = { gained: findings.length, lost: 0, mixed: 0, unknown: 0 };
  return { format: 1, now: '2027-01-31T10:00:00.000Z', counts, exact: true, findings, ...members };
}
