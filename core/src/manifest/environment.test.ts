import { describe, expect, it } from 'vitest';
import { faultText, type ManifestResult } from './manifest.js';
import { parsedText } from './parsed-text.js';
import { readManifest } from './read.js';

const BASE = `version: 1
tenant: acme
variables:
  office: { type: list, default: [10.0.0.0/8] }
  limit: { type: number }
applications:
  billing:
    description: Invoices
    resource_types:
      invoice: { actions: [read, approve], properties: { amount: number } }
    resources:
      invoice/INV-1: { properties: { amount: 5 } }
    roles:
      accountant: { assigned_to: [user/alice, group/staff] }
      intern: {}
    policies:
      approve-small:
        effect: ALLOW
        priority: 10
        resource_type: invoice
        actions: [approve]
        condition: resource.properties.amount < var.limit
        modifiers: { ip_ranges: "\${var.office}" }
        assigned_to: [role/billing/accountant, role/billing/intern]
groups:
  staff: { members: [user/alice] }
subjects:
  user/alice: {}
  user/bot: { groups: [staff] }
`;

function read(environment: string, base = BASE): ManifestResult {
  return readManifest([
    { path: 'tenant.yaml', text: base },
    { path: 'environments/prod.yaml', text: environment, isEnvironment: true },
  ]);
}

function recordsOf({ manifest, faults }: ManifestResult): Record<string, Record<string, unknown>> {
  expect(faults.map(faultText)).toEqual([]);
  return Object.fromEntries((manifest?.records ?? []).map(({ address, fields }) => [address, { ...fields }]));
}

const LIMIT = 'variables: { limit: 5000 }\n';

