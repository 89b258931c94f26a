import { describe, expect, it } from 'vitest';
import { BILLING, faultTable, read, V } from '../../testing/fault-table.js';
import { faultText } from './manifest.js';
import { readManifest } from './read.js';

describe('a tree', () => {
  faultTable([
    ['of no file lacks the version', [], ['.:1:1: version: is missing: write "version: 1" at the top of one file.']],
    [
      'of empty files lacks the version',
      ['', '# nothing\n'],
      ['a.yaml:1:1: version: is missing: write "version: 1" at the top of one file.'],
    ],
    [
      'says a version that is known',
      'version: 2\n',
      ['a.yaml:1:10: version: is the number 2, and only 1 is known: write "version: 1".'],
    ],
    [
      'says the version as a number',
      'version: "1"\n',
      ['a.yaml:1:10: version: is the text "1", and only 1 is known: write "version: 1".'],
    ],
    [
      'is made of mappings',
      ['- a\n', 'hello\n', `${V}--- 5\n`],
      [
        'a.yaml:1:1: The document is a list, a mapping is expected.',
        'b.yaml:1:1: The document is the text "hello", a mapping is expected.',
        'c.yaml:2:5: The document is the number 5, a mapping is expected.',
      ],
    ],
    [
      'says one tenant and one stack',
      [`${V}stack: a\ntenant: t\n`, 'stack: b\ntenant: t\n', 'tenant: u\n'],
      [
        'b.yaml:1:8: stack: is "b" here and "a" at a.yaml:2:8: keep one of them, or validate, plan and apply the folder of each stack separately.',
        'c.yaml:1:9: tenant: is "u" here and "t" at a.yaml:3:9: keep one of them, or validate, plan and apply the folder of each tenant separately.',
      ],
    ],
    [
      'does not take the name of the API',
      `${V}stack: api\n`,
      ['a.yaml:2:8: stack: "api" owns what is written over HTTP, and would be pruned: choose another name.'],
    ],
    [
      'does not take the name of a directory',
      `${V}stack: directory/okta\n`,
      ['a.yaml:2:8: stack: "directory/okta" is a directory, for which only its own key writes: choose another name.'],
    ],
    [
      'names tenant and stack by text',
      `${V}stack: 5\ntenant: ""\n`,
      [
        'a.yaml:2:8: stack: is the number 5, a text is expected: write it in quotes.',
        'a.yaml:3:9: tenant: "" must not be empty.',
      ],
    ],
    [
      'names tenant and stack by nothing else',
      `${V}stack: {}\ntenant: [a]\n`,
      [
        'a.yaml:2:8: stack: is a mapping, a text is expected: write stack: NAME.',
        'a.yaml:3:9: tenant: is a list, a text is expected: write tenant: NAME.',
      ],
    ],
    [
      'knows its keys',
      `${V}polices: {}\nx: 1\n`,
      [
        'a.yaml:2:1: the key "polices" is not known: did you mean "policies"?',
        'a.yaml:3:1: the key "x" is not known: write one of version, tenant, stack, defaults, variables, moved, external, applications, roles, policies, groups, subject_types, context_attributes, directories, subjects, access_rules, api_keys, oauth_clients, role_assignments, policy_assignments, group_memberships.',
      ],
    ],
    [
      'may be of something else, which is said once for all of its documents',
      'apiVersion: apps/v1\nkind: Deployment\nmetadata: {}\nspec: {}\n---\napiVersion: v1\nkind: Service\n',
      [
        'a.yaml:1:1: This file does not look like records: it has the keys "apiVersion", "kind", "metadata", …. Keep records in a folder of their own, and name that folder.',
      ],
    ],
    [
      'has a rule about a type whose actions are none',
      `${V}applications: { b: { resource_types: { t: { actions: {} } } } }\nsubjects: { user/a: {} }\naccess_rules: { r: { never: { subjects: user/a, actions: [read], resources: b/t } } }\n`,
      ['a.yaml:2:54: resource_type/b/t: actions: is a mapping, a list is expected.'],
    ],
    [
      'is of something else with variables of its own',
      'image: node\nvariables: { A: b }\nplan: {}\n',
      [
        'a.yaml:1:1: This file does not look like records: it has the keys "image", "variables", "plan". Keep records in a folder of their own, and name that folder.',
      ],
    ],
    [
      'is of something else with a version of its own',
      'version: "3.9"\nservices: {}\n',
      [
        'a.yaml:1:1: This file does not look like records: it has the keys "version", "services". Keep records in a folder of their own, and name that folder.',
      ],
    ],
    [
      'is ours where one key is known or nearly so',
      `${V}---\nservices: {}\npolices: {}\n`,
      [
        'a.yaml:3:1: the key "services" is not known: write one of version, tenant, stack, defaults, variables, moved, external, applications, roles, policies, groups, subject_types, context_attributes, directories, subjects, access_rules, api_keys, oauth_clients, role_assignments, policy_assignments, group_memberships.',
        'a.yaml:4:1: the key "polices" is not known: did you mean "policies"?',
      ],
    ],
    [
      'may have a byte order mark and Windows line ends',
      '\ufeffversion: 1\r\ngroups:\r\n  a:\r\n    membrs: []\r\n',
      ['a.yaml:4:5: group/a: the key "membrs" is not known: did you mean "members"?'],
    ],
    [
      'holds collections where they belong',
      `${V}groups: 5\nroles: []\nrole_assignments: {}\nmoved: x\nexternal: {}\n`,
      [
        'a.yaml:2:9: groups: is the number 5, a mapping is expected.',
        'a.yaml:3:8: roles: is a list, a mapping is expected.',
        'a.yaml:4:19: role_assignments: is a mapping, a list is expected.',
        'a.yaml:5:8: moved: is the text "x", a list is expected: write [x].',
        'a.yaml:6:11: external: is a mapping, a list is expected.',
      ],
    ],
  ]);
});

