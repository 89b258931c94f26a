import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readManifest } from '../manifest/read.js';
import { writeManifest } from '../manifest/write.js';
import { formatFiles } from './format-files.js';
import { type FileKind, formatText } from './format-text.js';

const root = path.resolve(import.meta.dirname, '../../..');

interface Row {
  does: string;
  kind?: FileKind;
  from: string;
  to: string;
}

const long = `user/a: { name: ${'a'.repeat(60)}, properties: { region: ${'b'.repeat(60)} } }`;

const rows: Row[] = [
  {
    does: 'puts kinds and fields in order, each with the comment above it and behind it',
    from: '# people\nsubjects:\n  user/a:\n    # in text\n    roles: [clerk] # held\n    name: A\n# first\nversion: 1\n',
    to: '# first\nversion: 1\n# people\nsubjects:\n  user/a:\n    name: A\n    # in text\n    roles: [clerk] # held\n',
  },
  {
    does: 'leaves the comment for an editor, and what a blank line sets apart, at the top',
    from: '# yaml-language-server: $schema=x\n# groups\ngroups: {}\nversion: 1\n',
    to: '# yaml-language-server: $schema=x\n\nversion: 1\n# groups\ngroups: {}\n',
  },
  {
    does: 'leaves records in their order, with one blank line where there are some',
    from: 'roles:\n\n  z: {}\n\n\n\n  a: {}\n',
    to: 'roles:\n  z: {}\n\n  a: {}\n',
  },
  {
    does: 'indents by two spaces, and leaves a comment on the line of its key',
    from: 'groups:   # all\n    b:   # mine\n        members:\n        - user/a  # one\n',
    to: 'groups: # all\n  b: # mine\n    members:\n      - user/a # one\n',
  },
  {
    does: 'takes quotes away where nobody needs them, and puts them around words of old readers',
    from: `subjects:\n  "user/a": { name: 'Ann', properties: { "b": "1", c: yes, d: "x: y", "e": "\${var.e}", f: 010 } }\n`,
    to: `subjects:\n  user/a: { name: Ann, properties: { b: "1", c: "yes", d: "x: y", e: "\${var.e}", f: 010 } }\n`,
  },
  {
    does: 'opens a line that is too long, and closes brackets over several lines that fit',
    from: `subjects:\n  ${long}\ngroups:\n  g: {\n    members: [\n      user/a\n    ] }\n`,
    to: `groups:\n  g: { members: [user/a] }\nsubjects:\n  user/a:\n    name: ${'a'.repeat(60)}\n    properties: { region: ${'b'.repeat(60)} }\n`,
  },
  {
    does: 'keeps the comments at the end of a mapping that moves, and of the file',
    from: 'groups:\n  a: {}\n  # of groups\nversion: 1\n# last\n',
    to: 'version: 1\ngroups:\n  a: {}\n  # of groups\n\n  # last\n',
  },
  {
    does: 'folds texts over several lines',
    from: 'roles:\n  a:\n    description: one\n      two\n  b: { description: "x\n    y" }\n',
    to: 'roles:\n  a:\n    description: >-\n      one two\n  b:\n    description: >-\n      x y\n',
  },
  {
    does: 'changes no order where an alias must follow its anchor',
    from: 'subjects:\n  user/a: &a { name: A }\n  user/b: *a\ngroups: {}\nversion: 1\n',
    to: 'subjects:\n  user/a: &a { name: A }\n  user/b: *a\ngroups: {}\nversion: 1\n',
  },
  {
    does: 'gives a comment after an empty value to what follows',
    from: 'subjects:\n  user/a:\n# the groups\ngroups: {}\n',
    to: '# the groups\ngroups: {}\nsubjects:\n  user/a:\n',
  },
  {
    does: 'keeps the order of what is a value, and the line ends of the file',
    from: 'subjects:\r\n  user/a: { properties: { z: 1, a: [2, 1] } }\r\n',
    to: 'subjects:\r\n  user/a: { properties: { z: 1, a: [2, 1] } }\r\n',
  },
  {
    does: 'knows environments',
    kind: 'environment',
    from: 'remove: [user/t]\nchange:\n  groups: { g: { roles: { add: [r] }, description: d } }\ngates: { for: [a], max_gained: 0 }\nname: prod\n',
    to: 'name: prod\nchange:\n  groups: { g: { description: d, roles: { add: [r] } } }\nremove: [user/t]\ngates: { max_gained: 0, for: [a] }\n',
  },
  {
    does: 'knows tests',
    kind: 'tests',
    from: 'tests:\n  - expect: allow\n    name: one\n    action: read\n    subject: user:a\n    resource: doc:1\nclock: 2026-06-01T10:00:00Z\n',
    to: 'clock: 2026-06-01T10:00:00Z\ntests:\n  - name: one\n    subject: user:a\n    action: read\n    resource: doc:1\n    expect: allow\n',
  },
];

describe('a file in one style', () => {
  for (const { does, kind = 'records', from, to } of rows)
    it(does, () => {
      expect(formatText(from, kind)).toBe(to);
      expect(formatText(to, kind)).toBe(to);
    });
});

const exampleFiles = readdirSync(path.join(root, 'examples'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /(?:tenant|access\.test|subjects|billing|docs)\.yaml$/.test(file) && !file.includes('node_modules'))
  .map((file) => ({
    path: file,
    text: readFileSync(path.join(root, 'examples', file), 'utf8'),
    kind: file.endsWith('.test.yaml') ? ('tests' as const) : ('records' as const),
  }));

it('is that of the examples', () => {
  expect(exampleFiles.length).toBeGreaterThan(6);
  expect(formatFiles(exampleFiles)).toEqual({ faults: [], changed: [] });
});

it('is that of exports', () => {
  const trees = exampleFiles.filter(({ path: file, kind }) => kind === 'records' && file.startsWith('tenant/'));
  const { manifest } = readManifest(trees);
  const written = writeManifest(manifest?.records ?? [], { stack: 'acme' });
  expect(written.length).toBeGreaterThan(3);
  expect(formatFiles(written.map((file) => ({ ...file, kind: 'records' })))).toEqual({ faults: [], changed: [] });
});

it('is refused to files that are not YAML, or of other programs, with their places', () => {
  const { faults, changed } = formatFiles([
    { path: 'a.yaml', text: 'groups: {}\nversion: 1\n', kind: 'records' },
    { path: 'b.yaml', text: 'groups: [\n', kind: 'records' },
    { path: 'c.yaml', text: 'name: ci\non: push\n', kind: 'records' },
    { path: 'd.test.yaml', text: 'jobs: {}\n', kind: 'tests' },
  ]);
  expect(faults.map(({ file, line }) => [file, line])).toEqual([
    ['b.yaml', 1],
    ['c.yaml', 1],
    ['d.test.yaml', 1],
  ]);
  expect(changed.map(({ path: file }) => file)).toEqual(['a.yaml']);
});