describe('a tree in an environment', () => {
  it('has the values of the environment, and its tenant', () => {
    const result = read('name: prod\ntenant: acme-prod\nvariables: { limit: -1.5, office: [198.51.100.0/24] }\n');
    const policy = recordsOf(result)['policy/billing/approve-small'];
    expect(policy).toMatchObject({
      condition: 'resource.properties.amount < (-1.5)',
      modifiers: { ip_ranges: ['198.51.100.0/24'] },
    });
    expect(result.manifest).toMatchObject({ tenant: 'acme-prod', environment: 'prod' });
  });

  it('changes fields, lists and links of the base, adds records and removes them with their links', () => {
    const records = recordsOf(
      read(
        `${LIMIT}add:
  groups: { auditors: { roles: [billing/accountant] } }
  applications: { billing: { roles: { auditor: {} } } }
change:
  applications:
    billing:
      description: Real money
      resource_types: { invoice: { actions: { add: [pay], remove: [read] } } }
      resources: { INV-1: { properties: { amount: 7 } } }
      policies:
        approve-small:
          priority: 20
          condition: null
          assigned_to: { add: [auditor], remove: [role/billing/accountant] }
remove: [role/billing/intern, user/bot, role_assignment/billing/accountant//group/staff]
`.replace('[auditor]', '[role/billing/auditor]'),
      ),
    );
    expect(records['application/billing']).toMatchObject({ description: 'Real money' });
    expect(records['resource_type/billing/invoice']?.actions).toEqual(['approve', 'pay']);
    expect(records['resource/billing/invoice/INV-1']).toMatchObject({ properties: { amount: 7 } });
    expect(records['policy/billing/approve-small']).toMatchObject({ priority: 20 });
    expect(records['policy/billing/approve-small']).not.toHaveProperty('condition');
    expect(
      Object.keys(records)
        .filter((address) => address.includes('//'))
        .sort(),
    ).toEqual([
      'group_membership/staff//subject/user/alice',
      'policy_assignment/billing/approve-small//role/billing/auditor',
      'role_assignment/billing/accountant//group/auditors',
      'role_assignment/billing/accountant//subject/user/alice',
    ]);
    expect(Object.keys(records)).not.toContain('subject/user/bot');
  });

  it('puts a link back with another time, on a record or in a list', () => {
    const until = '2099-01-01T00:00:00Z';
    const link = 'group_membership/staff//subject/user/alice';
    const onRecord = `change: { groups: { staff: { members: { remove: [user/alice], add: [{ member: user/alice, expires_at: "${until}" }] } } } }\n`;
    const inList = `remove: [${link}]\nadd: { group_memberships: [{ group: staff, member: user/alice, expires_at: "${until}" }] }\n`;
    for (const environment of [onRecord, inList])
      expect(recordsOf(read(LIMIT + environment))[link]).toMatchObject({ expires_at: expect.stringContaining('2099') });
  });

  it('lends no more values than aliases may stand for', () => {
    const list = Array.from({ length: 500 }, (_, index) => `a${index}`).join(', ');
    const types = Array.from({ length: 250 }, (_, index) => `t${index}: { actions: "\${var.l}" }`).join(', ');
    const base = `version: 1\nvariables: { l: { type: list, default: [${list}] } }\napplications: { b: { resource_types: { ${types} } } }\n`;
    expect(read('', base).faults.map(faultText)).toEqual([
      expect.stringContaining('Variables stand for more than 100000 values altogether: write fewer of them.'),
    ]);
  });

  it('names places in both files', () => {
    const { placeOf, linesOf } = read(
      `${LIMIT}change:\n  applications: { billing: { policies: { approve-small: { priority: 20 } } } }\n`,
    );
    const policy = 'policy/billing/approve-small';
    expect(placeOf(policy)).toMatchObject({ file: 'tenant.yaml', line: 17 });
    expect(placeOf(policy, '/priority')).toMatchObject({ file: 'environments/prod.yaml', line: 3 });
    expect(placeOf(policy, '/condition', 29)).toEqual({ file: 'tenant.yaml', line: 22, column: 49 });
    expect(linesOf(policy)).toEqual({ file: 'tenant.yaml', first: 17, last: 24 });
  });

  it('reads what was parsed ahead alike', () => {
    const environment = { path: 'environments/prod.yaml', text: LIMIT, isEnvironment: true };
    const ahead = [environment, { path: 'tenant.yaml', text: BASE }];
    expect(readManifest(ahead.map((file) => ({ ...file, parsed: parsedText(file.text) }))).manifest).toEqual(
      read(LIMIT).manifest,
    );
  });

  it.each([
    [
      'a variable without a value',
      '',
      [
        'tenant.yaml:22:20: "var.limit" has no value: give it one in the environment, or a default at tenant.yaml:5:3. "-e NAME" reads the tree in an environment.',
      ],
    ],
    [
      'a value of another type',
      'variables: { limit: many }\n',
      ['environments/prod.yaml:1:21: variables.limit: is the text "many", and the variable is a number.'],
    ],
    [
      'an unknown variable',
      `variables: { limit: 1, ofice: [] }\n`,
      ['environments/prod.yaml:1:24: variables.ofice: is no variable of the base: did you mean "office"?'],
    ],
    [
      'a value that is wrong where it counts',
      `variables: { limit: 1, office: [here] }\n`,
      [
        expect.stringMatching(
          /^environments\/prod\.yaml:1:33: policy\/billing\/approve-small: modifiers\.ip_ranges\[0\]: .*"here".* \(It counts at tenant\.yaml:23:33\.\)$/,
        ),
      ],
    ],
    [
      'a value that names a variable',
      `variables: { limit: 1, office: ["\${var.limit}"] }\n`,
      [
        expect.stringContaining(
          'environments/prod.yaml:1:32: variables.office: names a variable, and a value of one cannot',
        ),
      ],
    ],
    [
      'a variable within a text',
      `${LIMIT}add: { groups: { g: { description: "at most \${var.limit}" } } }\n`,
      [expect.stringContaining('has a variable within a text, and one stands for a whole value')],
    ],
    [
      'a change of nothing',
      `${LIMIT}change: { subjects: { user/alise: { name: A } } }\n`,
      [
        'environments/prod.yaml:2:23: change.subjects.user/alise: is not in the base, so there is nothing to change: did you mean "user/alice"?',
      ],
    ],
    [
      'a change with a wrong value',
      `${LIMIT}change: { subjects: { user/alice: { name: 5 } } }\n`,
      [
        expect.stringMatching(
          /^environments\/prod\.yaml:2:43: subject\/user\/alice: name: is the number 5.* \(It counts at tenant\.yaml:28:3\.\)$/,
        ),
      ],
    ],
    [
      'a change with an unknown field',
      `${LIMIT}change: { subjects: { user/alice: { nam: A } } }\n`,
      [expect.stringContaining('environments/prod.yaml:2:37: subject/user/alice: ')],
    ],
    [
      'a removal of nothing',
      `${LIMIT}remove: [user/bots]\n`,
      [
        'environments/prod.yaml:2:10: remove[0]: subject/user/bots is not in the base: did you mean "subject/user/bot"?',
      ],
    ],
    [
      'an item that is not in the list',
      `${LIMIT}change: { groups: { staff: { members: { remove: [user/eve] } } } }\n`,
      [expect.stringContaining('group_membership/staff//subject/user/eve: is not in the base')],
    ],
    [
      'links that are given as a list',
      `${LIMIT}change: { groups: { staff: { members: [user/alice] } } }\n`,
      [expect.stringContaining('is a list, and links are added and removed: write "{ add: [], remove: [] }"')],
    ],
    [
      'a record that the base has',
      `${LIMIT}add: { subjects: { user/alice: {} } }\n`,
      [
        'environments/prod.yaml:2:20: subject/user/alice: is declared twice, first at tenant.yaml:28:3: keep one of them.',
      ],
    ],
    [
      'another name than the file',
      `${LIMIT}name: staging\n`,
      ['environments/prod.yaml:2:7: name: is not that of the file: write "name: prod", or rename the file.'],
    ],
    [
      'patterns of gates that nothing counts',
      `${LIMIT}gates: { for: ["* read invoice:*"] }\n`,
      ['environments/prod.yaml:2:15: gates.for: says what max_gained counts, which is missing: add it.'],
    ],
    [
      'an item that is removed twice',
      `${LIMIT}change: { groups: { staff: { members: { remove: [user/alice, user/alice] } } } }\n`,
      [expect.stringContaining('group_membership/staff//subject/user/alice: is removed twice: remove the item.')],
    ],
    [
      'a list that is edited by nothing',
      `${LIMIT}change: { applications: { billing: { resource_types: { invoice: { actions: {} } } } } }\n`,
      [
        expect.stringContaining('environments/prod.yaml:2:76: resource_type/billing/invoice: actions: is a mapping'),
        expect.stringContaining('The type "billing/invoice" has no action "approve"'),
      ],
    ],
    [
      'gates that there are not',
      `${LIMIT}gates: { max_gained: -1, max_lost: 3 }\n`,
      [
        expect.stringContaining('environments/prod.yaml:2:22: gates.max_gained: is the number -1'),
        expect.stringContaining('environments/prod.yaml:2:26: gates: the key "max_lost" is not known'),
      ],
    ],
    [
      'an unknown key',
      `${LIMIT}patches: {}\n`,
      [expect.stringContaining('environments/prod.yaml:2:1: the key "patches" is not known')],
    ],
    [
      'what mentions what is removed',
      `${LIMIT}add: { roles: { r: { includes: [billing/intern] } } }\nremove: [role/billing/intern]\n`,
      [
        'environments/prod.yaml:2:33: role/r: role/billing/intern is removed at environments/prod.yaml:3:10, and is mentioned here: remove or change this there, too.',
      ],
    ],
  ])('refuses %s', (_, environment, faults) => {
    expect(read(environment).faults.map(faultText)).toEqual(faults);
  });

  it.each([
    [
      'a field',
      `change: { applications: { billing: { policies: { approve-small: { priority: 10 } } } } }\n`,
      'is so in the base already: remove it.',
    ],
    [
      'an item',
      `change: { applications: { billing: { resource_types: { invoice: { actions: { add: [read] } } } } } }\n`,
      "in the base's list already: remove it.",
    ],
    [
      'the absence of a field',
      `change: { subjects: { user/alice: { name: null } } }\n`,
      'is not in the base either: remove it.',
    ],
  ])('warns of %s that changes nothing', (_, environment, warning) => {
    const { warnings, faults } = read(LIMIT + environment);
    expect(faults).toEqual([]);
    expect(warnings.map(faultText)).toEqual([expect.stringContaining(warning)]);
  });

  it('warns of a variable that nothing reads', () => {
    const { warnings } = read(LIMIT, BASE.replace('variables:', 'variables:\n  old: { type: any, default: 1 }'));
    expect(warnings.map(faultText)).toEqual(['tenant.yaml:4:3: variables.old: is read by nothing: remove it.']);
  });
});

