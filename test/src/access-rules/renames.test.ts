/** Renames that change access although all that mentions the record follows it (docs/semantics.md 11.11). */
import type { Change } from '@authz-service/core/state/change';
import { describe, expect, it } from 'vitest';
import { NOW, stateOf } from './judged.js';

const PUBLIC = `, condition: 'resource.name.startsWith("pub-")'`;
const tenant = (more: string, rule = 'never: { subjects: user/ext, actions: [read], resources: pay/slip }') => `
applications:
  docs:
    resource_types: { page: { actions: [read] } }
    policies:
      all: { effect: ALLOW, resource_types: ["*"], actions: [read], assigned_to: [user/ext] }
  pay:
    resource_types: { slip: { actions: [read] } }
    resources: { march: { type: slip }, pub-june: { type: slip } }
    policies:
      wide: { effect: ALLOW, resource_types: ["*"], actions: [read] }
      public: { effect: ALLOW, resource_type: slip, actions: [read], condition: 'resource.name.startsWith("pub-")' }
      own: { effect: ALLOW, resource_type: slip, actions: [read], condition: 'subject.id.startsWith("adm-")' }
      paper: { effect: ALLOW, resource_type: slip, actions: [read], condition: 'resource.type == "paper"' }
      open: { effect: ALLOW, resource_type: slip, actions: [read], condition: 'resource.application == "open"' }
      out: { effect: DENY, priority: 9, resource_types: ["*"], actions: [read] }
      robots: { effect: ALLOW, resource_type: slip, actions: [read], assigned_to: [everyone/robot] }
subjects: { user/ext: {}, user/ann: {} }
access_rules: { r: { ${rule} } }
${more}
`;
const staged = (text: string, ...changes: Change[]) => {
  const state = stateOf(text);
  return state.stage(changes, { now: new Date(NOW), newId: () => 'new', revision: 2 });
};
const move = (from: string, to: string): Change => ({ op: 'move', from, to }) as Change;
const given = (to: string, policy: string) => `policy_assignments: [{ policy: pay/${policy}, to: ${to} }]\n`;

describe('a rename', () => {
  it.each<[what: string, text: string, change: Change]>([
    [
      'of a policy into an application whose types it then covers',
      tenant(''),
      move('policy/docs/all', 'policy/pay/all'),
    ],
    [
      'of a type into an application that has a policy on all its types',
      tenant(
        given('user/ext', 'wide').replace('pay', 'pay'),
        'never: { subjects: user/ext, actions: [read], resources: docs/page }',
      )
        .replace('all: {', 'all: { priority: 1,')
        .replace(', assigned_to: [user/ext]', ''),
      move('resource_type/docs/page', 'resource_type/pay/page'),
    ],
    [
      'of a subject into a type that has access',
      tenant('', 'never: { subjects: user/ext, actions: [read], resources: pay/slip }').replace(
        'all: {',
        'all: { priority: 1,',
      ),
      move('subject/user/ext', 'subject/robot/ext'),
    ],
    [
      'of a subject into a type that has none',
      tenant(
        given('user/ann', 'wide'),
        'never: { subjects: { type: contractor }, actions: [read], resources: pay/slip }',
      ),
      move('subject/user/ann', 'subject/contractor/ann'),
    ],
    [
      'of a resource to a name that a condition lets through',
      tenant(
        given('user/ext', 'public'),
        'never: { subjects: user/ext, actions: [read], resources: { named: [pay/slip/march] } }',
      ),
      move('resource/pay/slip/march', 'resource/pay/slip/pub-march'),
    ],
    [
      'of a resource into a type that can be read',
      tenant('', 'never: { subjects: user/ext, actions: [read], resources: { named: [pay/slip/march] } }').replace(
        PUBLIC,
        '',
      ),
      move('resource/pay/slip/march', 'resource/docs/page/march'),
    ],
    [
      'of a subject to an id that a condition lets through',
      tenant(given('everyone', 'own'), 'never: { subjects: user/ext, actions: [read], resources: pay/slip }'),
      move('subject/user/ext', 'subject/user/adm-ext'),
    ],
    [
      'of a type to a name that a condition lets through',
      tenant(given('user/ext', 'paper'), 'never: { subjects: user/ext, actions: [read], resources: pay/slip }'),
      move('resource_type/pay/slip', 'resource_type/pay/paper'),
    ],
    [
      'of an application to a name that a condition lets through',
      tenant(given('user/ext', 'open'), 'never: { subjects: user/ext, actions: [read], resources: pay/slip }'),
      move('application/pay', 'application/open'),
    ],
    [
      'of a DENY out of an application',
      tenant(`policy_assignments: [{ policy: pay/wide, to: user/ext }, { policy: pay/out, to: everyone }]\n`),
      move('policy/pay/out', 'policy/docs/out'),
    ],
  ])('breaks a rule: %s', (_, text, change) => {
    expect(() => staged(text, change)).toThrow(/access rule/);
  });

  it.each<[what: string, text: string, change: Change | Change[]]>([
    [
      'of what breaks a rule already',
      tenant(given('user/ext', 'wide')),
      move('resource/pay/slip/march', 'resource/pay/slip/april'),
    ],
    ['of a policy', tenant(given('user/ext', 'wide')), move('policy/pay/wide', 'policy/pay/broad')],
    [
      'of who alone may',
      tenant(
        given('user/ann', 'wide').replace('pay', 'pay'),
        'only: { subjects: user/ann, actions: [read], resources: pay/slip }',
      ).replace(', assigned_to: [everyone/robot]', ''),
      move('subject/user/ann', 'subject/staff/ann'),
    ],
    [
      'of a resource with its type',
      tenant(
        given('user/ext', 'wide'),
        'never: { subjects: user/ext, actions: [read], resources: { named: [pay/slip/march] } }',
      )
        .replace(PUBLIC, '')
        .replace(/condition: 'resource.(type|application)[^']*'/g, "condition: 'false'"),
      [
        move('resource_type/pay/slip', 'resource_type/pay/paper'),
        move('resource/pay/slip/march', 'resource/pay/paper/april'),
      ],
    ],
    [
      'of a resource with the application of its type',
      tenant(
        given('user/ext', 'wide'),
        'never: { subjects: user/ext, actions: [read], resources: { named: [pay/slip/march] } }',
      )
        .replace(PUBLIC, '')
        .replace(/condition: 'resource.(type|application)[^']*'/g, "condition: 'false'"),
      [move('application/pay', 'application/pal'), move('resource/pay/slip/march', 'resource/pal/slip/april')],
    ],
  ])('breaks none: %s', (_, text, change) => {
    expect(() => staged(text, ...[change].flat())).not.toThrow();
  });
});

