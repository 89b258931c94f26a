import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ServiceClient } from '@authz-service/sdk/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Workbench } from './cli/workbench.js';
import { ADMINISTRATOR, CloudProcess } from './cloud/cloud-process.js';

let home: string;
let bench: Workbench;
let cloud: CloudProcess;
let admin: ServiceClient;
let env: Record<string, string>;
let key: string;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'directory-'));
  bench = await Workbench.create();
  cloud = new CloudProcess(join(home, 'cloud'));
  admin = await cloud.client();
  env = {
    SERVICE_CLOUD_URL: await cloud.url(),
    SERVICE_CLIENT_ID: ADMINISTRATOR.clientId,
    SERVICE_CLIENT_SECRET: ADMINISTRATOR.clientSecret,
  };
  await admin.changeset({
    changes: [
      { op: 'create', kind: 'directory', fields: { name: 'okta', removals: '0%' } },
      { op: 'create', kind: 'application', fields: { name: 'app' } },
      { op: 'create', kind: 'resource_type', fields: { application: 'app', name: 'doc', actions: ['read'] } },
      {
        op: 'create',
        kind: 'policy',
        fields: { application: 'app', name: 'read', effect: 'ALLOW', resource_type: 'app/doc', actions: ['read'] },
      },
    ],
  });
  await admin.changeset({
    stack: 'git',
    changes: [
      { op: 'create', kind: 'subject', fields: { type: 'user', id: 'rose' } },
      {
        op: 'create',
        kind: 'policy_assignment',
        fields: { policy: 'app/read', entity_type: 'subject', entity: 'user/rose' },
      },
    ],
  });
  key = (await admin.records('api_key').create({ name: 'okta', scopes: ['directory'], directory: 'okta' })).secret;
});
afterAll(async () => {
  await cloud.kill();
  await bench.close();
  rmSync(home, { recursive: true, force: true });
});

