import { describe, expect, it } from 'vitest';
import { faultText, type ManifestResult } from './manifest.js';
import { readManifest } from './read.js';

/** Reads one text as `a.yaml`, several as `a.yaml`, `b.yaml`, … */
function read(...texts: string[]): ManifestResult {
  return readManifest(texts.map((text, index) => ({ path: `${'abcdef'[index]}.yaml`, text })));
}

type Row = [behaviour: string, texts: string | string[], faults: string[]];

function table(rows: Row[]): void {
  it.each(rows)('%s', (_, texts, faults) => {
    expect(read(...[texts].flat()).faults.map(faultText)).toEqual(faults);
  });
}

const V = 'version: 1\n';
const BILLING = `${V}applications:
  billing:
    resource_types:
      invoice: { actions: [read, approve], properties: { amount: number } }
`;

describe('a text that is not YAML', () => {
  table([
    [
      'says where a quote is not closed',
      `${V}roles: { a: { description: "x } }\n`,
      ['a.yaml:3:1: Missing closing "quote.'],
    ],
    [
      'asks for spaces where a tab indents',
      `${V}groups:\n\ta: {}\n`,
      ['a.yaml:3:1: Tabs are not allowed as indentation. Indent with spaces.'],
    ],
    [
      'asks for quotes around a star',
      `${V}policies: { p: { actions: [*] } }\n`,
      [
        'a.yaml:2:28: Alias cannot be an empty string. A value that begins with "*" is an alias in YAML: put it in quotes if the text is meant.',
      ],
    ],
    [
      'asks for quotes around an exclamation mark',
      `${V}policies:\n  p:\n    condition: !has(context.x)\n`,
      [
        'a.yaml:4:16: Unresolved tag: !has(context.x). A value that begins with "!" is a tag in YAML: put it in quotes if the text is meant.',
      ],
    ],
    [
      'asks for quotes around a colon',
      `${V}roles:\n  a:\n    description: foo: bar\n`,
      ['a.yaml:4:18: Nested mappings are not allowed in compact mappings. Put a text that holds ": " in quotes.'],
    ],
    [
      'asks for quotes around a reserved sign',
      `${V}roles:\n  a:\n    description: @x\n`,
      ['a.yaml:4:18: Plain value cannot start with reserved character @. Put the value in quotes.'],
    ],
    [
      'reports every document and file',
      [`${V}---\na: [\n---\nb: {\n`, 'c: "'],
      [
        'a.yaml:4:1: Flow sequence in block collection must be sufficiently indented and end with a ].',
        'a.yaml:6:1: Flow map in block collection must be sufficiently indented and end with a }.',
        'b.yaml:1:5: Missing closing "quote.',
      ],
    ],
    [
      'refuses control characters',
      `${V}roles:\n  a: { description: "\u0000" }\n`,
      ['a.yaml:3:22: The control character U+0000 is not allowed in YAML: remove it, or save the file as UTF-8.'],
    ],
    [
      'refuses what is not UTF-8',
      `${V}roles:\n  \ufffd: {}\n`,
      ['a.yaml:3:3: The file is not valid UTF-8: save it as UTF-8.'],
    ],
    [
      'refuses YAML 1.1',
      '%YAML 1.1\n---\nversion: 1\n',
      ['a.yaml:1:1: %YAML 1.1 gives words like "yes" another meaning: remove the line, YAML 1.2 is read.'],
    ],
    [
      'refuses an alias without an anchor',
      `${V}groups:\n  a: *x\n`,
      ['a.yaml:3:6: The alias *x has no anchor &x before it: add it, or put the value in quotes.'],
    ],
    [
      'refuses an alias within its own anchor',
      `${V}subjects: { user/a: { properties: { x: &x [1, *x] } } }\n`,
      ['a.yaml:2:47: The alias *x stands inside its own anchor.'],
    ],
    [
      'refuses depth in brackets',
      `${V}groups: ${'['.repeat(100_000)}`,
      ['a.yaml:2:72: Nested deeper than 64 levels: flatten it.'],
    ],
    [
      'refuses depth by indentation',
      `${V}groups:\n${lines(3000, (n) => `${' '.repeat(n + 1)}a:\n`)}`,
      ['a.yaml:65:65: Nested deeper than 64 levels: flatten it.'],
    ],
    [
      'refuses depth of lists',
      `${V}groups:\n ${'- '.repeat(3000)}x`,
      ['a.yaml:3:127: Nested deeper than 64 levels: flatten it.'],
    ],
  ]);

  it('refuses a file beyond the bound', () => {
    const [fault] = read(`${V}#${'x'.repeat(9 * 1024 * 1024)}`).faults;
    expect(fault?.detail).toBe('The file has 9437196 characters, more than the 8388608 allowed: split it.');
  });

  it('refuses aliases that stand for too much, without writing them out', () => {
    const letters = [...'bcdefghij'];
    const bomb = letters.map(
      (name, index) => `      ${name}: &${name} [${Array(10).fill(`*${'abcdefghij'[index]}`).join(', ')}]\n`,
    );
    const text = `${V}subjects:\n  user/a:\n    properties:\n      a: &a [1, 2, 3, 4, 5, 6, 7, 8, 9, 0]\n${bomb.join('')}`;
    expect(read(text).faults.map(faultText)).toEqual([
      'a.yaml:9:42: Aliases stand for more than 100000 values, or too deep ones: write fewer of them.',
    ]);
  });

  it('does not report what is mentioned as missing where it may be declared in what could not be read', () => {
    const groups = `${V}groups: { g: { members: [user/alice, user/alyce] } }\n`;
    expect(read(groups, 'subjects:\n  user/alice: {\n').faults.map(faultText)).toEqual([
      'a.yaml:2:38: group_membership/g//subject/user/alyce: Subject "user/alyce" does not exist: declare it, or correct the name.',
      'b.yaml:3:1: Flow map in block collection must be sufficiently indented and end with a }.',
    ]);
  });
});

