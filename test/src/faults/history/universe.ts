import { declare } from '@authz-service/core/records/registry';
import type { DecisionRequest } from '@authz-service/core/request';
import type { Change } from '@authz-service/core/state/change';
import type { Random } from '../random.js';

const SUBJECTS = ['u0', 'u1', 'u2', 'u3', 'u4'];
const GROUPS = ['g0', 'g1', 'g2'];
const ROLES = ['r0', 'r1', 'r2'];
const DOCS = ['d0', 'd1', 'd2'];

type Create = Extract<Change, { op: 'create' }>;

const create = (kind: Create['kind'], fields: Record<string, unknown>): Create => ({ op: 'create', kind, fields });

const onDoc = (name: string, doc: string, effect: string, priority = 0) => ({
  application: 'lib',
  name,
  effect,
  priority,
  resources: [{ resource: `lib/doc/${doc}`, actions: ['read'] }],
});
const level = (id: string, value: number) => ({ type: 'user', id, properties: { level: value } });

/** The changes that stand from the start: few subjects and resources, so that each right comes and goes often. */
export function firstChanges(ballast: number): Change[] {
  return [
    create('application', { name: 'lib' }),
    create('resource_type', { application: 'lib', name: 'doc', actions: ['read'] }),
    ...DOCS.map((name) => create('resource', { type: 'lib/doc', name })),
    ...SUBJECTS.map((id) => create('subject', level(id, 0))),
    ...GROUPS.map((name) => create('group', { name })),
    ...ROLES.map((name) => create('role', { name })),
    ...DOCS.map((doc) => create('policy', onDoc(`read-${doc}`, doc, 'ALLOW'))),
    create('policy', onDoc('lock-d0', 'd0', 'DENY', 5)),
    create('policy', {
      application: 'lib',
      name: 'high',
      effect: 'ALLOW',
      resource_type: 'lib/doc',
      actions: ['read'],
      condition: 'subject.properties.level > 1',
    }),
    ...Array.from({ length: ballast }, (_, index) => create('subject', { type: 'bot', id: `bot-${index}` })),
  ];
}

const ENTITIES = [
  ...SUBJECTS.map((id) => ['subject', `user/${id}`] as const),
  ...ROLES.map((name) => ['role', name] as const),
  ...GROUPS.map((name) => ['group', name] as const),
];
const holders = ENTITIES.filter(([type]) => type !== 'role');

/** Every link that can be made: directly, by roles, by groups in groups. Groups only hold those before them: no cycles. */
const LINKS: Create[] = [
  ...[...DOCS.map((doc) => `read-${doc}`), 'lock-d0', 'high'].flatMap((policy) =>
    ENTITIES.map(([entity_type, entity]) =>
      create('policy_assignment', { policy: `lib/${policy}`, entity_type, entity }),
    ),
  ),
  ...ROLES.flatMap((role) =>
    holders.map(([entity_type, entity]) => create('role_assignment', { role, entity_type, entity })),
  ),
  ...GROUPS.flatMap((group, index) =>
    holders
      .filter(([type, entity]) => type === 'subject' || GROUPS.indexOf(entity) < index)
      .map(([entity_type, entity]) => create('group_membership', { group, entity_type, entity })),
  ),
];

/** Records that are changed in place. */
const UPDATES: ((random: Random) => Change)[] = [
  ...SUBJECTS.map((id) => (random: Random): Change => {
    return { op: 'update', address: `subject/user/${id}`, fields: level(id, random.below(4)) };
  }),
  (random) => {
    const fields = onDoc('read-d1', 'd1', random.pick(['ALLOW', 'DENY']), random.below(3));
    return { op: 'update', address: 'policy/lib/read-d1', fields };
  },
];

const addressOf = ({ kind, fields }: Create): string => declare(kind, fields as never).address;
const ADDRESSED = LINKS.map((link) => ({ link, address: addressOf(link) }));

/** A change-set that makes and takes away links at random; `there` says which are thought to be there. */
export function randomChanges(random: Random, there: ReadonlySet<string>): Change[] {
  const size = random.chance(0.1) ? 30 : 1 + random.below(4);
  const links = random.some(ADDRESSED, size).map(({ link, address }): Change => {
    return there.has(address) ? { op: 'delete', address } : link;
  });
  return random.chance(0.25) ? [...links, random.pick(UPDATES)(random)] : links;
}

/** Keeps up with changes: which links are there. */
export function follow(there: Set<string>, changes: readonly Change[]): void {
  for (const change of changes) {
    if (change.op === 'create') there.add(addressOf(change));
    if (change.op === 'delete') there.delete(change.address);
  }
}

/** Every question that the commits have an influence on, and one about a stranger. */
export const QUESTIONS: DecisionRequest[] = [...SUBJECTS, 'stranger'].flatMap((id) =>
  DOCS.map((name) => ({
    subject: { type: 'user', id },
    resource: { type: 'doc', name },
    action: { name: 'read' },
  })),
);
