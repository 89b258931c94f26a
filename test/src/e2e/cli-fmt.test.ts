import { readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { below } from './cli/tenant.js';
import { Workbench } from './cli/workbench.js';

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.create();
});
afterAll(() => bench.close());

const TREE = {
  'tenant.yaml': '# people\ngroups:\n    finance: { members: [ user/ann ] } # at work\nversion: 1\n',
  'people.yaml': 'subjects:\n  user/ann: {}\n  user/tester: {}\n',
  'access.test.yaml': 'tests:\n  - exactly: []\n    name: none\n    who_can: { action: read, resource: doc:1 }\n',
  'environments/prod.yaml': 'remove: [user/tester]\nname: prod\n',
};

const text = (name: string) => readFile(path.join(bench.folder, name), 'utf8');

it('names in a pipeline what is not formatted, and then writes records, environments and tests', async () => {
  await bench.write(below('tenant', TREE));
  const before = await bench.json(['validate', 'tenant']);
  const unformatted = ['tenant/access.test.yaml', 'tenant/environments/prod.yaml', 'tenant/tenant.yaml'];
  const check = await bench.run(['fmt', 'tenant', '--check']);
  expect(check.code).toBe(1);
  expect(check.stdout).toBe([...unformatted, '3 of 4 files not formatted: run "servicectl fmt".', ''].join('\n'));
  expect(await text('tenant/tenant.yaml')).toBe(TREE['tenant.yaml']);
  expect(await bench.json(['fmt', 'tenant'])).toEqual({ files: 4, changed: unformatted, written: true });
  expect(await text('tenant/tenant.yaml')).toBe(
    'version: 1\n# people\ngroups:\n  finance: { members: [user/ann] } # at work\n',
  );
  expect(await text('tenant/environments/prod.yaml')).toBe('name: prod\nremove: [user/tester]\n');
  expect(await text('tenant/access.test.yaml')).toMatch(/ {2}- name: none\n {4}who_can: .*\n {4}exactly: \[\]\n$/);
  expect((await bench.run(['fmt', 'tenant', '--check'])).stdout).toBe('4 files: all formatted.\n');
  expect(await bench.json(['validate', 'tenant'])).toEqual(before);
});

it('formats a file once that is named twice, and one of an environment by its folder', async () => {
  await bench.write(below('named', TREE));
  await symlink('prod.yaml', path.join(bench.folder, 'named/environments/link.yaml'));
  const named = ['named/environments/prod.yaml', 'named/environments/link.yaml', './named/environments/prod.yaml'];
  expect(await bench.json(['fmt', ...named])).toMatchObject({ files: 1, written: true });
  expect(await text('named/environments/link.yaml')).toBe('name: prod\nremove: [user/tester]\n');
});

it('writes nothing where a file is of another program', async () => {
  await bench.write({ ...below('mixed', TREE), 'mixed/ci.yml': 'on: push\njobs: {}\n' });
  const { stderr, code } = await bench.run(['fmt', 'mixed']);
  expect(code).toBe(1);
  expect(stderr).toContain('mixed/ci.yml:1:1: This file does not look like records: it has the keys "on", "jobs".');
  expect(await text('mixed/tenant.yaml')).toBe(TREE['tenant.yaml']);
});
