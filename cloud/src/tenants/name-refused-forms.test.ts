import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TimeSlicing } from '@authz-service/core/concurrency/time-slicing';
import type { Change } from '@authz-service/core/state/change';
import { TenantState } from '@authz-service/core/state/tenant-state';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { recordsIn } from '../../testing/records-in.js';
import type { Cloud } from '../cloud.js';
import { prepareCommit } from '../commands/prepare-commit.js';
import { readConfig } from '../config/config.js';
import { startCloud } from '../main.js';
import { openSqliteStore } from '../store/sqlite.js';
import { nameRefusedForms } from './name-refused-forms.js';
import type { Tenant } from './tenant.js';
import { Tenants } from './tenants.js';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'authz-refused-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const create = (kind: 'application' | 'resource_type' | 'policy', fields: Record<string, unknown>): Change => ({
  op: 'create',
  kind,
  fields,
});
const covered = { effect: 'DENY', resource_type: 'billing/invoice', actions: ['pay'] };

it('names a stored DENY of second factors, with its remedy, and no other record', async () => {
  const config = readConfig({}, { dataDir: dir, listenAddr: '127.0.0.1:0', logLevel: 'silent' });
  await (await startCloud(config, { announce: () => {} })).close();
  const store = await openSqliteStore(dir);
  const [tenant] = await store.tenants();
  const id = tenant?.id ?? '';
  const state = new TenantState(await recordsIn(store, id));
  const changes = [
    create('application', { name: 'billing' }),
    create('resource_type', { application: 'billing', name: 'invoice', actions: ['pay'] }),
    create('policy', { ...covered, name: 'old', modifiers: { ip_ranges: ['10.0.0.0/8'] } }),
    create('policy', { ...covered, name: 'blocked', modifiers: { ip_ranges: ['10.0.0.0/8'] } }),
    create('policy', { ...covered, name: 'now', unless: { mfa_required: true } }),
    create('policy', { ...covered, name: 'allow', effect: 'ALLOW', modifiers: { mfa_required: true } }),
  ];
  const by = { kind: 'bootstrap', id: 'x', name: 'x' } as const;
  const order = { changes, by, requestId: 'x', now: Date.now() };
  // Writes what could be written before it was refused.
  const prepared = await prepareCommit({ id, state, revisionNumber: 1, committedAt: 0 }, order, ({ put }) => {
    for (const { record } of put)
      if (record.address === 'policy/old') Object.assign(record.fields, { modifiers: { mfa_required: true } });
  });
  if (prepared) await store.commit(prepared.commit);
  const warn = vi.fn();
  const onLoad = (read: Tenant) => nameRefusedForms(read, { warn } as unknown as Cloud['log']);
  const tenants = await Tenants.open(store, { slicing: new TimeSlicing(() => 0), budget: undefined, onLoad });
  await tenants.get(id);
  await tenants.close();
  await store.close();
  expect(warn.mock.calls).toEqual([
    [
      { tenant_name: 'default', address: 'policy/old', managed_by: 'api' },
      expect.stringMatching(
        /^policy\/old: modifiers\.mfa_required: true in a DENY .* write `unless: \{ mfa_required: true \}`/,
      ),
    ],
  ]);
});
