import type { Check } from './check.js';
import type { DecisionPoint } from './decision-point.js';
import { endpointChecks } from './endpoint-checks.js';
import {
  expectAmong,
  expectObject,
  expectResults,
  expectSame,
  expectStatus,
  fail,
  isObject,
  shown,
} from './expectations.js';
import { ADMIN_BOB, ALICE, ARCHIVED_2, BOB, CONTEXT, READ, RECORD_1, RECORD_2, WRITE } from './fixture.js';

type Kind = 'subject' | 'resource' | 'action';

const SHAPES = { subject: ['type', 'id'], resource: ['type', 'id'], action: ['name'] } as const;
const TYPES = { subject: 'user', resource: 'record', action: undefined } as const;

const WHO_READS = { subject: { type: 'user' }, action: READ, resource: RECORD_1 };
const WHAT_ALICE_READS = { subject: ALICE, action: READ, resource: { type: 'record' } };
const WHAT_ALICE_DOES = { subject: ALICE, resource: RECORD_1 };

async function find(point: DecisionPoint, kind: Kind, body: object, type: string | undefined = TYPES[kind]) {
  return expectResults(await point.post(kind, { body }), SHAPES[kind], type);
}

const finds: [
  level: Check['level'],
  section: string,
  name: string,
  kind: Kind,
  body: object,
  wanted: Record<string, unknown>[],
][] = [
  ['search-core', '4.2.1', 'alice and bob may read record-1', 'subject', WHO_READS, [ALICE, BOB]],
  ['search-core', '4.3.1', 'alice may read record-1', 'resource', WHAT_ALICE_READS, [RECORD_1]],
  ['search-core', '4.4.1', 'alice may read and write record-1', 'action', WHAT_ALICE_DOES, [READ, WRITE]],
  [
    'search-properties',
    '4.2.4',
    'bob may write what is archived',
    'subject',
    { subject: { type: 'user' }, action: WRITE, resource: ARCHIVED_2 },
    [BOB],
  ],
  [
    'search-properties',
    '4.3.4',
    'an admin may write record-2',
    'resource',
    { subject: ADMIN_BOB, action: WRITE, resource: { type: 'record' } },
    [RECORD_2],
  ],
  [
    'search-properties',
    '4.4.3',
    'what an admin may do to what is archived',
    'action',
    { subject: ADMIN_BOB, resource: ARCHIVED_2 },
    [WRITE],
  ],
];

const equals: [section: string, name: string, kind: Kind, body: object, other: object][] = [
  ['4.2.2', 'a context changes nothing', 'subject', WHO_READS, { ...WHO_READS, context: CONTEXT }],
  ['4.2.3', "a subject's id is ignored", 'subject', WHO_READS, { ...WHO_READS, subject: ALICE }],
  ['4.3.2', 'a context changes nothing', 'resource', WHAT_ALICE_READS, { ...WHAT_ALICE_READS, context: CONTEXT }],
  ['4.3.3', "a resource's id is ignored", 'resource', WHAT_ALICE_READS, { ...WHAT_ALICE_READS, resource: RECORD_1 }],
  ['4.4.2', 'a context changes nothing', 'action', WHAT_ALICE_DOES, { ...WHAT_ALICE_DOES, context: CONTEXT }],
];

const NOBODY = { type: 'user', id: 'nonexistent-user' };
const NOTHING = { type: 'record', id: 'nonexistent-record' };
const SHIP = { type: 'spaceship', id: 'x' };