describe('a rename together with other changes', () => {
  const drop = (address: string): Change => ({ op: 'delete', address }) as Change;
  const set = (address: string, fields: object): Change => ({ op: 'update', address, fields }) as unknown as Change;
  const calm = (text: string) =>
    text.replace(/condition: 'resource\.(type|application|name)[^']*'/g, "condition: 'false'");
  const denied = tenant(
    `policy_assignments: [{ policy: pay/wide, to: user/ext }, { policy: pay/out, to: everyone }]\n`,
  );
  const list = { application: 'pay', name: 'a', effect: 'ALLOW', resource_type: 'pay/slip', actions: ['list'] };
  it.each<[what: string, text: string, changes: Change[]]>([
    [
      'an assignment moves to another subject',
      tenant(given('user/ann', 'wide')),
      [move('policy_assignment/pay/wide//subject/user/ann', 'policy_assignment/pay/wide//subject/user/ext')],
    ],
    [
      'an assignment moves to everyone',
      tenant(given('user/ann', 'wide')),
      [move('policy_assignment/pay/wide//subject/user/ann', 'policy_assignment/pay/wide//everyone/*')],
    ],
    [
      'the assignment of a DENY moves away',
      denied.replace('to: everyone }', 'to: user/ext }'),
      [move('policy_assignment/pay/out//subject/user/ext', 'policy_assignment/pay/out//subject/user/ann')],
    ],
    [
      'a membership moves to a group that may',
      tenant(`groups: { a: { members: [user/ext] }, admins: { policies: [pay/wide] } }\n`),
      [move('group_membership/a//subject/user/ext', 'group_membership/admins//subject/user/ext')],
    ],
    [
      'a DENY moves into another application and goes there',
      denied,
      [
        move('policy/pay/out', 'policy/docs/out'),
        drop('policy_assignment/docs/out//everyone/*'),
        drop('policy/docs/out'),
      ],
    ],
    [
      'an application is renamed, and a DENY leaves it',
      calm(denied),
      [move('application/pay', 'application/payroll'), move('policy/pay/out', 'policy/docs/out')],
    ],
    [
      'a policy takes the place of one that leaves, and becomes it',
      `${tenant('')
        .replace('      all: {', '      spare: {')
        .replace(', assigned_to: [user/ext]', '')
        .replace(
          '      wide: {',
          '      a: { effect: ALLOW, resource_type: slip, actions: [read], condition: "false", assigned_to: [user/ext] }\n      b: { effect: ALLOW, resource_type: slip, actions: [read], assigned_to: [user/ann] }\n      wide: {',
        )}`,
      [
        move('policy/pay/a', 'policy/pay/b'),
        move('policy/pay/b', 'policy/docs/b'),
        set('policy/docs/b', {
          ...list,
          application: 'docs',
          name: 'b',
          resource_type: 'docs/page',
          actions: ['read'],
        }),
        set('policy/pay/b', { ...list, name: 'b', actions: ['read'] }),
      ],
    ],
    [
      'an application gets a name that a condition reads of an ancestor',
      `
applications:
  docs:
    resource_types:
      folder: { actions: [read] }
      page: { actions: [read], parents: [{ type: folder, property: in }] }
    resources: { f: { type: folder }, x: { type: page, parents: [folder/f] } }
    policies:
      open:
        effect: ALLOW
        resource_type: page
        actions: [read]
        condition: 'resource.ancestor("docs/folder").application == "open"'
        assigned_to: [user/ext]
subjects: { user/ext: {} }
access_rules: { r: { never: { subjects: user/ext, actions: [read], resources: docs/page } } }
`,
      [move('application/docs', 'application/open')],
    ],
    [
      'a folder gets a name that a condition reads of the property that says what a page lies in',
      `
applications:
  docs:
    resource_types:
      folder: { actions: [read] }
      page: { actions: [read], parents: [{ type: folder, property: inside }] }
    resources: { f: { type: folder }, x: { type: page, parents: [folder/f] } }
    policies:
      open:
        effect: ALLOW
        resource_type: page
        actions: [read]
        condition: 'resource.properties.inside == "pub"'
        assigned_to: [user/ext]
subjects: { user/ext: {} }
access_rules:
  r: { never: { subjects: user/ext, actions: [read], resources: { named: [docs/folder/f], below: true } } }
`,
      [move('resource/docs/folder/f', 'resource/docs/folder/pub')],
    ],
  ])('breaks a rule: %s', (_, text, changes) => {
    expect(() => staged(text, ...changes)).toThrow(/access rule/);
  });
});

