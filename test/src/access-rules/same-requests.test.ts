import { describe, expect, it } from 'vitest';
import { judged } from './judged.js';

const TEAM = `
applications:
  payroll:
    resource_types:
      payslip: { actions: [read] }
    policies:
      read: { effect: ALLOW, resource_type: payslip, actions: [read], condition: 'subject.properties.team == resource.properties.team' }
policy_assignments: [{ policy: payroll/read, to: user/ann }]
`;
const ann = (properties: string) => `subjects: { user/ann: ${properties} }\n`;
const rule = (form: string) =>
  `access_rules: { rule: { ${form}: { subjects: user/ann, actions: [read], resources: payroll/payslip } } }\n`;

/** Semantics 11.3: requests send nothing that is recorded after, and what is recorded before counts before. */
describe('a property that is recorded in one state only', () => {
  it('was sent before by nobody where it is recorded after', () => {
    const [before, after] = [TEAM + ann('{}'), TEAM + ann('{ properties: { team: 1 } }')];
    // A request without a team was denied and may be allowed now; what it sends of the payslip is the witness.
    expect(judged(before + rule('never'), after + rule('never'))).toEqual([
      expect.stringMatching(/user\/ann may "read" payroll\/payslip\/something with resource.properties {"team":1} at/),
    ]);
    expect(judged(before + rule('always'), after + rule('always'))).toEqual([]);
  });

  it('may be sent after where it was recorded before', () => {
    const [before, after] = [TEAM + ann('{ properties: { team: 1 } }'), TEAM + ann('{}')];
    const others = rule('never').replace('resources: ', 'resources: { where: resource.properties.team != 1, types: [');
    const about = others.replace('payslip }', 'payslip] } }');
    expect(judged(before + about, after + about)).toEqual([
      expect.stringMatching(/user\/ann may "read" payroll\/payslip\/something with subject.properties {"team":/),
    ]);
    expect(judged(before + rule('always'), after + rule('always'))).toHaveLength(1);
  });
});

const DRIVES = `
applications:
  docs:
    resource_types:
      drive: { actions: [read] }
      folder: { actions: [read], parents: [{ type: drive, property: on }, { type: folder, property: in }] }
      page: { actions: [read], parents: [{ type: folder, property: in }] }
    policies:
      read: { effect: ALLOW, resource_types: [drive, folder, page], actions: [read] }
      open:
        effect: ALLOW
        resource_type: page
        actions: [read]
        condition: resource.ancestors("docs/folder").exists(one, one.properties.open == true)
        assigned_to: [user/ext]
    roles:
      viewer: { from_requests: false, policies: [read] }
    resources:
      c: { type: drive }
      hr: { type: folder }
      other: { type: folder }
subjects: { user/ext: {}, user/ann: {} }
`;
const rules = (text: string) => `access_rules: { rule: { ${text} } }\n`;
const inHr = rules(
  'never: { subjects: user/ext, actions: [read], resources: { named: [docs/folder/hr], below: true } }',
);
const pages = rules('never: { subjects: user/ext, actions: [read], resources: docs/page }');
const holds = (...places: string[]) =>
  `role_assignments: [${places.map((place) => `{ role: docs/viewer, to: user/ext, resource: docs/${place} }`).join(', ')}]\n`;
const adding = (resource: string) => DRIVES.replace('    resources:\n', `    resources:\n      ${resource}\n`);

/** Semantics 11.8: before, a new resource lies where requests could have said that it does. */
describe('a resource that comes with the change', () => {
  it.each<[behaviour: string, before: string, after: string, broken: boolean]>([
    [
      'breaks nothing where resources without a record broke the rule already',
      DRIVES + pages + holds('folder/other'),
      adding('plan: { type: page, parents: [folder/other] }') + pages + holds('folder/other'),
      false,
    ],
    [
      'breaks nothing so beside a change of the policy',
      DRIVES + pages + holds('folder/other'),
      adding('plan: { type: page, parents: [folder/other] }').replace(
        'read: { effect: ALLOW,',
        'read: { effect: ALLOW, priority: 5,',
      ) +
        pages +
        holds('folder/other'),
      false,
    ],
    [
      'breaks nothing as one more folder where folders were',
      DRIVES + pages + holds('folder/other'),
      adding('sub: { type: folder, parents: [folder/other] }') + pages + holds('folder/other'),
      false,
    ],
    [
      'breaks a rule as the first folder in which pages can be read',
      DRIVES + pages + holds('drive/c'),
      adding('sub: { type: folder, parents: [drive/c] }') + pages + holds('drive/c'),
      true,
    ],
    [
      'breaks a rule by lying in two folders, of which it speaks of one and grants the other',
      DRIVES + inHr + holds('folder/other'),
      adding('plan: { type: page, parents: [folder/hr, folder/other] }') + inHr + holds('folder/other'),
      true,
    ],
    [
      'breaks a rule by a property that a condition asks of folders',
      DRIVES + pages,
      adding('sub: { type: folder, properties: { open: true } }') + pages,
      true,
    ],
    [
      'breaks nothing by properties that nothing asks of folders',
      DRIVES + pages,
      adding('sub: { type: folder, properties: { open: false } }') + pages,
      false,
    ],
    [
      'is granted by a role on a folder that comes as well',
      DRIVES + pages,
      adding('sub: { type: folder }\n      plan: { type: page, parents: [folder/sub] }') + pages + holds('folder/sub'),
      true,
    ],
    [
      'breaks a rule by a type that may lie in more than before',
      DRIVES + pages + holds('drive/c'),
      DRIVES.replace(
        'page: { actions: [read], parents: [',
        'page: { actions: [read], parents: [{ type: drive, property: on }, ',
      ) +
        pages +
        holds('drive/c'),
      true,
    ],
    [
      'breaks nothing when it goes',
      adding('plan: { type: page, parents: [folder/other] }') + pages + holds('folder/other'),
      DRIVES + pages + holds('folder/other'),
      false,
    ],
  ])('%s', (_, before, after, broken) => {
    expect(judged(before, after)).toHaveLength(broken ? 1 : 0);
  });
});

describe('the bare name of a role', () => {
  const role = 'roles: { clerk: {} }\n';
  const app = (policies: string) => `
applications:
  payroll:
    resource_types: { payslip: { actions: [read] } }
    policies: { read: { effect: ALLOW, resource_type: payslip, actions: [read] } }
    roles: { clerk: ${policies} }
`;
  const always = rules(
    'always: { subjects: user, actions: [read], resources: payroll/payslip }, when: \'subject.has_role("payroll/clerk")\'',
  );
  const glass = rules('always: { subjects: user, actions: [read], resources: payroll/payslip }');

  it("means an application's role where the tenant's is gone", () => {
    const given = 'policy_assignments: [{ policy: payroll/read, to: role/clerk }]\n';
    // Whoever named the tenant's role was allowed, and by the same name is so as the application's clerk.
    expect(judged(app('{}') + role + given + glass, app('{ policies: [read] }') + glass)).toEqual([]);
    expect(judged(app('{}') + role + given + glass, app('{}') + glass)).toEqual([
      expect.stringMatching(/named by the request as role\/clerk/),
    ]);
    expect(judged(app('{ policies: [read] }') + always, app('{}') + always)).toHaveLength(1);
  });
});

describe('a resource of which nobody says where it lies', () => {
  const PAGES = `
applications:
  docs:
    resource_types:
      folder: { actions: [read] }
      page: { actions: [read], parents: [{ type: folder, property: in }] }
    policies:
      read: { effect: ALLOW, resource_type: page, actions: [read], assigned_to: [everyone] }
      inside: { effect: DENY, resource_type: page, actions: [read], condition: resource.ancestors("docs/folder").size() > 0 }
subjects: { user/ann: {} }
`;
  const given = 'policy_assignments: [{ policy: docs/inside, to: everyone }]\n';

  it('is judged as one that may lie in a folder, though there is none', () => {
    const always = rules('always: { subjects: user/ann, actions: [read], resources: docs/page }');
    expect(judged(PAGES + always, PAGES + always + given)).toEqual([
      expect.stringMatching(/user\/ann must always be able to "read" docs\/page\/something.* denied at/),
    ]);
    const never = rules('never: { subjects: user/ann, actions: [read], resources: docs/page }');
    expect(judged(PAGES + never + given, PAGES + never)).toHaveLength(1);
  });
});

describe('a policy for everyone that asks for a group', () => {
  const tree = `
applications:
  docs:
    resource_types: { page: { actions: [read] } }
    policies: { inner: { effect: ALLOW, resource_type: page, actions: [read], condition: subject.in_group("crew") } }
groups: { crew: { members: [user/ann] } }
subjects: { user/ann: {} }
`;

  it('is judged on those who are in it', () => {
    const nobody = rules('never: { actions: [read], resources: docs/page }');
    const given = 'policy_assignments: [{ policy: docs/inner, to: everyone }]\n';
    expect(judged(tree + nobody, tree + nobody + given)).toEqual([expect.stringContaining('user/ann may "read"')]);
  });
});
