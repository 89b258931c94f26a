import { finished } from '@authz-service/core/concurrency/time-slicing';
import { existingViolations } from '@authz-service/core/questions/access-rules/judge-rules';
import { violationText } from '@authz-service/core/questions/access-rules/violation';
import { describe, expect, it } from 'vitest';
import { judged, NOW, stateOf } from './judged.js';

const PAYROLL = `
applications:
  payroll:
    resource_types:
      payslip: { actions: [read, submit, approve, archive] }
      binder: { actions: [list] }
    policies:
      read: { effect: ALLOW, resource_type: payslip, actions: [read] }
      submit: { effect: ALLOW, resource_type: payslip, actions: [submit] }
      approve: { effect: ALLOW, resource_type: payslip, actions: [approve] }
    roles:
      reader: { from_requests: false, policies: [read] }
groups:
  staff: {}
  externals: {}
subjects:
  user/ann: { properties: { contract: internal } }
  user/ext: { properties: { contract: external }, groups: [externals] }
`;
const NEVER = `
access_rules:
  no-externals:
    never: { subjects: { type: user, where: 'subject.properties.contract == "external"' }, actions: [read], resources: payroll/payslip }
`;
const GIVE = (to: string, more = '') => `policy_assignments: [{ policy: payroll/read, to: ${to}${more} }]\n`;