it('breaks a rule: an action and a type of subjects that are called "*"', () => {
  const text = (condition: string) => `
applications:
  pay:
    resource_types: { slip: { actions: [read] } }
    policies:
      star: { effect: ALLOW, resource_type: slip, actions: ["*"], condition: '${condition}' }
subjects: { user/ext: {} }
access_rules: { r: { never: { actions: ["*"], resources: pay/slip } } }
`;
  const assigned = { op: 'create', kind: 'policy_assignment' } as const;
  const everyone = { ...assigned, fields: { policy: 'pay/star', entity_type: 'everyone', entity: '*' } };
  expect(() => staged(text('action.name == "*"'), everyone as Change)).toThrow(/access rule/);
  expect(() => staged(text('subject.type == "*"'), everyone as Change)).toThrow(/access rule/);
});

describe('what goes and comes in one change-set', () => {
  const drop = (address: string): Change => ({ op: 'delete', address }) as Change;
  const add = (kind: string, fields: object): Change => ({ op: 'create', kind, fields }) as unknown as Change;
  const assign = (policy: string, entity: string) =>
    add('policy_assignment', { policy, entity_type: 'subject', entity });
  const contractors = 'never: { subjects: { type: contractor }, actions: [read], resources: pay/slip }';
  const slip = 'never: { subjects: user/ext, actions: [read], resources: { named: [pay/slip/march] } }';
  const MARCH = { type: 'pay/slip', name: 'march' };
  it.each<[what: string, text: string, broken: boolean, changes: Change[]]>([
    [
      'a policy in another application',
      tenant(''),
      true,
      [
        drop('policy_assignment/docs/all//subject/user/ext'),
        drop('policy/docs/all'),
        add('policy', { application: 'pay', name: 'all', effect: 'ALLOW', resource_types: ['*'], actions: ['read'] }),
        assign('pay/all', 'user/ext'),
      ],
    ],
    [
      'a subject of another type',
      tenant(given('user/ann', 'wide'), contractors),
      true,
      [
        drop('policy_assignment/pay/wide//subject/user/ann'),
        drop('subject/user/ann'),
        add('subject', { type: 'contractor', id: 'ann' }),
        assign('pay/wide', 'contractor/ann'),
      ],
    ],
    ['a resource with the same name', tenant(''), false, [drop('resource/pay/slip/march'), add('resource', MARCH)]],
    [
      'a resource with the same name, and a policy that names it',
      tenant('', slip),
      true,
      [
        drop('resource/pay/slip/march'),
        add('resource', MARCH),
        add('policy', {
          ...{ application: 'pay', name: 'one', effect: 'ALLOW' },
          resources: [{ resource: 'pay/slip/march', actions: ['read'] }],
        }),
        assign('pay/one', 'user/ext'),
      ],
    ],
    [
      'a resource of another type, which nothing names',
      tenant('', 'never: { subjects: user/ann, actions: [read], resources: docs/page }'),
      false,
      [drop('resource/pay/slip/march'), add('resource', { type: 'docs/page', name: 'march' })],
    ],
  ])('%s', (_, text, broken, changes) => {
    const stage = () => staged(text, ...changes);
    if (broken) expect(stage).toThrow(/access rule/);
    else expect(stage).not.toThrow();
  });
});