describe('a name', () => {
  faultTable([
    [
      'that another YAML reads as something else is to be quoted',
      `${V}groups:\n  010: {}\n  1.10: {}\n  1e3: {}\n  null: {}\n  true: {}\n  ~: {}\n  ? [a]\n  : {}\n  "": {}\n`,
      [
        'a.yaml:3:3: groups: the key 010 is the number 10, not text: write "010" in quotes.',
        'a.yaml:4:3: groups: the key 1.10 is the number 1.1, not text: write "1.10" in quotes.',
        'a.yaml:5:3: groups: the key 1e3 is the number 1000, not text: write "1e3" in quotes.',
        'a.yaml:6:3: groups: the key null is empty, not text: write "null" in quotes.',
        'a.yaml:7:3: groups: the key true is the boolean true, not text: write "true" in quotes.',
        'a.yaml:8:3: groups: the key ~ is empty, not text: write "~" in quotes.',
        'a.yaml:9:5: groups: a key is a list: write a text, in quotes if need be.',
        'a.yaml:11:3: group/: name: "" must not be empty.',
      ],
    ],
    [
      'must not hold control characters',
      `${V}groups:\n  "a\\nb": {}\n`,
      ['a.yaml:3:3: group/a%0Ab: name: "a\\nb" must not hold control characters.'],
    ],
    [
      'must not be too long',
      `${V}groups:\n  ${'x'.repeat(257)}: {}\n`,
      [
        'a.yaml:3:3: group/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: name: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…" must have at most 256 characters.',
      ],
    ],
    [
      'of a subject holds its type',
      `${V}subjects:\n  alice: {}\n  user/a%zz: {}\n  user//x: {}\n  a/b/c: {}\n  subject/user/alice: {}\n`,
      [
        'a.yaml:3:3: subjects.alice: "alice" is no path of a subject: write TYPE/ID.',
        'a.yaml:4:3: subjects.user/a%zz: "a%zz" has a malformed percent escape: write "%" itself as "%25".',
        'a.yaml:5:3: subjects.user//x: "user//x" has an empty name: write no "/" at an end, nor two.',
        'a.yaml:6:3: subjects.a/b/c: "a/b/c" is no path of a subject: write TYPE/ID, with "/" in a name as "%2F".',
        'a.yaml:7:3: subjects.subject/user/alice: "subject/user/alice" is no path of a subject: leave out "subject/".',
      ],
    ],
    [
      'of a resource goes with its type',
      `${BILLING}    resources:\n      A: {}\n      B: { type: other/invoice }\n      C: { type: 5 }\n      x/y/z: {}\n      D: { type: invoic }\n`,
      [
        'a.yaml:7:7: applications.billing.resources.A: has no type: add "type: TYPE", or write the key as TYPE/NAME.',
        'a.yaml:8:18: applications.billing.resources.B: type: "other/invoice" is a type of another application: declare the resource there.',
        'a.yaml:9:18: applications.billing.resources.C: type: is the number 5, a text is expected: write "5" in quotes.',
        'a.yaml:10:7: applications.billing.resources.x/y/z: has no type: add "type: TYPE", or write the key as TYPE/NAME, "/" in a name as "%2F".',
        'a.yaml:11:18: resource/billing/invoic/D: Resource type "billing/invoic" does not exist: did you mean "billing/invoice"?',
      ],
    ],
    [
      'stands once in a mapping',
      `${V}groups:\n  g: {}\n  h: { description: a, description: b }\n  g: {}\n`,
      [
        'a.yaml:4:24: groups.h: the key "description" stands twice in one mapping, first at a.yaml:4:8: keep one of them.',
        'a.yaml:5:3: groups: the key "g" stands twice in one mapping, first at a.yaml:3:3: keep one of them.',
      ],
    ],
  ]);
});

