import { describe, expect, it } from 'vitest';
import { BILLING, faultTable, read, V } from '../../testing/fault-table.js';

describe('a declaration', () => {
  faultTable([
    [
      'of parents with one property is one fault, whatever lies in them',
      `${V}applications:
  docs:
    resource_types:
      folder: { actions: [list] }
      project: { actions: [list] }
      page: { actions: [read], parents: [{ type: folder, property: in }, { type: project, property: in }] }
    resources: { hr: { type: folder }, plan: { type: page, parents: [folder/hr] } }
    policies:
      p: { effect: ALLOW, resources: [{ resource: folder/hr, actions: [read], below: true }], assigned_to: [everyone] }
`,
      ['a.yaml:7:41: resource_type/docs/page: parents: names a property twice: give each type a property of its own.'],
    ],
    [
      'of an inclusion that fits two roles is one fault, and no circle',
      `${V}applications: { docs: { roles: { viewer: { includes: [viewer] } } } }\nroles: { viewer: {} }\n`,
      [
        'a.yaml:2:55: role/docs/viewer: includes[0]: "viewer" fits role/docs/viewer and role/viewer: write "docs/viewer" for the one, "/viewer" for the other.',
      ],
    ],
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
  faultTable([
    [
      'names a record of a fitting kind',
      `${V}groups:\n  finance:\n    members: [role/x, bob, alice, 5, null, {member: user/alice, expires: 1}, {}, [a], user/]\nsubjects: { user/alice: {} }\nexternal: [role/x]\n`,
      [
        'a.yaml:4:15: group/finance: members[0]: "role/x" is a role: only a subject or a group may stand here.',
        'a.yaml:4:23: group/finance: members[1]: "bob" does not say of what kind it is: write TYPE/ID for a subject, group/NAME or role/PATH.',
        'a.yaml:4:28: group/finance: members[2]: "alice" does not say of what kind it is: did you mean "user/alice"?',
        'a.yaml:4:35: group/finance: members[3]: is the number 5, a text is expected: write "5" in quotes.',
        'a.yaml:4:38: group/finance: members[4]: is empty: write a text, or remove it.',
        'a.yaml:4:65: group/finance: members[5]: the key "expires" is not known: write one of member, starts_at, expires_at.',
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
        'a.yaml:3:79: policy_assignment/x/y//group/finance: Policy "x/y" does not exist: declare it, correct the name, or list it under "external" if another stack declares it.',
      ],
    ],
    [
      'is told the kind, the application or the slash that it lacks',
      `${V}applications: { b: { roles: { clerk: {} } } }\ngroups:\n  g: { members: ["user:alice", "user:zoe"], roles: [clerk] }\npolicies: { p: { effect: ALLOW, resource_type: b/t, actions: [a], assigned_to: [b/clerk] } }\nsubjects: { user/alice: {}, "user:bob": {} }\nexternal: [resource_type/b/t]\n`,
      [
        'a.yaml:4:18: group/g: members[0]: "user:alice" does not say of what kind it is: did you mean "user/alice"?',
        'a.yaml:4:32: group/g: members[1]: "user:zoe" does not say of what kind it is: write TYPE/ID for a subject, group/NAME or role/PATH.',
        'a.yaml:4:53: role_assignment/clerk//group/g: Role "clerk" does not exist: did you mean "b/clerk"?',
        'a.yaml:5:81: policy_assignment/p//subject/b/clerk: Subject "b/clerk" does not exist, but there is a role of that path: if it is meant, write "role/b/clerk".',
        'a.yaml:6:29: subjects.user:bob: "user:bob" is no path of a subject: write "user/bob".',
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
        'a.yaml:3:33: group_memberships[0]: the key "to" is not known: write one of group, member, starts_at, expires_at.',
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
      'to everyone names no more than a type, and is no membership',
      `${V}groups: { g: { members: [everyone, everyone/user] } }\nroles: { r: { assigned_to: [everyone, everyone/user, everyone/user/kim, everyone/, everyone/everyone, everyone/Everyone] } }\n`,
      [
        'a.yaml:2:26: group/g: members[0]: "everyone" is everyone: only a subject or a group may stand here.',
        'a.yaml:2:36: group/g: members[1]: "everyone/user" is everyone: only a subject or a group may stand here.',
        'a.yaml:3:54: role/r: assigned_to[2]: "everyone/user/kim" names no type of subjects: write "everyone/TYPE", or "everyone" for all.',
        'a.yaml:3:73: role/r: assigned_to[3]: "" has an empty name: write no "/" at an end, nor two.',
        'a.yaml:3:84: role_assignment/r//everyone/everyone: entity: "everyone" is no type of subjects: write one like "user" for everyone of that type, or "*" for everyone.',
        'a.yaml:3:103: role_assignment/r//everyone/Everyone: entity: "Everyone" is no type of subjects: write one like "user" for everyone of that type, or "*" for everyone.',
      ],
    ],
    [
      'to all is not taken for naming somebody',
      `${V}groups: { g: { members: ["user/*"] }, "*": {} }\nroles: { r: { assigned_to: ["*", "user/*", subject/user/*] } }\nsubjects: { "user/*": {}, everyone/kim: {}, "*/kim": {} }\nsubject_types: { everyone: {} }\n`,
      [
        'a.yaml:2:26: group/g: members[0]: "user/*" names no subject: write "everyone/user".',
        'a.yaml:2:39: group/*: name: "*" is no name, since it stands for all: choose another.',
        'a.yaml:3:29: role/r: assigned_to[0]: "*" names no subject: write "everyone".',
        'a.yaml:3:34: role/r: assigned_to[1]: "user/*" names no subject: write "everyone/user".',
        'a.yaml:3:44: role_assignment/r//subject/user/*: entity: "user/*" names no subject: for everyone of the type, write "user" with the entity_type "everyone".',
        'a.yaml:4:13: subject/user/*: id: "*" is no name, since it stands for all: choose another.',
        'a.yaml:4:27: subject/everyone/kim: type: "everyone" is no type of subjects, since it stands for all: choose another.',
        'a.yaml:4:45: subject/*/kim: type: "*" is no name, since it stands for all: choose another.',
        'a.yaml:5:18: subject_type/everyone: name: "everyone" is no type of subjects, since it stands for all: choose another.',
      ],
    ],
    [
      "of roles that include each other is no circle, and means the application's role or else the tenant's",
      `${V}applications:
  b:
    roles:
      a: { includes: [c] }
      c: { includes: [t, a] }
      d: { includes: [both, b/both, none] }
      both: { includes: [both] }
roles: { t: , both: , u: { includes: [b/a, t] } }
`,
      [
        'a.yaml:6:26: role/b/c: Roles include each other in a circle: b/a → b/c → b/a. Take one of these inclusions out.',
        'a.yaml:7:23: role/b/d: includes[0]: "both" fits role/b/both and role/both: write "b/both" for the one, "/both" for the other.',
        'a.yaml:7:37: role/b/d: Role "b/none" does not exist: declare it, correct the name, or list it under "external" if another stack declares it.',
        'a.yaml:8:26: role/b/both: includes[0]: "both" fits role/b/both and role/both: write "b/both" for the one, "/both" for the other.',
      ],
    ],
    [
      'begins before it ends',
      `${V}roles: { r: { assigned_to: [{ to: user/a, starts_at: "2027-01-31T19:00:00+01:00", expires_at: "2027-01-31T18:00:00Z" }] } }\nsubjects: { user/a: }\n`,
      [
        'a.yaml:2:54: role_assignment/r//subject/user/a: starts_at: "2027-01-31T19:00:00+01:00" is not before expires_at, "2027-01-31T18:00:00.000Z", so that this would never count: correct one of them.',
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
        'a.yaml:6:15: group_membership/c//group/a: Groups contain each other in a circle: a → b → c → a. Remove one of these memberships.',
        'a.yaml:7:18: group_membership/d//group/d: Groups contain each other in a circle: d → d. Remove one of these memberships.',
      ],
    ],
  ]);
});

describe('a policy', () => {
  faultTable([
    [
      'names resources that exist, found again after sorting',
      `${V}policies: { p: { effect: DENY, resources: [{ resource: b/t/z, actions: [r] }, { resource: b/t/a, actions: [w, r] }] } }\n`,
      [
        'a.yaml:2:56: policy/p: Resource "b/t/z" does not exist: declare it, correct the name, or list it under "external" if another stack declares it.',
        'a.yaml:2:91: policy/p: Resource "b/t/a" does not exist: declare it, correct the name, or list it under "external" if another stack declares it.',
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
        'a.yaml:11:48: policy/billing/p: The condition is not valid (at character 29): does not parse: it ends too early',
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
  faultTable([
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
  faultTable([
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
    [
      'may lead to its place by way of a renamed parent, and on from there',
      `${V}applications: { d: { roles: { z: {} } } }\nmoved:\n  - { from: role/a/x, to: role/a/y }\n  - { from: application/a, to: application/b }\n  - { from: application/b, to: application/d }\n  - { from: role/d/y, to: role/d/z }\n`,
      [],
    ],
    [
      'leads by way of a renamed parent to what is declared',
      `${V}applications: { d: {} }\nmoved:\n  - { from: role/a/x, to: role/a/y }\n  - { from: application/a, to: application/d }\n`,
      ['a.yaml:4:5: moved[0]: moves to role/a/y, which is not declared: declare it, or remove the move.'],
    ],
    [
      'leads somewhere',
      `${V}moved:\n  - { from: group/a, to: group/b }\n  - { from: group/b, to: group/a }\n`,
      [
        'a.yaml:3:5: moved[0]: The moves form a circle: group/b → group/a → group/b. Remove one of them.',
        'a.yaml:4:5: moved[1]: The moves form a circle: group/a → group/b → group/a. Remove one of them.',
      ],
    ],
    [
      'leads from what is gone also where names are exchanged',
      `${V}groups: { a: {}, b: {} }\nmoved:\n  - { from: group/a, to: group/b }\n  - { from: group/b, to: group/a }\n`,
      [
        'a.yaml:4:5: moved[0]: moves from group/a, which is still declared at a.yaml:2:11: remove one of the two, and make the renames one after the other.',
        'a.yaml:5:5: moved[1]: moves from group/b, which is still declared at a.yaml:2:18: remove one of the two, and make the renames one after the other.',
      ],
    ],
  ]);
});

describe('an external record', () => {
  it('may be a subject without its kind, as elsewhere', () => {
    const { faults, manifest } = read(`${V}external: [user/alice, subject/user/bob]\n`);
    expect(faults).toEqual([]);
    expect(manifest?.external).toEqual(['subject/user/alice', 'subject/user/bob']);
  });

  faultTable([
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
