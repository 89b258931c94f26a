import type { Check } from './check.js';
import { endpointChecks } from './endpoint-checks.js';
import { expectDecision, expectDecisions, expectObject } from './expectations.js';
import {
  ACTIVE_1,
  ADMIN_BOB,
  ALICE,
  ALICE_READS,
  ARCHIVED_2,
  BOB,
  BOB_WRITES,
  CONTEXT,
  READ,
  RECORD_1,
  RECORD_2,
  WRITE,
} from './fixture.js';

const ANY = undefined;

const batches: [
  level: Check['level'],
  section: string,
  name: string,
  body: object,
  decisions: readonly (boolean | undefined)[],
][] = [
  [
    'batch-core',
    '3.2.1',
    'evaluations take the members beside them as defaults',
    { subject: ALICE, action: READ, evaluations: [{ resource: RECORD_1 }, { resource: RECORD_2 }] },
    [ANY, ANY],
  ],
  [
    'batch-core',
    '3.2.2',
    'decisions come in the order of the evaluations',
    { subject: BOB, resource: RECORD_1, evaluations: [{ action: READ }, { action: WRITE }] },
    [true, false],
  ],
  ['batch-core', '3.2.5', 'evaluations need no defaults', { evaluations: [ALICE_READS, BOB_WRITES] }, [true, false]],
  [
    'batch-core',
    '3.2.6',
    'a context is a default, too',
    {
      subject: ALICE,
      action: READ,
      context: CONTEXT,
      evaluations: [{ resource: RECORD_1 }, { resource: RECORD_2, context: { source: 'override' } }],
    },
    [true, ANY],
  ],
  [
    'batch-properties',
    '3.2.3',
    "each evaluation's resource has properties of its own",
    { subject: ALICE, action: WRITE, evaluations: [{ resource: ACTIVE_1 }, { resource: ARCHIVED_2 }] },
    [true, false],
  ],
  [
    'batch-properties',
    '3.2.4',
    "each evaluation's subject has properties of its own",
    { action: WRITE, resource: ARCHIVED_2, evaluations: [{ subject: ALICE }, { subject: ADMIN_BOB }] },
    [false, true],
  ],
  [
    'batch-properties',
    '3.2.7',
    'defaults are taken whole, and replaced whole',
    { subject: ALICE, action: WRITE, resource: ACTIVE_1, evaluations: [{}, { resource: ARCHIVED_2 }] },
    [true, false],
  ],
  [
    'batch-core',
    '3.4.1',
    'an incomplete evaluation is denied in its place',
    {
      subject: ALICE,
      action: READ,
      options: { evaluations_semantic: 'execute_all' },
      evaluations: [{ resource: RECORD_1 }, {}],
    },
    [true, false],
  ],
];

export const batchChecks: Check[] = [
  ...batches.map(
    ([level, section, name, body, decisions]): Check => ({
      level,
      section,
      name,
      run: async (point) => expectDecisions(await point.post('evaluations', { body }), decisions),
    }),
  ),
  {
    level: 'batch-core',
    section: '3.4.2',
    name: 'without evaluations it is a single request',
    run: async (point) => expectDecision(expectObject(await point.post('evaluations', { body: ALICE_READS })), true),
  },
  {
    level: 'batch-core',
    section: '3.4.3',
    name: 'with no evaluations in the list, too',
    run: async (point) => {
      const body = { ...ALICE_READS, evaluations: [] };
      expectDecision(expectObject(await point.post('evaluations', { body })), true);
    },
  },
  ...endpointChecks('batch-core', 'evaluations', { ...ALICE_READS, evaluations: [{}] }),
];