describe('a field', () => {
  faultTable([
    [
      'that YAML names otherwise is known by that name alone',
      'version: 1\ndirectories:\n  okta: { id: mail, id_from: userName }\n',
      [
        'a.yaml:3:15: directory/okta: id: is the text "mail": write one of userName, externalId, id.',
        'a.yaml:3:21: directory/okta: the key "id_from" is not known: write one of subject_type, id, properties, groups, removals, groups_emptied, suspensions, description.',
      ],
    ],
    [
      'that is not known is named with the nearest known one',
      `${V}groups: { g: { membrs: [], descripton: x, zzz: 1 } }\n`,
      [
        'a.yaml:2:16: group/g: the key "membrs" is not known: did you mean "members"?',
        'a.yaml:2:28: group/g: the key "descripton" is not known: did you mean "description"?',
        'a.yaml:2:43: group/g: the key "zzz" is not known: write one of shared_with, entry, description, members, roles, policies.',
      ],
    ],
    [
      'of the wrong type says what it is and what is expected',
      `${V}api_keys:\n  a: { scopes: bundle }\n  b: { scopes: [bundel], description: 5 }\n  c: { scopes: [] }\n  d:\n  e: { scopes: [1], expires_at: 2027-01-01 }\n  f: { scopes: { a: b }, description: }\n  g: 5\n`,
      [
        'a.yaml:3:16: api_key/a: scopes: is the text "bundle", a list is expected: write [bundle].',
        'a.yaml:4:17: api_key/b: scopes[0]: "bundel" is not known here: did you mean "bundle"? Write one of decisions, bundle, records:read, records:write, credentials, access-rules, directory.',
        'a.yaml:4:39: api_key/b: description: is the number 5, a text is expected: write "5" in quotes.',
        'a.yaml:5:16: api_key/c: scopes: must name at least one scope.',
        'a.yaml:6:3: api_key/d: scopes: is missing: write a list.',
        'a.yaml:7:17: api_key/e: scopes[0]: is the number 1: write one of decisions, bundle, records:read, records:write, credentials, access-rules, directory.',
        'a.yaml:7:33: api_key/e: expires_at: "2027-01-01" must be an RFC 3339 date and time with a zone, like "2027-01-31T18:00:00Z".',
        'a.yaml:8:16: api_key/f: scopes: is a mapping, a list is expected.',
        'a.yaml:8:37: api_key/f: description: is empty, a text is expected: write one, or remove the key.',
        'a.yaml:9:6: api_keys.g: is the number 5, a mapping is expected.',
      ],
    ],
    [
      'of a policy is checked by the record',
      `${V}policies:\n  p: { effect: ALOW, priority: "10", resource_type: invoice, actions: read }\n  q: { effect: allow, priority: 1.5 }\n  r: { effect: DENY }\n  s: { effect: DENY, resource_type: a/b, resources: [] }\n  t: { effect: 5, priority: 2000000 }\n`,
      [
        'a.yaml:3:16: policy/p: effect: "ALOW" is not known here: did you mean "ALLOW"? Write one of ALLOW, DENY.',
        'a.yaml:3:32: policy/p: priority: is the text "10", a number is expected: write 10 without quotes.',
        'a.yaml:3:53: policy/p: resource_type: "invoice" is no path of a resource type: write APPLICATION/TYPE.',
        'a.yaml:3:71: policy/p: actions: is the text "read", a list is expected: write [read].',
        'a.yaml:4:16: policy/q: effect: "allow" is not known here: did you mean "ALLOW"? Write one of ALLOW, DENY.',
        'a.yaml:4:33: policy/q: priority: is the number 1.5, a whole number is expected.',
        'a.yaml:5:3: policy/r: covers nothing: give `resource_type` or `resource_types` with `actions`, or `resources`.',
        'a.yaml:6:37: policy/s: Resource type "a/b" does not exist: declare it, correct the name, or list it under "external" if another stack declares it.',
        'a.yaml:6:53: policy/s: resources: is an empty list: name at least one.',
        'a.yaml:7:16: policy/t: effect: is the number 5: write one of ALLOW, DENY.',
        'a.yaml:7:29: policy/t: priority: is the number 2000000: write one that is at most 1000000.',
      ],
    ],
    [
      'of a second factor and of exemptions stands where it says what is meant',
      `${V}external: [resource_type/a/b]
policies:
  d: { effect: DENY, resource_type: a/b, actions: [x], modifiers: { mfa_required: true, ip_ranges: [10.0.0.0/8] } }
  a: { effect: ALLOW, resource_type: a/b, actions: [x], unless: { mfa_required: true } }
  u: { effect: DENY, resource_type: a/b, actions: [x], unless: { mfa: true } }
  ok: { effect: DENY, resource_type: a/b, actions: [x], modifiers: { ip_ranges: [10.0.0.0/8] }, unless: { mfa_required: true } }
`,
      [
        'a.yaml:4:83: policy/d: modifiers.mfa_required: true in a DENY denies those with a second factor and lets those without one pass: take it out, and write `unless: { mfa_required: true }`, which denies unless there is one.',
        'a.yaml:5:65: policy/a: unless: is for a DENY: of an ALLOW, `modifiers` say what it requires.',
        'a.yaml:6:66: policy/u: unless: the key "mfa" is not known: write one of ip_ranges, time_windows, mfa_required.',
      ],
    ],
    [
      'of a policy over many types names them, or all of its application',
      `${V}applications:
  a:
    policies:
      ok: { effect: ALLOW, resource_types: [b, c], actions: [x] }
      all: { effect: ALLOW, resource_types: ["*"], actions: [x] }
      both: { effect: ALLOW, resource_type: b, resource_types: [b, c], actions: [x] }
      more: { effect: ALLOW, resource_types: ["*", b], actions: [x] }
      none: { effect: ALLOW, resource_types: [], actions: [x] }
      text: { effect: ALLOW, resource_types: "*", actions: [x] }
policies:
  t: { effect: ALLOW, resource_types: ["*"], actions: [x] }
external: [application/a, resource_type/a/b, resource_type/a/c]
`,
      [
        'a.yaml:7:64: policy/a/both: resource_types: stands beside `resource_type`: name all types here.',
        'a.yaml:8:46: policy/a/more: resource_types: "*" stands for all types: name no other beside it.',
        'a.yaml:9:46: policy/a/none: resource_types: must name at least one type, or "*".',
        'a.yaml:10:46: policy/a/text: resource_types: is the text "*", a list is expected: write ["*"].',
        'a.yaml:12:39: policy/t: resource_types: of a policy of the tenant names its types: "*" stands for those of a policy\'s application.',
      ],
    ],
    [
      'deep in a policy has its own place',
      `${V}external: [resource/a/b/c]
policies:
  r:
    effect: ALLOW
    resources:
      - { resource: a/b/c, actions: [x, ""], foo: 1 }
      - { resource: b, actions: [] }
    modifiers:
      mfa_required: yes
      ip_rages: []
      ip_ranges: [10.0.0.0/99, "::/6.4"]
      time_windows:
        - { days: [monday], start: 9:00, end: "10:00", zone: Berlin, strat: 1 }
        - { days: [] }
`,
      [
        'a.yaml:7:41: policy/r: resources[0].actions[1]: "" must not be empty.',
        'a.yaml:7:46: policy/r: resources[0]: the key "foo" is not known: write one of resource, actions, below.',
        'a.yaml:8:21: policy/r: resources[1].resource: "b" is no path of a resource: write APPLICATION/TYPE/NAME.',
        'a.yaml:8:33: policy/r: resources[1].actions: must name at least one action, or "*".',
        'a.yaml:10:21: policy/r: modifiers.mfa_required: is the text "yes": write true, without quotes.',
        'a.yaml:11:7: policy/r: modifiers: the key "ip_rages" is not known: did you mean "ip_ranges"?',
        'a.yaml:12:19: policy/r: modifiers.ip_ranges[0]: is the text "10.0.0.0/99": must be an IP address or CIDR range like "10.0.0.0/8".',
        'a.yaml:12:32: policy/r: modifiers.ip_ranges[1]: "::/6.4" must be an IP address or CIDR range like "10.0.0.0/8".',
        'a.yaml:14:20: policy/r: modifiers.time_windows[0].days[0]: is the text "monday": write one of mon, tue, wed, thu, fri, sat, sun.',
        'a.yaml:14:36: policy/r: modifiers.time_windows[0].start: "9:00" must be a time of day like "09:30".',
        'a.yaml:14:62: policy/r: modifiers.time_windows[0].zone: "Berlin" must be an IANA time zone like "Europe/Berlin" or "UTC".',
        'a.yaml:14:70: policy/r: modifiers.time_windows[0]: the key "strat" is not known: did you mean "start"?',
        'a.yaml:15:11: policy/r: modifiers.time_windows[1].start: is missing: write a text.',
        'a.yaml:15:11: policy/r: modifiers.time_windows[1].end: is missing: write a text.',
        'a.yaml:15:19: policy/r: modifiers.time_windows[1].days: is an empty list: name at least one.',
      ],
    ],
    [
      'holding any JSON refuses what JSON cannot hold, and numbers that others read otherwise',
      `${V}subjects:\n  user/a:\n    name: 5\n    properties: { b: 010, c: .inf, d: 12345678901234567890, __proto__: 1, e: [.nan], "": 1 }\n`,
      [
        'a.yaml:4:11: subject/user/a: name: is the number 5, a text is expected: write "5" in quotes.',
        'a.yaml:5:22: subject/user/a: properties: 010 is the number 10, and other programs read another: write 10, or "010" in quotes.',
        'a.yaml:5:30: subject/user/a: properties: .inf is no number in JSON: write a finite one, or ".inf" in quotes.',
        'a.yaml:5:39: subject/user/a: properties: 12345678901234567890 is too large to be kept exactly: write "12345678901234567890" in quotes.',
        'a.yaml:5:61: subject/user/a: properties: the key "__proto__" cannot be kept: choose another name.',
        'a.yaml:5:79: subject/user/a: properties: .nan is no number in JSON: write a finite one, or ".nan" in quotes.',
      ],
    ],
    [
      'is reported beside the faults of the same record',
      `${BILLING}    policies:\n      p: { effect: X, resource_type: invoice, actions: [raed], condition: "1 +" }\n`,
      [
        'a.yaml:7:20: policy/billing/p: effect: is the text "X": write one of ALLOW, DENY.',
        'a.yaml:7:57: policy/billing/p: The type "billing/invoice" has no action "raed": did you mean "read"?',
        'a.yaml:7:79: policy/billing/p: The condition is not valid (at character 4): does not parse: it ends too early',
      ],
    ],
  ]);
});