describe('never', () => {
  it.each<[behaviour: string, before: string, after: string, expected: RegExp | undefined]>([
    [
      'is broken by a grant to whom it means',
      '',
      GIVE('user/ext'),
      /user\/ext may "read" payroll\/payslip\/something .*by policy_assignment\/payroll\/read\/\/subject\/user\/ext/,
    ],
    ['is not by a grant to others', '', GIVE('user/ann'), undefined],
    ['is broken by a grant to a group of theirs', '', GIVE('group/externals'), /user\/ext may/],
    [
      'is broken by a grant to everyone',
      '',
      GIVE('everyone'),
      /user\/somebody may .* with subject.properties {"contract":"external"}/,
    ],
    ['is broken by a grant to a type of subjects', '', GIVE('everyone/user'), /user\/somebody may/],
    ['is not by a grant to another type', '', GIVE('everyone/service'), undefined],
    [
      'is not by a policy of a role that requests cannot name',
      'roles: { guest: { from_requests: false } }\n',
      `roles: { guest: { from_requests: false } }\n${GIVE('role/guest')}`,
      undefined,
    ],
    [
      'is broken by a policy of a role that requests may name',
      'roles: { guest: {} }\n',
      `roles: { guest: {} }\n${GIVE('role/guest')}`,
      /named by the request as role\/guest, may "read"/,
    ],
    [
      'is broken by a membership',
      GIVE('group/staff'),
      `${GIVE('group/staff')}group_memberships: [{ group: staff, member: user/ext }]\n`,
      /user\/ext may .*by group_membership\/staff\/\/subject\/user\/ext/,
    ],
    [
      'is broken by a link that begins',
      '',
      GIVE('user/ext', ', starts_at: "2027-01-01T00:00:00Z"'),
      /at 2027-01-01T00:00:00.000Z/,
    ],
    ['is not by a link that has ended', '', GIVE('user/ext', ', expires_at: "2026-01-01T00:00:00Z"'), undefined],
    [
      'is broken by a link that ends later than before',
      GIVE('user/ext', ', expires_at: "2026-07-01T00:00:00Z"'),
      GIVE('user/ext', ', expires_at: "2030-01-01T00:00:00Z"'),
      /at 2026-07-01T00:00:00.000Z/,
    ],
    [
      'is not by one that ends sooner',
      GIVE('user/ext', ', expires_at: "2030-01-01T00:00:00Z"'),
      GIVE('user/ext', ', expires_at: "2026-07-01T00:00:00Z"'),
      undefined,
    ],
  ])('%s', (_, before, after, expected) => {
    const found = judged(PAYROLL + NEVER + before, PAYROLL + NEVER + after);
    if (expected === undefined) expect(found).toEqual([]);
    else {
      expect(found).toHaveLength(1);
      expect(found[0]).toMatch(expected);
    }
  });

  it('counts what nobody recorded as what a request may say', () => {
    const bob = 'policy_assignments: [{ policy: payroll/read, to: user/bob }]\n';
    const tree = PAYROLL.replace('  user/ann:', '  user/bob: {}\n  user/ann:') + NEVER;
    expect(judged(tree, tree + bob)).toEqual([
      expect.stringContaining(
        'user/bob may "read" payroll/payslip/something with subject.properties {"contract":"external"}',
      ),
    ]);
  });

  it('is judged by the rules before the change, which may not go along with a grant', () => {
    expect(judged(PAYROLL + NEVER, PAYROLL + GIVE('user/ext'))).toHaveLength(1);
    expect(judged(PAYROLL + NEVER, PAYROLL)).toEqual([]);
    expect(judged(PAYROLL, PAYROLL + GIVE('user/ext'))).toEqual([]);
  });

  it('is judged by the rules after the change, whose standing violations block nothing', () => {
    expect(judged(PAYROLL, PAYROLL + NEVER + GIVE('user/ext'))).toHaveLength(1);
    expect(judged(PAYROLL + GIVE('user/ext'), PAYROLL + NEVER + GIVE('user/ext'))).toEqual([]);
    const standing = stateOf(PAYROLL + NEVER + GIVE('user/ext'));
    expect(finished(existingViolations(standing, NOW, 10)).map(violationText)).toEqual([
      'The access rule "no-externals" forbids it, and user/ext may "read" payroll/payslip/something at 2026-06-01T00:00:00.000Z.',
    ]);
  });

  it('is silent while it is suspended', () => {
    const suspended = (until: string) => `${NEVER}    suspended_until: "${until}"\n    suspension_reason: audit\n`;
    expect(
      judged(
        PAYROLL + suspended('2026-07-01T00:00:00Z'),
        PAYROLL + suspended('2026-07-01T00:00:00Z') + GIVE('user/ext'),
      ),
    ).toEqual([]);
    expect(
      judged(
        PAYROLL + suspended('2026-05-01T00:00:00Z'),
        PAYROLL + suspended('2026-05-01T00:00:00Z') + GIVE('user/ext'),
      ),
    ).toHaveLength(1);
    expect(judged(PAYROLL + NEVER, PAYROLL + suspended('2026-07-01T00:00:00Z') + GIVE('user/ext'))).toHaveLength(1);
  });

  it('is broken where a DENY goes, ends or fails', () => {
    const deny = (more: string) => `policies:
  keep-out: { effect: DENY, priority: 5, resource_type: payroll/payslip, actions: ["*"]${more} }
`;
    const to = (more = '') =>
      `policy_assignments: [{ policy: payroll/read, to: user/ext }, { policy: keep-out, to: everyone${more} }]\n`;
    const closed = PAYROLL + NEVER + deny('') + to();
    expect(judged(PAYROLL + NEVER + deny(''), closed)).toEqual([]);
    expect(judged(closed, PAYROLL + NEVER + GIVE('user/ext'))).toHaveLength(1);
    expect(judged(closed, PAYROLL + NEVER + deny('') + to(', expires_at: "2027-01-01T00:00:00Z"'))[0]).toContain(
      'at 2027-01-01',
    );
    expect(judged(closed, PAYROLL + NEVER + deny(', condition: "context.a > 1"') + to())).toHaveLength(1);
  });

  it('is broken by a wildcard of actions or types', () => {
    for (const covers of [
      'resource_type: payslip, actions: ["*"]',
      'resource_types: ["*"], actions: [read]',
      'resource_types: ["*"], actions: ["*"]',
    ]) {
      const tree = PAYROLL.replace(
        '    roles:\n',
        `      wide: { effect: ALLOW, ${covers}, assigned_to: [user/ext] }\n    roles:\n`,
      );
      expect(judged(PAYROLL + NEVER, tree + NEVER), covers).toHaveLength(1);
    }
  });

  it('is not by a wildcard of types of another application whose condition names the type', () => {
    const tree = PAYROLL.replace(
      'applications:\n',
      `applications:
  docs:
    resource_types: { page: { actions: [read], parents: [{ type: payroll/payslip, property: of }] } }
    policies:
      wide: { effect: ALLOW, resource_types: ["*"], actions: [read], condition: 'size(resource.ancestors("payroll/payslip")) == 0' }
`,
    );
    const standing = stateOf(`${tree}${NEVER}policy_assignments: [{ policy: docs/wide, to: user/ext }]\n`);
    expect(finished(existingViolations(standing, NOW, 1))).toEqual([]);
  });

  it.each([
    ['name', 'resource.name == "march"'],
    ['id', 'resource.id == context.id && resource.name.startsWith("mar")'],
    ['place', 'resource.ancestors("payroll/binder").exists(binder, binder.name == "2026")'],
    ['name, behind a comment', 'resource. // why\n\n          name == "march"'],
  ])('is broken by a grant whose condition picks out a recorded resource by its %s', (_, condition) => {
    const tree = PAYROLL.replace(
      'payslip: { actions: [read, submit, approve, archive] }',
      'payslip: { actions: [read, submit, approve, archive], parents: [{ type: binder, property: in }] }',
    ).replace(
      '    policies:\n',
      `    resources:
      "2026": { type: binder }
      march: { type: payslip, parents: [binder/2026] }
    policies:
      picked: { effect: ALLOW, resource_type: payslip, actions: [read], condition: '${condition}' }
`,
    );
    const given = 'policy_assignments: [{ policy: payroll/picked, to: user/ext }]\n';
    expect(judged(tree + NEVER, tree + NEVER + given)).toHaveLength(1);
  });

  it('speaks only of what `when` lets it', () => {
    const rule = `${NEVER}    when: context.mfa != true\n`;
    const tree = (modifiers: string) =>
      PAYROLL.replace('actions: [read] }\n      submit', `actions: [read]${modifiers} }\n      submit`) + rule;
    expect(judged(tree(''), tree('') + GIVE('user/ext'))).toHaveLength(1);
    const second = ', modifiers: { mfa_required: true }';
    expect(judged(tree(second), tree(second) + GIVE('user/ext'))).toEqual([]);
  });
});

