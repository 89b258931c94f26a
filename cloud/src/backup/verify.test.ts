import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeBundleKey } from '@authz-service/core/bundle/make-key';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeDatabase } from '../../testing/change-database.js';
import { billing, TestCloud } from '../../testing/test-cloud.js';
import { openSqliteFile } from '../store/sqlite.js';
import { backUp } from './back-up.js';
import { verify, verifyStore } from './verify.js';

let cloud: TestCloud;
let admin: string;
let home: string;
let count = 0;
const signal = new AbortController().signal;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'authz-verify-test-'));
  cloud = await TestCloud.start();
  admin = await cloud.token();
  await cloud.commit(admin, billing());
});
afterAll(async () => {
  await cloud.close();
  await rm(home, { recursive: true, force: true });
});

async function backup(): Promise<string> {
  const file = join(home, `${count++}.backup`);
  await backUp(file, cloud.dir, { replace: false, signal });
  return file;
}

const rotate = async () =>
  expect((await cloud.ask('POST', '/v1/bundle-keys', { as: admin, body: { revoke: false } })).status).toBe(201);

describe('verifying', () => {
  it('finds no fault in what is committed meanwhile', async () => {
    const store = await openSqliteFile(join(cloud.dir, 'cloud.sqlite'));
    const busy = {
      ...store,
      load: async (...asked: Parameters<typeof store.load>) => {
        const loaded = await store.load(...asked);
        await cloud.commit(admin, [{ op: 'create', kind: 'role', fields: { name: `role-${count++}` } }]);
        return loaded;
      },
    };
    const { tenants, faults } = await verifyStore(busy);
    expect(faults).toEqual([]);
    expect(tenants).toMatchObject([{ name: 'default', revision: expect.stringMatching(/^2\./), revisions: 1 }]);
    await store.close();
  });

  const sign = (what: string) =>
    `update bundle_keys set ${what} where version = (select min(version) from bundle_keys)`;
  const named = /is not the one that its announcement names/;
  const unproven = /is not announced by the key before it/;
  const cases: [string, () => Promise<string>, RegExp][] = [
    ['another key', async () => sign(`jwk = '${JSON.stringify((await makeBundleKey()).privateJwk)}'`), named],
    ['a key that is none', async () => sign(`jwk = '{}'`), named],
    ['another id', async () => sign(`kid = 'bundle-other'`), named],
    ['another version', async () => sign('version = 7'), unproven],
    [
      'a signature of nobody',
      async () => sign(`announcement = substr(announcement, 1, length(announcement) - 9) || 'AAAAAAAAA'`),
      unproven,
    ],
  ];
  for (const keys of ['the only', 'the first'])
    it.each(cases)(`finds %s as ${keys} that signs bundles`, async (_, statement, fault) => {
      if (keys === 'the first') await rotate();
      const file = await backup();
      expect((await verify({ file }, signal)).faults).toEqual([]);
      await changeDatabase(file, await statement());
      expect((await verify({ file }, signal)).faults.join(' ')).toMatch(fault);
    });
});
