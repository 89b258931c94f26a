import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServiceClient } from '@authz-service/sdk/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Workbench } from './cli/workbench.js';
import { ADMINISTRATOR, CloudProcess } from './cloud/cloud-process.js';

let home: string;
let bench: Workbench;
let cloud: CloudProcess;
let admin: ServiceClient;
let env: Record<string, string>;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'suspend-'));
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
      { op: 'create', kind: 'application', fields: { name: 'app' } },
      { op: 'create', kind: 'resource_type', fields: { application: 'app', name: 'doc', actions: ['read'] } },
      {
        op: 'create',
        kind: 'policy',
        fields: { application: 'app', name: 'read', effect: 'ALLOW', resource_type: 'app/doc', actions: ['read'] },
      },
      {
        op: 'create',
        kind: 'policy_assignment',
        fields: { policy: 'app/read', entity_type: 'everyone', entity: '*' },
      },
      { op: 'create', kind: 'subject', fields: { type: 'user', id: 'alice' } },
    ],
  });
});
afterAll(async () => {
  await cloud.kill();
  await bench.close();
  rmSync(home, { recursive: true, force: true });
});

const decide = async () =>
  await admin.decide({
    subject: { type: 'user', id: 'alice' },
    action: { name: 'read' },
    resource: { type: 'doc', name: 'd' },
  });

it('suspends a subject with a reason, and reinstates it', async () => {
  expect((await decide()).allowed).toBe(true);
  const reason = 'Lost a laptop.';
  expect(
    await bench.json(['suspend', 'user:alice', '--reason', reason, '--wait=enforced'], { env, code: 0 }),
  ).toMatchObject({ subject: 'subject/user/alice', suspended: true, suspension_reason: reason, enforced: true });
  expect(await decide()).toMatchObject({
    allowed: false,
    accessPath: 'none',
    reason: 'subject/user/alice is suspended: it is allowed nothing.',
  });
  const until = ['suspend', 'user:alice', '--until', '2999-01-01T00:00:00Z'];
  expect((await bench.run(until, { env })).stderr).toContain(
    'is suspended without an end ("Lost a laptop."), which --until 2999-01-01T00:00:00Z would shorten',
  );
  await bench.json(['reinstate', 'user:alice'], { env, code: 0 });
  await bench.json(until, { env, code: 0 });
  const sooner = ['suspend', 'user:alice', '--until', '2998-01-01T00:00:00Z'];
  expect((await bench.run(sooner, { env })).stderr).toContain('would shorten');
  const record = await admin.records('subject').get('user/alice');
  expect(record).toMatchObject({ suspended_until: '2999-01-01T00:00:00.000Z' });
  expect(record).not.toHaveProperty('suspended');
  expect(record).not.toHaveProperty('suspension_reason');
  await bench.json(['reinstate', 'user:alice'], { env, code: 0 });
  expect((await decide()).allowed).toBe(true);
});

it('names whom a wrong id may mean, and refuses a past end', async () => {
  expect((await bench.run(['suspend', 'user:alcie'], { env })).stderr).toContain('did you mean "user:alice"?');
  expect((await bench.run(['suspend', 'user:alice', '--until', '2020-01-01T00:00:00Z'], { env })).stderr).toContain(
    'is past',
  );
});

it('outlives an apply that says nothing of it, and ends where the tree says false', async () => {
  const stack = {
    version: 1,
    stack: 'people',
    subjects: { 'user/bob': { name: 'Bob' } },
    oauth_clients: { team: { scopes: ['records:read', 'records:write'], limits: { stacks: ['people'] } } },
  };
  await bench.write({ 'people/tenant.yaml': JSON.stringify(stack) });
  await bench.json(['apply', 'people', '--yes', '--credentials-out', 'team.json'], { env, code: 0 });
  const { credentials } = JSON.parse(await readFile(bench.path('team.json'), 'utf8'));
  const team = {
    ...env,
    SERVICE_CLIENT_ID: credentials[0].client_id,
    SERVICE_CLIENT_SECRET: credentials[0].client_secret,
  };
  await bench.json(['suspend', 'user:bob', '--reason', 'Theft.'], { env: team, code: 0 });
  await bench.json(['apply', 'people', '--yes'], { env, code: 0 });
  const again = await bench.run(['plan', 'people'], { env });
  expect(again.stdout).toContain('No changes');
  expect(again.stdout).toContain('subject/user/bob stays suspended: Theft.');
  expect(await admin.records('subject').get('user/bob')).toMatchObject({ suspended: true, managed_by: 'people' });

  const lifted = { ...stack, subjects: { 'user/bob': { name: 'Bob', suspended: false } } };
  await bench.write({ 'people/tenant.yaml': JSON.stringify(lifted) });
  await bench.json(['apply', 'people', '--yes'], { env, code: 0 });
  expect(await admin.records('subject').get('user/bob')).not.toHaveProperty('suspended');
  expect(await bench.json(['plan', 'people', '--detailed-exitcode'], { env, code: 0 })).toMatchObject({ changes: [] });
  const refused = await bench.run(['suspend', 'user:alice'], { env: team });
  expect(refused.stderr).toContain('is limited to the stack "people"');
});
