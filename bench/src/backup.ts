import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { revisionNumber } from '@authz-service/core/state/revision';
import { ADMINISTRATOR, BenchCloud, share } from './clouds.js';
import { LeanClient } from './lean-client.js';
import { root } from './processes.js';

export interface BackupFigures {
  /** The size of the backup. */
  bytes: number;
  /** The seconds of each backup; how many commits a second were answered meanwhile, and milliseconds until one was. */
  backups: { seconds: number; commitsPerSecond: number; p99: number }[];
  /** The same of commits before. */
  quiet: { commitsPerSecond: number; p99: number };
  /** Whether the restored tenant stands at a revision that had been acknowledged, with that revision's digest. */
  restoredAsItWas: boolean;
}

const MEBIBYTES = 100;
const PER_COMMIT = 10_000;
const WANTED_PER_SECOND = 270;
const WRITERS = 4;
const BACKUPS = 3;

/** Backups of a cloud on SQLite that holds 100 MB and commits as fast as it can, up to 270 times a second. */
export async function measureBackup(): Promise<BackupFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-backup-'));
  let cloud = await BenchCloud.start({ folder });
  const service = async (...args: string[]) => {
    const command = [join(root, 'cli/bin/service.js'), 'cloud', ...args, '--data-dir', join(folder, 'cloud'), '--json'];
    const env = { PATH: process.env.PATH ?? '', HOME: folder };
    const { stdout } = await promisify(execFile)(process.execPath, command, { env, maxBuffer: 2 ** 28 });
    return JSON.parse(stdout);
  };
  try {
    const { clientId, clientSecret } = ADMINISTRATOR;
    const client = await LeanClient.of(cloud, clientId, clientSecret);
    await fillTo(MEBIBYTES * 2 ** 20, client, join(folder, 'cloud/cloud.sqlite'));
    const acknowledged = new Set<string>();
    const load = new Load(client, acknowledged);
    await wait(5000);
    const quiet = load.since();
    const backups: BackupFigures['backups'] = [];
    let made: { tenants: { revision: string }[] } = { tenants: [] };
    for (let turn = 0; turn < BACKUPS; turn++) {
      rmSync(join(folder, 'backup'), { recursive: true, force: true });
      load.since();
      const began = performance.now();
      made = await service('backup', join(folder, 'backup'));
      const seconds = (performance.now() - began) / 1000;
      backups.push({ seconds, ...load.since() });
    }
    await load.stop();
    const bytes = statSync(join(folder, 'backup')).size;
    const revision = made.tenants[0]?.revision ?? '';
    client.close();
    await cloud.end();
    await service('restore', join(folder, 'backup'), '--replace');
    cloud = await BenchCloud.start({ folder });
    const restored = (await cloud.client().state()).revision;
    return {
      ...{ bytes, backups, quiet },
      restoredAsItWas: restored === revision && acknowledged.has(restored) && revisionNumber(restored) > 0,
    };
  } finally {
    await cloud.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Commits subjects with properties until the database is so large. */
async function fillTo(bytes: number, client: LeanClient, file: string): Promise<void> {
  for (let at = 0; statSync(file).size < bytes; at += PER_COMMIT) {
    const changes = Array.from({ length: PER_COMMIT }, (_, index) => ({
      ...{ op: 'create', kind: 'subject' },
      fields: {
        ...{ type: 'user', id: `subject-${at + index}@example.com` },
        properties: { region: 'eu', limit: (at + index) % 1000, note: 'as much as a subject has to say of itself' },
      },
    }));
    await client.post('/v1/changesets', { changes });
  }
}

/** Writers that commit one record each, together no more often than wanted. */
class Load {
  readonly #taken: number[] = [];
  #stopped = false;
  #made = 0;
  #counted = { made: 0, at: performance.now() };
  readonly #writing: Promise<unknown>;
  readonly #began = performance.now();

  constructor(
    private readonly client: LeanClient,
    private readonly acknowledged: Set<string>,
  ) {
    this.#writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => this.#write(writer)));
  }

  /** Returns what was done since it was asked last. */
  since(): { commitsPerSecond: number; p99: number } {
    const { made, at } = this.#counted;
    this.#counted = { made: this.#made, at: performance.now() };
    const commitsPerSecond = (this.#made - made) / ((this.#counted.at - at) / 1000);
    return { commitsPerSecond, p99: share(this.#taken.splice(0), 0.99) };
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#writing;
  }

  async #write(writer: number): Promise<void> {
    for (let at = 0; !this.#stopped; at++) {
      const due = this.#began + (at * WRITERS * 1000) / WANTED_PER_SECOND;
      await wait(Math.max(0, due - performance.now()));
      const began = performance.now();
      const answer = await this.client.commit({
        ...{ op: 'create', kind: 'role' },
        fields: { name: `writer-${writer}-${at}` },
      });
      this.#taken.push(performance.now() - began);
      this.acknowledged.add((JSON.parse(answer) as { revision: string }).revision);
      this.#made++;
    }
  }
}