const FOLDERS = `
applications:
  docs:
    resource_types:
      folder: { actions: [read], parents: [{ type: folder, property: in }] }
      page: { actions: [read], parents: [{ type: folder, property: in }] }
    resources:
      hr: { type: folder }
      pay: { type: folder, parents: [folder/hr] }
      plan: { type: page, parents: [folder/pay] }
      other: { type: folder }
    policies:
      read: { effect: ALLOW, resource_types: [folder, page], actions: [read] }
      below: { effect: ALLOW, resources: [{ resource: docs/folder/hr, actions: [read], below: true }] }
    roles:
      viewer: { from_requests: false, policies: [read] }
groups: { externals: { members: [user/ext] } }
subjects: { user/ext: {} }
access_rules:
  closed: { never: { subjects: group/externals, actions: [read], resources: { named: [docs/folder/hr], below: true } } }
`;

describe('a rule about a hierarchy', () => {
  it.each<[behaviour: string, more: string, broken: boolean]>([
    [
      'is broken by a role on a resource inside',
      'role_assignments: [{ role: docs/viewer, to: user/ext, resource: docs/folder/pay }]\n',
      true,
    ],
    [
      'is broken by a role on what lies inside',
      'role_assignments: [{ role: docs/viewer, to: user/ext, resource: docs/page/plan }]\n',
      true,
    ],
    [
      'is not broken by a role elsewhere, since a request names one folder',
      'role_assignments: [{ role: docs/viewer, to: user/ext, resource: docs/folder/other }]\n',
      false,
    ],
    [
      'is broken by a policy that covers all below',
      'policy_assignments: [{ policy: docs/below, to: everyone }]\n',
      true,
    ],
  ])('%s', (_, more, broken) => {
    expect(judged(FOLDERS, FOLDERS + more)).toHaveLength(broken ? 1 : 0);
  });

  it('is broken by a resource that moves in', () => {
    const held = 'role_assignments: [{ role: docs/viewer, to: user/ext, resource: docs/folder/other }]\n';
    const moved = FOLDERS.replace('other: { type: folder }', 'other: { type: folder, parents: [folder/hr] }');
    expect(judged(FOLDERS + held, moved + held)).toHaveLength(1);
  });
});

