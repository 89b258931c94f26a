import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Workbench } from './cli/workbench.js';

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.create();
});
afterAll(() => bench.close());

/** A store of every construct that is translated. */
const STORE = `name: Files
model: |
  model
    schema 1.1
  type user
  type team
    relations
      define member: [user, team#member]
  type org
    relations
      define member: [user]
      define admin: [user]
  type folder
    relations
      define org: [org]
      define parent: [folder]
      define owner: [user]
      define viewer: [user, user:*, team#member, org#member with office] or owner or viewer from parent or admin from org
  type file
    relations
      define folder: [folder]
      define viewer: viewer from folder
      define editor: [user with office] or owner from folder
  condition office(network: string, allowed: list<string>) {
    network in allowed
  }
tuple_files: [tuples.json, tuples.csv]
tuples:
  - { user: user:anne, relation: member, object: team:core }
  - { user: "team:core#member", relation: member, object: team:all }
  - { user: "team:all#member", relation: viewer, object: folder:root }
  - { user: folder:root, relation: parent, object: folder:sub }
  - { user: folder:sub, relation: folder, object: file:plan }
  - user: org:acme#member
    relation: viewer
    object: folder:sub
    condition: { name: office, context: { allowed: [hq] } }
tests:
  - name: direct, nested and inherited
    check:
      - { user: user:anne, object: file:plan, assertions: { viewer: true, editor: false } }
      - { user: user:bob, object: folder:root, assertions: { viewer: true } }
      - { user: user:bob, object: file:plan, assertions: { viewer: true, editor: false } }
      - { user: user:zoe, object: file:plan, assertions: { viewer: false } }
      - { user: "team:core#member", object: file:plan, assertions: { viewer: true } }
    list_objects:
      - { user: user:anne, type: folder, assertions: { viewer: [folder:root, folder:sub, folder:open], owner: [] } }
    list_users:
      - { object: folder:sub, user_filter: [{ type: user }], assertions: { viewer: { users: [user:anne, user:bob, user:otto] } } }
      - { object: folder:sub, user_filter: [{ type: team, relation: member }], assertions: { viewer: { users: ["team:core#member", "team:all#member"] } } }
      - { object: folder:open, user_filter: [{ type: user }], assertions: { viewer: { users: ["user:*"] } } }
  - name: conditions
    check:
      - { user: user:carl, object: file:plan, context: { network: hq }, assertions: { viewer: true } }
      - { user: user:carl, object: file:plan, context: { network: home }, assertions: { viewer: false } }
      - { user: user:carl, object: file:plan, assertions: { viewer: false } }
  - name: its own tuples
    tuples:
      - { user: user:zoe, relation: member, object: team:core }
    check:
      - { user: user:zoe, object: file:plan, assertions: { viewer: true } }
`;
const TUPLES_JSON = JSON.stringify([
  { user: 'user:bob', relation: 'owner', object: 'folder:root' },
  { user: 'org:acme', relation: 'org', object: 'folder:sub' },
  { user: 'user:otto', relation: 'admin', object: 'org:acme' },
  { user: 'user:*', relation: 'viewer', object: 'folder:open' },
]);
const TUPLES_CSV = `user_type,user_id,user_relation,relation,object_type,object_id,condition_name,condition_context
user,carl,,member,org,acme,,
user,dora,,editor,file,plan,office,"{""allowed"": [""lab""]}"
`;

