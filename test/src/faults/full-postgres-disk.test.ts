import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { hasPostgres, PostgresServer } from '../../../cloud/testing/postgres-server.js';
import { bootstrapEnv, CloudProcess } from '../e2e/cloud/cloud-process.js';
import { haveSmallDisks, SmallDisk } from './small-disk.js';

const PATIENCE = { timeout: 60_000, interval: 200 };

it.skipIf(!hasPostgres || !haveSmallDisks())(
  'a cloud whose PostgreSQL has a full disk refuses commits, says so in its readiness, and goes on once there is space',
  async () => {
    const home = mkdtempSync(join(tmpdir(), 'full-postgres-'));
    const disk = new SmallDisk(32);
    const server = await PostgresServer.start();
    const place = join(disk.dir, 'tables');
    mkdirSync(place);
    chownSync(place, statSync(server.data).uid, statSync(server.data).gid);
    await server.admin(`create tablespace small location '${place}'`);
    const cloud = new CloudProcess(home, {
      ...bootstrapEnv(),
      DATABASE_URL: await server.database('template template0 tablespace small'),
    });
    try {
      const admin = await cloud.client();
      const add = (id: string) =>
        admin
          .records('subject')
          .create({ type: 'user', id, properties: { text: randomBytes(50_000).toString('hex') } });
      const ready = async () => (await fetch(`${await cloud.url()}/readyz`)).json();
      await add('before');
      disk.fill();
      const refused = {
        status: 507,
        code: 'storage_failed',
        detail: expect.stringMatching(/disk of the database is full/),
      };
      await expect(add('meanwhile')).rejects.toMatchObject(refused);
      // Asked again and again, it says the same.
      for (let times = 0; times < 5; times++)
        expect(await ready()).toMatchObject({ status: 'ready', writable: false, reason: refused.detail });
      expect((await admin.state()).records).toHaveLength(2);
      disk.free();
      await vi.waitFor(async () => expect(await ready()).toEqual({ status: 'ready', writable: true }), PATIENCE);
      await add('after');
    } finally {
      await cloud.kill();
      await server.stop();
      disk.remove();
      rmSync(home, { recursive: true, force: true });
    }
  },
);