it('sorts faults by file and place', () => {
  const { faults } = readManifest([
    { path: 'b.yaml', text: 'x: 1\n' },
    { path: 'a.yaml', text: `${V}y: 1\nx: 1\n` },
  ]);
  expect(faults.map(({ file, line }) => `${file}:${line}`)).toEqual(['a.yaml:2', 'a.yaml:3', 'b.yaml:1']);
});

it('warns of a name of the tenant that looks like the path of an application', () => {
  const { faults, warnings } = read(`${V}applications: { billing: }\nroles: { billing/clerk: , a/b: }\n`);
  expect(faults).toEqual([]);
  expect(warnings.map(faultText)).toEqual([
    'a.yaml:3:10: role/billing%2Fclerk: the "/" is part of the name: if the application\'s role is meant, declare it under applications.billing.roles.',
  ]);
});

it('warns of a text that stands twice in a set, and not in a property', () => {
  const text = `${V}applications:
  billing:
    resource_types: { invoice: { actions: [read, pay, read, read] } }
    policies: { p: { effect: ALLOW, resource_type: invoice, actions: [pay, pay], assigned_to: [user/a] } }
subjects: { user/a: { properties: { list: [x, x] } } }
`;
  const { faults, warnings } = read(text);
  expect(faults).toEqual([]);
  expect(warnings.map(faultText)).toEqual([
    'a.yaml:4:55: resource_type/billing/invoice: actions: "read" stands twice in one list: remove one of them.',
    'a.yaml:4:61: resource_type/billing/invoice: actions: "read" stands twice in one list: remove one of them.',
    'a.yaml:5:76: policy/billing/p: actions: "pay" stands twice in one list: remove one of them.',
  ]);
});

it('keeps warnings apart', () => {
  const text = `${BILLING}    resources:
      A: { type: invoice, properties: { amuont: 5, flag: yes } }
    policies:
      d: { effect: DENY, resource_type: invoice, actions: [read], condition: context.x == 1 }
      e: { effect: DENY, resource_type: invoice, actions: [read], condition: 'context["x y"] == 1' }
`;
  const { faults, warnings } = read(text);
  expect(faults).toEqual([]);
  expect(warnings.map(faultText)).toEqual([
    'a.yaml:7:49: resource/billing/invoice/A: The type "billing/invoice" declares no property "amuont": did you mean "amount"?',
    'a.yaml:7:58: resource/billing/invoice/A: properties: yes is a text in YAML 1.2: write true or false, or "yes" in quotes.',
    'a.yaml:7:58: resource/billing/invoice/A: The type "billing/invoice" declares no property "flag": declare it there, or take it out.',
  ]);
});