describe('the other forms', () => {
  const only =
    'access_rules:\n  few: { only: { subjects: group/staff, actions: [approve], resources: payroll/payslip } }\n';
  const give = (to: string) => `policy_assignments: [{ policy: payroll/approve, to: ${to} }]\n`;

  it('only: nobody but these', () => {
    expect(judged(PAYROLL + only, PAYROLL + only + give('group/staff'))).toEqual([]);
    expect(judged(PAYROLL + only, PAYROLL + only + give('user/ann'))[0]).toMatch(
      /names who alone may, and user\/ann may "approve"/,
    );
    expect(judged(PAYROLL + only, PAYROLL + only + give('everyone'))).toHaveLength(1);
    const member = PAYROLL.replace('staff: {}', 'staff: { members: [user/ann] }');
    expect(judged(member + only, member + only + give('user/ann'))).toEqual([]);
    expect(judged(member + only + give('user/ann'), PAYROLL + only + give('user/ann'))).toHaveLength(1);
  });

  const always =
    'access_rules:\n  glass: { always: { subjects: group/staff, actions: [read], resources: payroll/payslip } }\n';
  const crew = PAYROLL.replace('staff: {}', 'staff: { members: [user/ann] }');
  const held = `${crew}${always}${GIVE('group/staff')}`;

  it('always: what stays possible', () => {
    expect(judged(held, `${crew}${always}`)[0]).toMatch(
      /user\/ann must always be able to "read".* and a request for it is denied/,
    );
    expect(judged(held, `${held.replace('staff: { members: [user/ann] }', 'staff: {}')}`)).toEqual([]);
    const denies = 'policies:\n  stop: { effect: DENY, priority: 9, resource_type: payroll/payslip, actions: [read]';
    expect(judged(held, `${held}${denies}, assigned_to: [everyone] }\n`)).toHaveLength(1);
    expect(judged(held, `${held}${denies}, condition: 'context.x == 1', assigned_to: [everyone] }\n`)).toHaveLength(1);
    expect(judged(held, `${held}${denies.replace('9', '-1')}, assigned_to: [everyone] }\n`)).toEqual([]);
    const ends = held.replace('to: group/staff }', 'to: group/staff, expires_at: "2027-01-01T00:00:00Z" }');
    expect(judged(held, ends)[0]).toContain('at 2027-01-01');
  });

  const separate =
    'access_rules:\n  four-eyes: { separate: { actions: [submit, approve], resources: payroll/payslip } }\n';
  it('separate: no subject both', () => {
    const one = `${PAYROLL}${separate}policy_assignments: [{ policy: payroll/submit, to: user/ann }]\n`;
    const two = (to: string, more = '') => one.replace(' }]', ` }, { policy: payroll/approve, to: ${to}${more} }]`);
    expect(judged(one, two('user/ann'))[0]).toMatch(/user\/ann may both "(submit|approve)" .* and "(submit|approve)"/);
    expect(judged(one, two('user/ext'))).toEqual([]);
    expect(judged(one, two('user/ann', ', starts_at: "2027-01-01T00:00:00Z"'))[0]).toMatch(
      /at 2027-01-01T00:00:00.000Z, and at 2026-06-01T00:00:00.000Z/,
    );
    expect(judged(one, two('user/ann', ', starts_at: "2027-01-01T00:00:00Z"'))).toHaveLength(1);
    expect(judged(one, two('everyone'))).toHaveLength(1);
    const named = `roles: { boss: {} }\n`;
    expect(judged(one + named, two('role/boss') + named)).toEqual([]);
  });
});

describe('what a change reaches', () => {
  const wide = `
applications:
  payroll:
    resource_types: { payslip: { actions: [read] } }
    policies: { all: { effect: ALLOW, resource_types: ["*"], actions: [read], assigned_to: [everyone/user] } }
subjects: { user/ann: {} }
access_rules:
  nobody: { never: { subjects: { type: user }, actions: [read], resources: "*" } }
`;

  it('is a new type that a wildcard covers', () => {
    const bonus = wide.replace('payslip: {', 'bonus: { actions: [read] }, payslip: {');
    expect(judged(wide, bonus)).toEqual([expect.stringContaining('user/somebody may "read" payroll/bonus/something')]);
  });

  it('is whom `always` comes to mean, who never had access', () => {
    const glass = (members: string) => `${PAYROLL.replace('staff: {}', `staff: { members: [${members}] }`)}
access_rules:
  glass: { always: { subjects: group/staff, actions: [read], resources: payroll/payslip } }
`;
    expect(judged(glass(''), glass('user/ann'))).toEqual([expect.stringContaining('user/ann must always be able')]);
    expect(judged(glass('user/ann'), glass('user/ann, user/ext'))).toEqual([
      expect.stringContaining('user/ext must always be able'),
    ]);
  });
});

describe('the request that shows a broken rule', () => {
  /** A change of a policy and of whom the rule means at once. */
  const tenant = (mode: 'never' | 'always', contract: string, policy: string) => `
applications:
  payroll:
    resource_types: { payslip: { actions: [read] } }
    policies:
      all: { effect: ALLOW, resource_type: payslip, actions: [read], priority: 1, assigned_to: [everyone/user] }
      some: { ${policy}, resource_type: payslip, actions: [read], priority: 2, assigned_to: [everyone/user] }
subjects: { user/ann: { properties: { contract: ${contract} } } }
access_rules:
  rule:
    ${mode}:
      subjects: { type: user, where: 'subject.properties.contract == "external"' }
      actions: [read]
      resources: payroll/payslip
`;

  it('was denied before rather than allowed to whom the rule did not mean', () => {
    const before = tenant('never', 'internal', "effect: DENY, condition: 'has(context.b)'");
    const after = tenant('never', 'external', 'effect: ALLOW');
    expect(judged(before, after)).toEqual([expect.stringMatching(/user\/ann may .* with context {"b":null}/)]);
  });

  it('of `always` was allowed before', () => {
    const before = tenant('always', 'internal', "effect: DENY, condition: '!has(context.b)'");
    const after = tenant('always', 'external', 'effect: DENY');
    expect(judged(before, after)).toEqual([expect.stringMatching(/user\/ann must .* with context {"b":null}/)]);
  });
});