describe('servicectl import openfga', () => {
  it('translates every construct, and its assertions hold', async () => {
    await bench.write({
      'files/store.fga.yaml': STORE,
      'files/tuples.json': TUPLES_JSON,
      'files/tuples.csv': TUPLES_CSV,
    });
    const imported = await bench.json([
      'import',
      'openfga',
      'files/store.fga.yaml',
      '--out',
      'files-tree',
      '--application',
      'files',
    ]);
    expect(imported).toMatchObject({ assertions: 16, inherited: { hierarchy: 3, groups: 1 } });
    expect(await bench.json(['validate', 'files-tree', '--strict'])).toMatchObject({ valid: true });
    expect(await bench.json(['test', 'files-tree'])).toMatchObject({ faults: [], failed: 0 });
  });

  it('grants what a tuple grants, and nothing without it: a changed tree fails its tests', async () => {
    const path = bench.path('files-tree/tenant.yaml');
    const text = await readFile(path, 'utf8');
    expect(text).toContain('team:core#member');
    await bench.write({ 'files-tree/more.yaml': 'groups: { "org:acme#member": { members: [user/zoe] } }\n' });
    const { code } = await bench.run(['test', 'files-tree']);
    expect(code).toBe(1);
  });

  it('reads modules, and tells their faults by file and line', async () => {
    const files = {
      'modular/fga.mod': "schema: '1.2'\ncontents:\n  - core.fga\n  - wiki.fga\n",
      'modular/core.fga': 'module core\ntype user\ntype org\n  relations\n    define admin: [user]\n',
      'modular/wiki.fga':
        'module wiki\ntype page\n  relations\n    define org: [org]\n    define edit: admin from org\n',
      'modular/store.fga.yaml': `model_file: fga.mod
tuple_file: tuples.yaml
tests:
  - check:
      - { user: user:anne, object: page:home, assertions: { edit: true } }
      - { user: user:bob, object: page:home, assertions: { edit: false } }
`,
      'modular/tuples.yaml':
        '- { user: user:anne, relation: admin, object: org:acme }\n- { user: org:acme, relation: org, object: page:home }\n',
    };
    await bench.write(files);
    expect(await bench.run(['import', 'openfga', 'modular/store.fga.yaml', '--out', 'modular-tree'])).toMatchObject({
      code: 0,
    });
    expect(await bench.json(['test', 'modular-tree'])).toMatchObject({ passed: 2, failed: 0 });
    await bench.write({ 'modular/wiki.fga': files['modular/wiki.fga'].replace('admin from org', 'admin from or') });
    const { stdout, code } = await bench.run([
      'import',
      'openfga',
      'modular/store.fga.yaml',
      '--out',
      'none',
      '--json',
    ]);
    expect(code).toBe(1);
    expect(stdout).toContain('modular/wiki.fga:5');
  });

  it.each([
    [
      'an intersection',
      'define reader: [user]\n      define both: [user] and reader',
      [],
      '8: doc#both is an intersection',
    ],
    [
      'an exclusion',
      'define banned: [user]\n      define reader: [user] but not banned',
      [],
      '8: doc#reader is an exclusion',
    ],
    [
      'a relation that is not defined',
      'define reader: [user] or raeder',
      [],
      '7: doc#reader names "raeder", which is no relation of doc: did you mean "reader"?',
    ],
    [
      'a relation that no parent has',
      'define parent: [doc]\n      define reader: [user] or reeder from parent',
      [],
      '8: doc#reader names "reeder", which is no relation of doc: did you mean "reader"?',
    ],
    [
      'a parent that is not defined',
      'define parent: [doc]\n      define reader: [user] or reader from parrent',
      [],
      '8: doc#reader names "parrent", which is no relation of doc: did you mean "parent"?',
    ],
    [
      'a type that is not defined',
      'define reader: [usr]',
      [],
      '7: doc#reader names "usr", which is no type: did you mean "user"?',
    ],
    [
      'a userset that is not defined',
      'define reader: [doc#raeder]',
      [],
      '7: doc#reader names "raeder", which is no relation of doc: did you mean "reader"?',
    ],
    [
      'a tuple that the model does not allow',
      'define reader: [user]',
      ['{ user: doc:2, relation: reader, object: doc:1 }'],
      '9: the model does not allow',
    ],
    [
      'a condition on where an object lies',
      'define parent: [doc with c]\n      define reader: [user] or reader from parent',
      ['{ user: doc:2, relation: parent, object: doc:1, condition: { name: c } }'],
      'the condition "c" on a tuple of "parent"',
    ],
    [
      'a function that conditions do not have',
      'define reader: [user with ip]',
      ['{ user: user:a, relation: reader, object: doc:1, condition: { name: ip } }'],
      'the condition "ip" cannot be said',
    ],
    [
      'groups in a circle',
      'define reader: [user, doc#reader]',
      [
        '{ user: "doc:2#reader", relation: reader, object: doc:1 }',
        '{ user: "doc:1#reader", relation: reader, object: doc:2 }',
      ],
      'groups cannot be in a circle',
    ],
    [
      'a name that no record can have',
      'define reader: [user]',
      ['{ user: "user:a\\0b", relation: reader, object: doc:1 }'],
      '"user:a\\u0000b" with its relations must not hold control characters',
    ],
    [
      'a name that is too long',
      'define reader: [user]',
      [`{ user: user:a, relation: reader, object: "doc:${'x'.repeat(250)}" }`],
      'must have at most 256 characters',
    ],
  ])('refuses %s, with its line, and writes nothing', async (name, relations, tuples, expected) => {
    const folder = name.replaceAll(' ', '-');
    await bench.write({
      [`${folder}.fga.yaml`]: `model: |
  model
    schema 1.1
  type user
  type doc
    relations
      ${relations}
  condition c(x: int) {
    x < 1
  }
  condition ip(from: ipaddress) {
    from.in_cidr("10.0.0.0/8")
  }
tuples: [${tuples.join(', ')}]
`.replace(/tuples: \[\]\n/, ''),
    });
    const { code, stdout } = await bench.run(['import', 'openfga', `${folder}.fga.yaml`, '--out', folder, '--json']);
    expect(code).toBe(1);
    const { error } = JSON.parse(stdout) as { error: { errors: { file: string; line: number; detail: string }[] } };
    const lines = error.errors.map(({ line, detail }) => `${line}: ${detail}`);
    expect(lines.join('\n')).toContain(/^\d+: the model/.test(expected) ? expected.slice(3) : expected);
    expect(error.errors[0]?.file).toBe(`${folder}.fga.yaml`);
    expect(existsSync(bench.path(folder))).toBe(false);
  });

  it('refuses to expect something of a userset that is no group here, with its line', async () => {
    const store = `model: |
  model
    schema 1.1
  type user
  type team
    relations
      define member: [user, team#member]
tuples:
  - { user: "team:core#member", relation: member, object: team:all }
tests:
  - name: whole teams in all
    list_users:
      - object: team:all
        user_filter:
          - { type: team, relation: member }
        assertions:
          member: { users: ["team:all#member", "team:core#member"] }
`;
    await bench.write({ 'self.fga.yaml': store });
    const refused = await bench.run(['import', 'openfga', 'self.fga.yaml', '--out', 'self']);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('self.fga.yaml:11:5: "team:all#member" is expected to be allowed, and no tuple grants'),
    ]);
    await bench.write({ 'self.fga.yaml': store.replace('"team:all#member", ', '') });
    await bench.run(['import', 'openfga', 'self.fga.yaml', '--out', 'self']);
    expect(await bench.run(['test', 'self'])).toMatchObject({ code: 0 });
  });

  it('refuses a file that is no store, and a folder that is not empty', async () => {
    await bench.write({ 'no.fga.yaml': 'modell: x\n', 'taken/a.txt': 'mine' });
    expect(await bench.run(['import', 'openfga', 'no.fga.yaml'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('modell'),
    });
    expect(await bench.run(['import', 'openfga', 'missing.fga.yaml'])).toMatchObject({ code: 1 });
    const taken = await bench.run(['import', 'openfga', 'modular/store.fga.yaml', '--out', 'taken']);
    expect(taken).toMatchObject({ code: 1 });
    expect(await readdir(bench.path('taken'))).toEqual(['a.txt']);
  });

  it.each([
    ['5', 'm.json:1:1: the file'],
    ['null', 'm.json:1:1: the file'],
    ['{}', 'm.json:1:1: type_definitions'],
    ['{"type_definitions":[{"type":"doc","relations":{"a":5}}]}', 'm.json:1:53: type_definitions.0.relations.a'],
  ])('refuses %s as a model', async (model, place) => {
    await bench.write({ 'garbage/store.fga.yaml': 'model_file: m.json', 'garbage/m.json': model });
    const { code, stderr } = await bench.run(['import', 'openfga', 'garbage/store.fga.yaml', '--out', 'garbage/tree']);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(place) });
    expect(existsSync(bench.path('garbage/tree'))).toBe(false);
  });
});