const scim = async (method: string, path: string, body?: object) =>
  await fetch(`${await cloud.url()}/scim/v2/${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/scim+json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
const status = async (...more: string[]) => await bench.run(['directory', 'status', 'okta', ...more], { env });

it('hands a person over to the directory after a plan', async () => {
  const adopt = ['directory', 'adopt', 'okta', 'subject/user/rose'];
  const unasked = await bench.run(adopt, { env });
  expect(unasked.stderr).toContain('subject/user/rose, taken over from "git"');
  expect(unasked.stderr).toContain('pass --yes');
  expect(await bench.json([...adopt, '--yes'], { env, code: 0 })).toMatchObject({
    adopted: [{ address: 'subject/user/rose', taken_from: 'git' }],
  });
  expect(await bench.json(adopt, { env, code: 0 })).toEqual({ adopted: [] });
  expect((await bench.run(['directory', 'adopt', 'okta', 'policy/app/read'], { env })).stderr).toContain(
    'owns nothing else',
  );
  expect((await scim('POST', 'Users', { userName: 'rose' })).status).toBe(201);
});

it('shows what is held with what it would do to access, and lets it through', async () => {
  const { id } = (await (await scim('POST', 'Users', { userName: 'zoe' })).json()) as { id: string };
  expect((await status()).stdout).toContain('held            nothing');
  const found = (await (await scim('GET', 'Users?filter=userName%20eq%20%22rose%22')).json()) as {
    Resources: { id: string }[];
  };
  const [rose] = found.Resources;
  expect((await scim('DELETE', `Users/${rose?.id}`)).status).toBe(503);
  const { stdout } = await status();
  expect(stdout).toContain('2 subjects, 0 groups, 0 memberships');
  expect(stdout).toContain('held            1 change');
  expect(stdout).toMatch(/held {3}removals .*subject\/user\/rose/);
  expect(stdout).toContain('user/rose may no longer read any app/doc');
  expect((await status('--release')).stdout).toContain('Let through 1 held change of the directory "okta".');
  expect((await scim('DELETE', `Users/${id}`)).status).toBe(503);
  expect((await scim('DELETE', `Users/${rose?.id}`)).status).toBe(204);
  expect((await status('--discard')).stdout).toContain('Discarded 1 held change');
  expect((await scim('DELETE', `Users/${id}`)).status).toBe(409);
});

it('imports people and groups from files, again without a change, and removes by the brake', async () => {
  const fields = { name: 'hr', subject_type: 'employee', properties: { department: 'department' }, removals: '50%' };
  await admin.records('directory').create(fields);
  const users = (...lines: string[]) => ['userName,displayName,department', ...lines, ''].join('\n');
  await bench.write({
    'users.csv': users('ann,Ann,sales', 'bob,"Bob, B.",', 'cy,Cy,it'),
    'members.csv': 'group,member\nSales,ann\nSales,bob\n',
    'bad.csv': users('ann,Ann,x', 'ANN,Ann,y'),
    'left.csv': users('ann,Ann,it'),
    'none.csv': users(),
    'cut.csv': users('ann,Ann,it', '"bob,Bob,it'),
    'odd.csv': users('eve\u001b[2K,Eve,it'),
  });
  const importing = (file: string, ...more: string[]) => ['import', 'people', file, '--directory', 'hr', ...more];
  const both = importing('users.csv', '--groups', 'members.csv');
  expect((await bench.run([...both, '--dry-run'], { env })).stdout).toContain('People: 3 to add, 0 known, 0 to remove');
  expect(await bench.json(both, { env, code: 0 })).toMatchObject({ done: 4, failed: [] });
  expect(await admin.records('subject').get('employee/bob')).toMatchObject({
    name: 'Bob, B.',
    managed_by: 'directory/hr',
  });
  expect(await admin.records('subject').get('employee/ann')).toMatchObject({ properties: { department: 'sales' } });
  expect((await admin.records('group').get('Sales')).managed_by).toBe('directory/hr');
  const records = async () => (await admin.state()).records.filter(({ managed_by }) => managed_by === 'directory/hr');
  // The key of the run is gone by now.
  expect((await bench.run(['directory', 'status', 'hr'], { env })).stdout).toMatch(/^last sync +20\d\d-/m);
  const before = await records();
  expect(before).toHaveLength(6);
  expect(await bench.json(both, { env, code: 0 })).toMatchObject({ done: 4, failed: [] });
  expect(await records()).toEqual(before);

  expect((await bench.run(importing('bad.csv'), { env })).stderr).toContain('bad.csv:3 has the userName "ANN" of');
  expect((await bench.run(importing('none.csv'), { env })).stderr).toContain('none.csv has no rows, and all that it');
  expect((await bench.run(importing('cut.csv'), { env })).stderr).toContain('cut.csv:3 begins a row with a quote');
  await writeFile(bench.path('latin.csv'), Buffer.from(users('ann,Ann,it', 'jörg,Jörg,it'), 'latin1'));
  expect((await bench.run(importing('latin.csv'), { env })).stderr).toContain('latin.csv:3 is not UTF-8');
  const odd = await bench.run(importing('odd.csv', '--dry-run'), { env });
  expect(odd.stdout).toContain('+ eve\\u001b[2k\n');
  const left = await bench.run(importing('left.csv'), { env });
  expect(left.code).toBe(1);
  expect(left.stdout).toContain('2 requests done, 1 refused.');
  expect(left.stdout).toContain('"servicectl directory status hr" shows what is held');
  expect(await admin.records('subject').get('employee/ann')).toMatchObject({ properties: { department: 'it' } });
  // The keys of the runs are gone.
  expect((await admin.state()).records.filter(({ kind }) => kind === 'api_key')).toHaveLength(1);
});

it('says what an import of LDIF would do to access, as slapcat prints it, and does that', async () => {
  const ldif = fileURLToPath(new URL('ldap/slapcat.ldif', import.meta.url));
  await admin.changeset({
    changes: [
      {
        op: 'create',
        kind: 'directory',
        fields: {
          ...{ name: 'ldap', subject_type: 'person', removals: '0%', groups: { prefix: 'S' } },
          properties: { department: 'department', mail: 'emails[type eq "work"].value' },
        },
      },
      { op: 'create', kind: 'subject_type', fields: { name: 'person', properties: { department: 'string' } } },
      {
        op: 'create',
        kind: 'policy',
        fields: {
          ...{ application: 'app', name: 'sales', effect: 'ALLOW', resource_type: 'app/doc', actions: ['read'] },
          condition: 'subject.properties.department == "sales"',
        },
      },
      {
        op: 'create',
        kind: 'policy_assignment',
        fields: { policy: 'app/sales', entity_type: 'everyone', entity: 'person' },
      },
    ],
  });
  const run = ['import', 'people', ldif, '--groups', ldif, '--directory', 'ldap'];
  const dry = await bench.run([...run, '--dry-run'], { env });
  expect(dry.code).toBe(0);
  expect(dry.stderr.replace(/\s+/g, ' ')).toContain(
    'Left out as members that are no people of the file: "cn=admin,dc=example,dc=com" in Staff, "gone" in unix.',
  );
  expect(dry.stdout).toContain('People: 3 to add, 0 known, 0 to remove');
  expect(dry.stdout).toContain('Refused or held now: 1\n  ! unix: The directory "ldap" takes groups');
  expect(dry.stdout).toContain('person/ann may now read any app/doc');
  expect((await admin.state()).records.filter(({ managed_by }) => managed_by === 'directory/ldap')).toEqual([]);

  expect(await bench.json(run, { env, code: 1 })).toMatchObject({ done: 4, failed: [{ name: 'unix' }] });
  expect(await admin.records('subject').get('person/ann')).toMatchObject({
    name: 'Ann',
    properties: { department: 'sales', mail: 'ann@example.com' },
  });
  const members = (await admin.state()).records.filter(
    ({ kind, managed_by }) => kind === 'group_membership' && managed_by === 'directory/ldap',
  );
  expect(members.map(({ address }) => address)).toEqual([
    'group_membership/Staff//subject/person/ann',
    'group_membership/Staff//subject/person/bob',
  ]);

  await bench.write({
    'later.csv': 'userName,department\nbob,sales\njorg,it\n',
    'later-members.csv': 'group,member\nStaff,bob\n',
  });
  const later = ['import', 'people', 'later.csv', '--directory', 'ldap', '--dry-run'];
  const plan = await bench.json(later, { env, code: 0 });
  expect(plan).toMatchObject({ plan: { add: [], remove: ['ann'] }, refused: [{ name: 'ann' }], violations: [] });
  expect(JSON.stringify(plan.access)).toContain('person/bob');
  expect(JSON.stringify(plan.access)).not.toContain('person/ann');
  await admin.records('directory').update('ldap', { name: 'ldap', removals: '50%' });
  // She leaves her group by one request, and then by another one.
  const both = await bench.run([...later, '--groups', 'later-members.csv'], { env });
  expect(both.stdout).toContain('person/ann may now read any app/doc only if');
  expect(both.stdout).not.toContain('Refused or held');
  expect((await bench.run(later, { env })).stdout).toContain('person/ann may now read any app/doc only if');
});
