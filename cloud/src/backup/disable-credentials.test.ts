import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { NOW, openTwoReplicas, type TwoReplicas } from '../../testing/replica.js';
import { declareEpoch } from './declare-epoch.js';
import { disableCredentials } from './disable-credentials.js';
import { makeEpochKeyFile } from './epoch-key-file.js';

let dir: string;
let replicas: TwoReplicas;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'disable-credentials-'));
  replicas = await openTwoReplicas();
});
afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
  await rm(replicas.dir, { recursive: true, force: true });
});

it('changes nothing where the epoch cannot be declared', async () => {
  const { store, dir: dataDir } = replicas;
  await store.close();
  const files = [join(dir, 'first'), join(dir, 'second')] as const;
  for (const file of files) await makeEpochKeyFile(file);
  await declareEpoch({ dataDir }, files[0], { now: NOW, replaceKey: false });
  const disable = (epochKeyFile: string) => disableCredentials({ dataDir }, { now: NOW, epochKeyFile });
  await expect(disable(files[1])).rejects.toMatchObject({ code: 'invalid_config' });
  // The administrator is on still.
  expect(await disable(files[0])).toMatchObject({ disabled: 1 });
});