describe('a tree', () => {
  table([
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
        'b.yaml:1:8: stack: is "b" here and "a" at a.yaml:2:8: say one.',
        'c.yaml:1:9: tenant: is "u" here and "t" at a.yaml:3:9: say one.',
      ],
    ],
    [
      'does not take the name of the API',
      `${V}stack: api\n`,
      ['a.yaml:2:8: stack: "api" owns what is written over HTTP, and would be pruned: choose another name.'],
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
      'knows its keys',
      `${V}polices: {}\nx: 1\n`,
      [
        'a.yaml:2:1: the key "polices" is not known: did you mean "policies"?',
        'a.yaml:3:1: the key "x" is not known: write one of version, tenant, stack, moved, external, applications, roles, policies, groups, subjects, api_keys, oauth_clients, role_assignments, policy_assignments, group_memberships.',
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
  table([
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
        'a.yaml:8:18: applications.billing.resources.B: type: other/invoice is a type of another application: declare the resource there.',
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
  table([
    [
      'that is not known is named with the nearest known one',
      `${V}groups: { g: { membrs: [], descripton: x, zzz: 1 } }\n`,
      [
        'a.yaml:2:16: group/g: the key "membrs" is not known: did you mean "members"?',
        'a.yaml:2:28: group/g: the key "descripton" is not known: did you mean "description"?',
        'a.yaml:2:43: group/g: the key "zzz" is not known: write one of description, members, roles, policies.',
      ],
    ],
    [
      'of the wrong type says what it is and what is expected',
      `${V}api_keys:\n  a: { scopes: bundle }\n  b: { scopes: [bundel], description: 5 }\n  c: { scopes: [] }\n  d:\n  e: { scopes: [1], expires_at: 2027-01-01 }\n  f: { scopes: { a: b }, description: }\n  g: 5\n`,
      [
        'a.yaml:3:16: api_key/a: scopes: is the text "bundle", a list is expected: write [bundle].',
        'a.yaml:4:17: api_key/b: scopes[0]: "bundel" is not known here: did you mean "bundle"? Write one of decisions, bundle, records:read, records:write, credentials.',
        'a.yaml:4:39: api_key/b: description: is the number 5, a text is expected: write "5" in quotes.',
        'a.yaml:5:16: api_key/c: scopes: must name at least one scope.',
        'a.yaml:6:3: api_key/d: scopes: is missing: write a list.',
        'a.yaml:7:17: api_key/e: scopes[0]: is the number 1: write one of decisions, bundle, records:read, records:write, credentials.',
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
        'a.yaml:5:3: policy/r: covers nothing: give `resource_type` and `actions`, or `resources`.',
        'a.yaml:6:37: policy/s: Resource type "a/b" does not exist: declare it, or correct the name.',
        'a.yaml:6:53: policy/s: resources: is an empty list: name at least one.',
        'a.yaml:7:16: policy/t: effect: is the number 5: write one of ALLOW, DENY.',
        'a.yaml:7:29: policy/t: priority: is the number 2000000: write one that is at most 1000000.',
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
      ip_ranges: [10.0.0.0/99]
      time_windows:
        - { days: [monday], start: 9:00, end: "10:00", zone: Berlin, strat: 1 }
        - { days: [] }
`,
      [
        'a.yaml:7:41: policy/r: resources[0].actions[1]: "" must not be empty.',
        'a.yaml:7:46: policy/r: resources[0]: the key "foo" is not known: write one of resource, actions.',
        'a.yaml:8:21: policy/r: resources[1].resource: "b" is no path of a resource: write APPLICATION/TYPE/NAME.',
        'a.yaml:8:33: policy/r: resources[1].actions: must name at least one action, or "*".',
        'a.yaml:10:21: policy/r: modifiers.mfa_required: is the text "yes": write true, without quotes.',
        'a.yaml:11:7: policy/r: modifiers: the key "ip_rages" is not known: did you mean "ip_ranges"?',
        'a.yaml:12:19: policy/r: modifiers.ip_ranges[0]: is the text "10.0.0.0/99": must be an IP address or CIDR range like "10.0.0.0/8".',
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
        'a.yaml:7:79: policy/billing/p: The condition is not valid (at character 4): does not parse: unexpected token: EOF',
      ],
    ],
  ]);
});

describe('a declaration', () => {
  table([
    [
      'stands once in all files',
      [`${V}groups:\n  g: {}\n`, 'groups:\n  g: {}\n'],
      ['b.yaml:2:3: group/g: is declared twice, first at a.yaml:3:3: keep one of them.'],
    ],
    [
      'of an application may be continued, but its fields stand once',
      [
        `${V}applications: { b: { description: x, roles: { r: } } }\n`,
        'applications: { b: { description: y, rolez: {}, roles: { r: {} } } }\n',
        'applications: { b: { roles: { s: {} } }, c: 5 }\n',
      ],
      [
        'b.yaml:1:17: application/b: is declared twice, first at a.yaml:2:17: say its own fields in one place.',
        'b.yaml:1:38: application/b: the key "rolez" is not known: did you mean "roles"?',
        'b.yaml:1:58: role/b/r: is declared twice, first at a.yaml:2:47: keep one of them.',
        'c.yaml:1:45: applications.c: is the number 5, a mapping is expected.',
      ],
    ],
    [
      'of a link stands once, however it is said',
      `${V}roles: { r: { assigned_to: [user/a, user/a] } }\nsubjects: { user/a: { roles: [r] } }\nrole_assignments: [{ role: r, to: subject/user/a }]\n`,
      [
        'a.yaml:2:37: role_assignment/r//subject/user/a: is declared twice, first at a.yaml:2:29: keep one of them.',
        'a.yaml:3:31: role_assignment/r//subject/user/a: is declared twice, first at a.yaml:2:29: keep one of them.',
        'a.yaml:4:20: role_assignment/r//subject/user/a: is declared twice, first at a.yaml:2:29: keep one of them.',
      ],
    ],
    [
      'of names that mean one record stands once',
      `${V}subjects: { user/a b: {}, user/a%20b: {} }\n`,
      ['a.yaml:2:27: subject/user/a%20b: is declared twice, first at a.yaml:2:13: keep one of them.'],
    ],
    [
      'of what is external is a contradiction',
      [`${V}external: [role/r, application/b]\n`, 'roles: { r: {} }\napplications: { b: { description: x } }\n'],
      [
        'a.yaml:2:12: external[0]: role/r is declared here, at b.yaml:1:10: remove one of the two.',
        'b.yaml:2:22: application/b: is external, so "description" is not this tree\'s to say: remove it.',
      ],
    ],
  ]);
});

describe('a link', () => {
  table([
    [
      'names a record of a fitting kind',
      `${V}groups:\n  finance:\n    members: [role/x, bob, alice, 5, null, {member: user/alice, expires: 1}, {}, [a], user/]\nsubjects: { user/alice: {} }\nexternal: [role/x]\n`,
      [
        'a.yaml:4:15: group/finance: members[0]: "role/x" is a role: only a subject or a group may stand here.',
        'a.yaml:4:23: group/finance: members[1]: "bob" does not say of what kind it is: write TYPE/ID for a subject, group/NAME or role/PATH.',
        'a.yaml:4:28: group/finance: members[2]: "alice" does not say of what kind it is: did you mean "user/alice"?',
        'a.yaml:4:35: group/finance: members[3]: is the number 5, a text is expected: write "5" in quotes.',
        'a.yaml:4:38: group/finance: members[4]: is empty: write a text, or remove it.',
        'a.yaml:4:65: group/finance: members[5]: the key "expires" is not known: write one of member, expires_at.',
        'a.yaml:4:78: group/finance: members[6]: the key "member" is missing: add it.',
        'a.yaml:4:82: group/finance: members[7]: is a list: write a text, or a mapping with "member".',
        'a.yaml:4:87: group/finance: members[8]: "user/" has an empty name: write no "/" at an end, nor two.',
      ],
    ],
    [
      'names one that exists',
      `${V}groups:\n  finance: { members: [user/alise, group/fnance], roles: [auditr], policies: [x/y] }\nsubjects: { user/alice: {} }\nroles: { auditor: {} }\n`,
      [
        'a.yaml:3:24: group_membership/finance//subject/user/alise: Subject "user/alise" does not exist: did you mean "user/alice"?',
        'a.yaml:3:36: group_membership/finance//group/fnance: Group "fnance" does not exist: did you mean "finance"?',
        'a.yaml:3:59: role_assignment/auditr//group/finance: Role "auditr" does not exist: did you mean "auditor"?',
        'a.yaml:3:79: policy_assignment/x/y//group/finance: Policy "x/y" does not exist: declare it, or correct the name.',
      ],
    ],
    [
      'in a list of its own says both ends',
      `${V}role_assignments: [{ role: x }, 5, { role: role/b/c, to: user/a, expires_at: x }]\ngroup_memberships: [{ group: g, to: user/a }]\n`,
      [
        'a.yaml:2:20: role_assignments[0]: the key "to" is missing: add it.',
        'a.yaml:2:33: role_assignments[1]: is the number 5, a mapping is expected.',
        'a.yaml:2:44: role_assignments[2]: "role/b/c" is no path of a role: leave out "role/".',
        'a.yaml:3:21: group_memberships[0]: the key "member" is missing: add it.',
        'a.yaml:3:33: group_memberships[0]: the key "to" is not known: write one of group, member, expires_at.',
      ],
    ],
    [
      'ends at a moment with a zone',
      `${V}roles: { r: { assigned_to: [{ to: user/a, expires_at: 2027-01-31 }] } }\nsubjects: { user/a: }\n`,
      [
        'a.yaml:2:55: role_assignment/r//subject/user/a: expires_at: "2027-01-31" must be an RFC 3339 date and time with a zone, like "2027-01-31T18:00:00Z".',
      ],
    ],
    [
      'is an item of a list',
      `${V}roles: { a: { assigned_to: user/x } }\n`,
      ['a.yaml:2:28: role/a: assigned_to: is the text "user/x", a list is expected: write [user/x].'],
    ],
    [
      'inside an application says which of two it means',
      `${V}applications: { b: { roles: { auditor: {}, x: {} }, resource_types: { t: { actions: [r] } }, policies: { p: { effect: ALLOW, resource_type: t, actions: [r], assigned_to: [role/auditor, role/x, role/y, role/z] } } } }\nroles: { auditor: {}, y: {} }\n`,
      [
        'a.yaml:2:172: policy/b/p: assigned_to[0]: "role/auditor" fits role/b/auditor and role/auditor: write "role/b/auditor" for the one; for the other, put this into "policy_assignments" at the top of a file.',
        'a.yaml:2:202: policy_assignment/b/p//role/b/z: Role "b/z" does not exist: did you mean "b/x"?',
      ],
    ],
    [
      'closes no circle of groups',
      `${V}groups:\n  a: { members: [group/b] }\n  b: { members: [group/c] }\n  c:\n    members: [group/a]\n  d: { members: [group/d] }\n`,
      [
        'a.yaml:6:15: group_membership/c//group/a: Groups hold each other in a circle: a → b → c → a. Take one of these memberships out.',
        'a.yaml:7:18: group_membership/d//group/d: Groups hold each other in a circle: d → d. Take one of these memberships out.',
      ],
    ],
  ]);
});

describe('a policy', () => {
  table([
    [
      'names resources that exist, found again after sorting',
      `${V}policies: { p: { effect: DENY, resources: [{ resource: b/t/z, actions: [r] }, { resource: b/t/a, actions: [w, r] }] } }\n`,
      [
        'a.yaml:2:56: policy/p: Resource "b/t/z" does not exist: declare it, or correct the name.',
        'a.yaml:2:91: policy/p: Resource "b/t/a" does not exist: declare it, or correct the name.',
      ],
    ],
    [
      'names actions that its type has',
      `${BILLING}    policies:\n      p: { effect: ALLOW, resource_type: invoice, actions: [reed, "*", approve, aprove] }\n`,
      [
        'a.yaml:7:61: policy/billing/p: The type "billing/invoice" has no action "reed": did you mean "read"?',
        'a.yaml:7:81: policy/billing/p: The type "billing/invoice" has no action "aprove": did you mean "approve"?',
      ],
    ],
    [
      'has a condition that parses, with the place inside',
      `${BILLING}    policies:\n      p:\n        effect: ALLOW\n        resource_type: invoice\n        actions: [read]\n        condition: resource.properties.amount <\n`,
      [
        'a.yaml:11:48: policy/billing/p: The condition is not valid (at character 29): does not parse: unexpected token: EOF',
      ],
    ],
    [
      'has a condition that fits the types, with the place inside a block',
      `${BILLING}    policies:\n      p:\n        effect: ALLOW\n        resource_type: invoice\n        actions: [read]\n        condition: |\n          resource.properties.amount < 10 &&\n            resource.properties.amonut == 5\n`,
      [
        'a.yaml:13:33: policy/billing/p: The condition is not valid (at character 58): the resource type declares no property "amonut": did you mean "amount"?',
      ],
    ],
    [
      'has a condition that fits the types, with the place inside quotes',
      `${BILLING}    policies:\n      p:\n        effect: ALLOW\n        resource_type: invoice\n        actions: [read]\n        condition: "\\"a\\" == \\"b\\" ||\n          resource.properties.amonut == 5"\n`,
      [
        'a.yaml:12:31: policy/billing/p: The condition is not valid (at character 35): the resource type declares no property "amonut": did you mean "amount"?',
      ],
    ],
  ]);
});

describe('a resource', () => {
  table([
    [
      'has the properties that its type declares',
      `${BILLING}    resources:\n      A: { type: invoice, properties: { amount: "5" } }\n`,
      [
        'a.yaml:7:49: resource/billing/invoice/A: The property "amount" is a string, but the type "billing/invoice" declares it as number.',
      ],
    ],
  ]);
});

describe('a move', () => {
  table([
    [
      'names two addresses of one kind',
      `${V}groups: { b: {} }\nmoved:\n  - { from: group/a, to: group/b }\n  - { from: group/a, to: group/b }\n  - { from: grop/a, to: role/x }\n  - { from: group/x, to: role/b }\n  - { from: group/x }\n  - x\n  - { from: group/z, to: group/z, too: 1 }\n`,
      [
        'a.yaml:5:5: moved[1]: moves from group/a, as a.yaml:4:5 does: keep one of them.',
        'a.yaml:6:13: moved[2]: from: "grop/a" is no address: write the kind and the names, like "role/billing/accountant" or "subject/user/alice". Did you mean "group/a"?',
        'a.yaml:7:5: moved[3]: moves a group to a role: both addresses must be of one kind.',
        'a.yaml:8:5: moved[4]: the key "to" is missing: add it.',
        'a.yaml:9:5: moved[5]: is the text "x": write { from: ADDRESS, to: ADDRESS }.',
        'a.yaml:10:5: moved[6]: moves "group/z" to itself: remove the entry.',
        'a.yaml:10:35: moved[6]: the key "too" is not known: did you mean "to"?',
      ],
    ],
    [
      'leads from what is gone to what is there',
      `${V}groups: { a: {}, b: {} }\nmoved:\n  - { from: group/a, to: group/b }\n  - { from: group/x, to: group/y }\n  - { from: group/y, to: group/z }\n`,
      [
        'a.yaml:4:5: moved[0]: moves from group/a, which is still declared at a.yaml:2:11: remove one of the two.',
        'a.yaml:6:5: moved[2]: moves to group/z, which is not declared: declare it, or remove the move.',
      ],
    ],
  ]);
});

describe('an external record', () => {
  table([
    [
      'is named by an address',
      `${V}external: [rolle/x, role/a/b/c, 5, role/, x, role_assignment/r]\n`,
      [
        'a.yaml:2:12: external[0]: "rolle/x" is no address: write the kind and the names, like "role/billing/accountant" or "subject/user/alice". Did you mean "role/x"?',
        'a.yaml:2:21: external[1]: "a/b/c" is no path of a role: write APPLICATION/ROLE, or ROLE for one of the tenant, with "/" in a name as "%2F".',
        'a.yaml:2:33: external[2]: is the number 5, an address is expected: write one like "role/billing/accountant".',
        'a.yaml:2:36: external[3]: "role/" is no address: write the kind and the names, like "role/billing/accountant" or "subject/user/alice".',
        'a.yaml:2:43: external[4]: "x" is no address: write the kind and the names, like "role/billing/accountant" or "subject/user/alice".',
        'a.yaml:2:46: external[5]: "role_assignment/r" is no address of a role assignment: join its two ends by "//".',
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

it('keeps warnings apart', () => {
  const text = `${BILLING}    resources:
      A: { type: invoice, properties: { amuont: 5, flag: yes } }
    policies:
      d: { effect: DENY, resource_type: invoice, actions: [read], condition: context.x == 1 }
`;
  const { faults, warnings } = read(text);
  expect(faults).toEqual([]);
  expect(warnings.map(faultText)).toEqual([
    'a.yaml:7:49: resource/billing/invoice/A: The type "billing/invoice" declares no property "amuont": did you mean "amount"?',
    'a.yaml:7:58: resource/billing/invoice/A: properties: yes is a text in YAML 1.2: write true or false, or "yes" in quotes.',
    'a.yaml:7:58: resource/billing/invoice/A: The type "billing/invoice" declares no property "flag": declare it there, or take it out.',
    'a.yaml:9:78: policy/billing/d: This DENY reads context.x without has(): it denies whenever one is absent. Ask "has(context.x)" first if that is not meant.',
  ]);
});

function lines(count: number, line: (number: number) => string): string {
  return Array.from({ length: count }, (_, index) => line(index)).join('');
}