const empties: [section: string, name: string, kind: Kind, body: object][] = [
  ['4.6.1', 'an unknown resource', 'subject', { ...WHO_READS, resource: NOTHING }],
  ['4.6.1', 'an unknown subject', 'resource', { ...WHAT_ALICE_READS, subject: NOBODY }],
  ['4.6.1', 'an unknown subject', 'action', { ...WHAT_ALICE_DOES, subject: NOBODY }],
  ['4.6.1', 'an unknown resource', 'action', { ...WHAT_ALICE_DOES, resource: NOTHING }],
  ['4.6.2', 'an unknown subject type', 'subject', { ...WHO_READS, subject: { type: 'spaceship' } }],
  ['4.6.2', 'an unknown resource type', 'subject', { ...WHO_READS, resource: SHIP }],
  ['4.6.2', 'an unknown resource type', 'resource', { ...WHAT_ALICE_READS, resource: { type: 'spaceship' } }],
  ['4.6.2', 'an unknown subject type', 'resource', { ...WHAT_ALICE_READS, subject: SHIP }],
  ['4.6.2', 'an unknown subject type', 'action', { ...WHAT_ALICE_DOES, subject: SHIP }],
  ['4.6.2', 'an unknown resource type', 'action', { ...WHAT_ALICE_DOES, resource: SHIP }],
];

const refusals: [section: string, name: string, kind: Kind, body: object][] = [
  ['4.7.1', 'no action', 'subject', { subject: { type: 'user' }, resource: RECORD_1 }],
  ['4.7.1', 'no subject', 'resource', { action: READ, resource: { type: 'record' } }],
  ['4.7.1', 'no resource', 'action', { subject: ALICE }],
  ['4.7.2', 'a resource without id', 'subject', { ...WHO_READS, resource: { type: 'record' } }],
  ['4.7.2', 'a subject without id', 'resource', { ...WHAT_ALICE_READS, subject: { type: 'user' } }],
  ['4.7.2', 'a subject without id', 'action', { ...WHAT_ALICE_DOES, subject: { type: 'user' } }],
];

const PAGES_MAX = 1000;

/** Follows the tokens of pages of one result each; a decision point without paging answers with everything at once. */
async function readPages(point: DecisionPoint): Promise<void> {
  const found: Record<string, unknown>[] = [];
  const first = await point.post('subject', { body: { ...WHO_READS, page: { limit: 1 } } });
  found.push(...expectResults(first, SHAPES.subject, 'user'));
  const { page } = expectObject(first);
  let token = isObject(page) ? page.next_token : undefined;
  for (let pages = 1; typeof token === 'string' && token !== ''; pages++) {
    if (pages > PAGES_MAX) fail(`expected the pages to end, and there were more than ${PAGES_MAX}`);
    const next = await point.post('subject', { body: { ...WHO_READS, page: { token } } });
    found.push(...expectResults(next, SHAPES.subject, 'user'));
    const { page: following } = expectObject(next);
    if (!isObject(following) || typeof following.next_token !== 'string')
      fail(`expected a page after a token to have "page.next_token", got ${shown(following)}`);
    token = following.next_token;
  }
  expectAmong(found, [ALICE, BOB]);
}

export const searchChecks: Check[] = [
  ...finds.map(
    ([level, section, name, kind, body, wanted]): Check => ({
      level,
      section,
      name: `${kind}: ${name}`,
      run: async (point) => expectAmong(await find(point, kind, body), wanted),
    }),
  ),
  ...equals.map(
    ([section, name, kind, body, other]): Check => ({
      level: 'search-core',
      section,
      name: `${kind}: ${name}`,
      run: async (point) => expectSame(await find(point, kind, body), await find(point, kind, other), name),
    }),
  ),
  { level: 'search-core', section: '4.5', name: 'subject: pages hold together', run: readPages },
  ...empties.map(
    ([section, name, kind, body]): Check => ({
      level: 'search-core',
      section,
      name: `${kind}: ${name} gives no results`,
      run: async (point) => {
        const results = expectResults(await point.post(kind, { body }), SHAPES[kind]);
        if (results.length > 0) fail(`expected no results, got ${shown(results)}`);
      },
    }),
  ),
  ...refusals.map(
    ([section, name, kind, body]): Check => ({
      level: 'search-core',
      section,
      name: `${kind}: ${name} is refused`,
      run: async (point) => expectStatus(await point.post(kind, { body }), 400),
    }),
  ),
  ...endpointChecks('search-core', 'subject', WHO_READS),
  ...endpointChecks('search-core', 'resource', WHAT_ALICE_READS),
  ...endpointChecks('search-core', 'action', WHAT_ALICE_DOES),
];
