import type { Check } from './check.js';
import type { DecisionPoint, PointAnswer } from './decision-point.js';
import { endpointChecks } from './endpoint-checks.js';
import { expectDecision, expectObject, expectStatus } from './expectations.js';
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
  softDelete,
  WRITE,
} from './fixture.js';

const ask = (point: DecisionPoint, body: unknown): Promise<PointAnswer> => point.post('evaluation', { body });

const decisions: [level: Check['level'], section: string, name: string, body: object, decision: boolean][] = [
  ['basic-core', '2.2.1', 'alice reads record-1', ALICE_READS, true],
  ['basic-core', '1.4 (2)', 'alice writes record-1', { ...ALICE_READS, action: WRITE }, true],
  ['basic-core', '1.4 (3)', 'bob reads record-1', { ...ALICE_READS, subject: BOB }, true],
  ['basic-core', '2.2.2', 'bob does not write record-1', BOB_WRITES, false],
  ['basic-core', '2.2.3', 'a context changes nothing', { ...ALICE_READS, context: CONTEXT }, true],
  [
    'basic-core',
    '2.2.8',
    'more properties change nothing',
    {
      subject: { ...ALICE, properties: { department: 'Sales', role: 'manager' } },
      action: { ...READ, properties: { method: 'GET' } },
      resource: { ...RECORD_1, properties: { status: 'active', owner: 'bob' } },
    },
    true,
  ],
  ['basic-core', '2.2.9', 'unknown members are ignored', { ...ALICE_READS, more: 'x', later: { nested: true } }, true],
  [
    'basic-properties',
    '1.4 (2)',
    'alice writes what is active',
    { subject: ALICE, action: WRITE, resource: ACTIVE_1 },
    true,
  ],
  [
    'basic-properties',
    '2.2.4',
    'alice does not write what is archived',
    { subject: ALICE, action: WRITE, resource: ARCHIVED_2 },
    false,
  ],
  [
    'basic-properties',
    '2.2.5',
    'an admin writes what is archived',
    { subject: ADMIN_BOB, action: WRITE, resource: ARCHIVED_2 },
    true,
  ],
  ['basic-properties', '2.2.6', 'a soft deletion is allowed', { ...ALICE_READS, action: softDelete(true) }, true],
  ['basic-properties', '2.2.7', 'a hard deletion is not', { ...ALICE_READS, action: softDelete(false) }, false],
];

const { subject: _subject, ...noSubject } = ALICE_READS;
const { action: _action, ...noAction } = ALICE_READS;
const { resource: _resource, ...noResource } = ALICE_READS;

const refusals: [section: string, name: string, body: unknown][] = [
  ['2.4.1', 'no subject', noSubject],
  ['2.4.1', 'no action', noAction],
  ['2.4.1', 'no resource', noResource],
  ['2.4.2', 'a subject without type', { ...ALICE_READS, subject: { id: 'alice' } }],
  ['2.4.2', 'a subject without id', { ...ALICE_READS, subject: { type: 'user' } }],
  ['2.4.2', 'an action without name', { ...ALICE_READS, action: {} }],
  ['2.4.2', 'a resource without type', { ...ALICE_READS, resource: { id: 'record-1' } }],
  ['2.4.2', 'a resource without id', { ...ALICE_READS, resource: { type: 'record' } }],
  ['2.4.6', 'an action name that is a number', { ...ALICE_READS, action: { name: 123 } }],
];

export const basicChecks: Check[] = [
  ...decisions.map(
    ([level, section, name, body, decision]): Check => ({
      level,
      section,
      name,
      run: async (point) => expectDecision(expectObject(await ask(point, body)), decision),
    }),
  ),
  ...refusals.map(
    ([section, name, body]): Check => ({
      level: 'basic-core',
      section,
      name: `${name} is refused`,
      run: async (point) => expectStatus(await ask(point, body), 400),
    }),
  ),
  ...endpointChecks('basic-core', 'evaluation', ALICE_READS),
];