it('says where an environment adds, removes, changes and gives a value', () => {
  const result = read(
    'variables:\n  limit: 5000\n  office: [198.51.100.0/24]\nadd: { roles: { r: {} } }\nchange: { subjects: { user/alice: { name: A } } }\nremove: [user/bot]\n',
  );
  const at = (address: string, field?: string) => {
    const place = result.environmentPlaceOf(address, field);
    return place && `${place.file}:${place.line}`;
  };
  const policy = 'policy/billing/approve-small';
  expect(at(policy, 'condition')).toBe('environments/prod.yaml:2');
  expect(result.environmentPlaceOf(policy, 'condition')?.written).toBe('resource.properties.amount < var.limit');
  expect(at(policy, 'modifiers')).toBe('environments/prod.yaml:3');
  expect(at('role/r')).toBe('environments/prod.yaml:4');
  expect(at('subject/user/alice', 'name')).toBe('environments/prod.yaml:5');
  expect(at('subject/user/bot')).toBe('environments/prod.yaml:6');
  expect(at('group_membership/staff//subject/user/bot')).toBe('environments/prod.yaml:6');
  for (const [address, field] of [[policy, 'effect'], [policy], ['subject/user/alice'], ['group/staff']] as const)
    expect(at(address, field)).toBeUndefined();
});

it('keeps variables in texts and comments of conditions as they are, and says where a folded condition is wrong', () => {
  const base = BASE.replace(
    'amount < var.limit',
    "amount < var.limit && 'var.limit' != r'\\\\' && subject.propertys.x == 1",
  );
  const { faults } = read(LIMIT, base);
  expect(faults.map(faultText)).toEqual([
    expect.stringMatching(/^tenant\.yaml:22:\d+: policy\/billing\/approve-small: .* has no "propertys"/),
  ]);
});
