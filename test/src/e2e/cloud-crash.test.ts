import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeBundle, unpackBundle } from '@authz-service/core/bundle/read';
import type { Change } from '@authz-service/core/state/change';
import { revisionNumber } from '@authz-service/core/state/revision';
import type { ServiceClient } from '@authz-service/sdk/client';
import type { TenantSnapshot } from '@authz-service/sdk/wire';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CloudProcess } from './cloud/cloud-process.js';

const APPLIES = 50;
const MEMBERS = 20;
const ROUNDS = 4;

let dir: string;
let cloud: CloudProcess;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cloud-crash-'));
});

afterEach(async () => {
  await cloud?.kill();
  rmSync(dir, { recursive: true, force: true });
});

/** One apply: a group and its members, which exist together or not at all. */
function apply(name: string): Change[] {
  const members = Array.from({ length: MEMBERS }, (_, index): Change[] => [
    { op: 'create', kind: 'subject', fields: { type: name, id: `${index}` } },
    {
      op: 'create',
      kind: 'group_membership',
      fields: { group: name, entity_type: 'subject', entity: `${name}/${index}` },
    },
  ]);
  return [{ op: 'create', kind: 'group', fields: { name } }, ...members.flat()];
}

const RECORDS = apply('x').length;

/** How many records of each apply exist. */
function counts({ records }: TenantSnapshot, names: readonly string[]): Map<string, number> {
  const found = new Map(names.map((name) => [name, 0]));
  for (const { address } of records) {
    const [, , name] = /^(group|subject|group_membership)\/([^/]+)/.exec(address) ?? [];
    if (name !== undefined && found.has(name)) found.set(name, (found.get(name) ?? 0) + 1);
  }
  return found;
}

/**
 * Starts all applies at once and kills the cloud after one of the acknowledgements; returns which were acknowledged.
 */
async function applyUntilKilled(
  client: ServiceClient,
  names: readonly string[],
  killBehind: number,
): Promise<Set<string>> {
  const acknowledged = new Set<string>();
  const sent = names.map(async (name) => {
    await client.changeset({ changes: apply(name) }, { idempotencyKey: name });
    acknowledged.add(name);
    // At any step of a commit: an answer comes at the same one each time.
    if (acknowledged.size === killBehind) setTimeout(() => cloud.signal('SIGKILL'), Math.random() * 10);
  });
  await Promise.allSettled(sent);
  await cloud.exited;
  return acknowledged;
}

describe('a cloud that is killed in the middle of 50 applies', () => {
  it('has each wholly or not at all, and each that it acknowledged', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const names = Array.from({ length: APPLIES }, (_, index) => `round${round}-${index}`);
      cloud = new CloudProcess(dir);
      // Some rounds are killed early, some late, wherever the commits then are.
      const killBehind = 1 + Math.floor(Math.random() * (APPLIES / 2));
      const acknowledged = await applyUntilKilled(await cloud.client(), names, killBehind);
      expect(acknowledged.size).toBeGreaterThanOrEqual(killBehind);

      cloud = new CloudProcess(dir);
      const client = await cloud.client();
      const state = await client.state();
      const found = counts(state, names);
      for (const [name, count] of found) {
        expect({ name, count: count === 0 || count === RECORDS ? 'whole' : count }).toEqual({ name, count: 'whole' });
        if (acknowledged.has(name)) expect({ name, count }).toEqual({ name, count: RECORDS });
      }

      // The audit tells the same story: every revision once, without a gap.
      const revisions: number[] = [];
      for await (const { revision } of client.audit({ limit: 1000 })) revisions.push(revisionNumber(String(revision)));
      const newest = revisionNumber(state.revision);
      expect(revisions).toEqual(Array.from({ length: newest }, (_, index) => newest - index));

      // The digest in the bundle is recomputed from its records when it is read.
      const bundle = await client.bundle();
      const { json } = await unpackBundle(Buffer.from(bundle?.bytes ?? []), { compressed: 1e8, unpacked: 1e9 });
      const read = decodeBundle(json);
      expect(read.revision).toBe(state.revision);

      // Whoever got no answer asks again with the same key: what is there already is not done twice.
      await Promise.all(names.map((name) => client.changeset({ changes: apply(name) }, { idempotencyKey: name })));
      const after = await client.state();
      expect([...counts(after, names).values()]).toEqual(names.map(() => RECORDS));
      const missing = [...found.values()].filter((count) => count === 0).length;
      expect(revisionNumber(after.revision)).toBe(newest + missing);
      await cloud.kill();
    }
  }, 180_000);
});
