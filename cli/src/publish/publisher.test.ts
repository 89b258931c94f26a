import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EngineRecord } from '@authz-service/core/access/api/engine';
import { packDelta } from '@authz-service/core/bundle/delta-write';
import { digestRecords } from '@authz-service/core/bundle/digest';
import { declareEpoch, type Epoch, epochName, epochSigner, makeEpochKey } from '@authz-service/core/bundle/epoch';
import { announceKeys } from '@authz-service/core/bundle/key-set';
import { makeBundleKey, signingKey } from '@authz-service/core/bundle/make-key';
import { signNewest } from '@authz-service/core/bundle/newest';
import { bundlePath, deltaPath, readPointer } from '@authz-service/core/bundle/publication';
import { recordText } from '@authz-service/core/bundle/record-text';
import type { BundleKey, SigningKey } from '@authz-service/core/bundle/signing-key';
import { signDelta, signStatement, statementOf } from '@authz-service/core/bundle/statement';
import { packBundle } from '@authz-service/core/bundle/write';
import { declare } from '@authz-service/core/records/registry';
import { revisionText, tokenOf } from '@authz-service/core/state/revision';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BundleFeed, FeedAnswer } from './bundle-feed.js';
import { checkedBundle, checkedDelta } from './checked-archive.js';
import { PublicationFolder } from './publication-folder.js';
import { Publisher, WHOLE_BUNDLES } from './publisher.js';

/** A cloud whose tenant has as many subjects as its revision says. */
class FakeCloud implements Pick<BundleFeed, 'ask' | 'keys'> {
  number = 1;
  epoch: Epoch | undefined;
  /** The number after which it has another past than before. */
  forkedAt = Number.POSITIVE_INFINITY;
  /** Called before each answer. */
  before = () => {};
  asked = 0;
  #key: { signer: SigningKey; keys: BundleKey[]; announcements: string[] } | undefined;

  get kid(): string {
    return this.#key?.signer.kid ?? '';
  }

  async rotate(): Promise<void> {
    const { kid, privateJwk, publicKey } = await makeBundleKey();
    const signer = await signingKey(kid, privateJwk);
    const { keys = [], announcements = [], signer: last = signer } = this.#key ?? {};
    const all = [publicKey, ...keys];
    const announced = await announceKeys({ version: all.length, keys: all }, last);
    this.#key = { signer, keys: all, announcements: [...announcements, announced] };
  }

  keys = async () => JSON.stringify({ keys: this.#key?.keys, announcements: this.#key?.announcements });

  refOf(number: number) {
    const records = Array.from({ length: number }, (_, index) => {
      const type = index < this.forkedAt ? 'user' : 'twin';
      const { kind, fields } = declare('subject', { type, id: `u${String(index).padStart(5, '0')}` });
      return { kind, id: `id-${index}`, fields } as EngineRecord;
    });
    const digest = digestRecords(records);
    return { id: 't1', name: 'acme', revision: revisionText(number, digest), digest, records };
  }

  async ask(since: string | undefined): Promise<FeedAnswer> {
    this.asked++;
    this.before();
    const signer = this.#key?.signer as SigningKey;
    const now = this.refOf(this.number);
    const of = this.epoch && epochName(this.epoch);
    const revision = tokenOf(now.revision, of);
    const newest = await signNewest({ tenant: now.id, bundle: revision }, new Date(), signer);
    if (since === revision) return { is: 'same', revision, newest, bytes: Buffer.alloc(0), diverged: false };
    const from = since === undefined ? undefined : this.refOf(Number.parseInt(since, 10));
    const diverged =
      from !== undefined && (tokenOf(from.revision, of) !== since || from.records.length > now.records.length);
    if (from !== undefined && !diverged) {
      const changes = now.records
        .slice(from.records.length)
        .map((record) => ({ before: undefined, after: recordText(record) }));
      const { id, name, digest } = now;
      const head = {
        tenant: { id, name },
        base: { revision: from.revision, digest: from.digest },
        revision: now.revision,
        digest,
      };
      const bytes = await packDelta(head, changes, (sha256) => signDelta(sha256, new Date(), signer, of));
      return { is: 'delta', revision, newest, bytes, diverged };
    }
    const bundle = { format: 1 as const, revision: now.revision, tenants: [now] };
    const bytes = await packBundle(bundle, (sha256) =>
      signStatement(statementOf(bundle, sha256, new Date(), this.epoch?.jws), signer),
    );
    return { is: 'bundle', revision, newest, bytes, diverged };
  }
}

/** A folder whose process is killed before the given write. */
class DyingFolder extends PublicationFolder {
  constructor(
    path: string,
    public left = Number.POSITIVE_INFINITY,
  ) {
    super(path);
  }
  #live(): void {
    if (this.left-- <= 0) throw new Error('killed');
  }
  override async add(path: string, bytes: Uint8Array) {
    this.#live();
    return await super.add(path, bytes);
  }
  override async writeKeys(text: string) {
    this.#live();
    await super.writeKeys(text);
  }
  override async writePointer(text: string) {
    this.#live();
    await super.writePointer(text);
  }
  override async remove(path: string) {
    this.#live();
    await super.remove(path);
  }
  override async prune(wanted: Parameters<PublicationFolder['prune']>[0]) {
    this.#live();
    await super.prune(wanted);
  }
}

let path: string;
let cloud: FakeCloud;
beforeEach(async () => {
  path = mkdtempSync(join(tmpdir(), 'publisher-'));
  cloud = new FakeCloud();
  await cloud.rotate();
});
afterEach(() => rmSync(path, { recursive: true, force: true }));

/** Large bundles are written seldom. */
const SELDOM = { smallBytes: 0, changes: 1000, share: 1000 };

async function publisher({
  wholeBundles = WHOLE_BUNDLES,
  left = Number.POSITIVE_INFINITY,
  keep = 256,
  allowRollback = false,
} = {}) {
  const folder = new DyingFolder(path, left);
  await folder.open();
  return new Publisher({ folder, feed: cloud as unknown as BundleFeed, keep, allowRollback, wholeBundles });
}

/** The newest revision that an agent comes to which serves this one, or nothing. Fails where it gets stuck. */
async function followed(from?: string): Promise<string> {
  const { newest, bundle } = readPointer(readFileSync(join(path, 'newest.json'), 'utf8'));
  const { kid } = JSON.parse(Buffer.from(newest.split('.')[0] ?? '', 'base64url').toString());
  const target = JSON.parse(Buffer.from(newest.split('.')[1] ?? '', 'base64url').toString()).bundle;
  const { keys } = JSON.parse(readFileSync(join(path, 'keys.json'), 'utf8'));
  let at = from;
  if (at === undefined) {
    const checked = await checkedBundle(readFileSync(join(path, bundlePath(kid, bundle))), keys);
    expect(checked).toMatchObject({ revision: bundle, kid });
    at = bundle;
  }
  while (at !== target) at = (await checkedDelta(readFileSync(join(path, deltaPath(kid, at))), at, keys)).revision;
  return target;
}

describe('a publisher', () => {
  it('writes the change of each commit, and the whole bundle once the tenant is quiet', async () => {
    const own = await publisher({ wholeBundles: SELDOM });
    await own.round(1);
    const first = await followed();
    for (cloud.number = 2; cloud.number < 6; cloud.number++) await own.round(1);
    cloud.number = 5;
    expect(readdirSync(join(path, cloud.kid)).filter((name) => name.startsWith('bundle-'))).toHaveLength(1);
    expect(await followed(first)).toBe(cloud.refOf(5).revision);
    expect(await followed()).toBe(cloud.refOf(5).revision);
    const { done } = await own.round(1);
    expect([done, readPointer(readFileSync(join(path, 'newest.json'), 'utf8')).bundle]).toEqual([
      true,
      cloud.refOf(5).revision,
    ]);
    expect(await followed(first)).toBe(cloud.refOf(5).revision);
  });

  it('writes the whole bundle after many changes, though the tenant is never quiet', async () => {
    const own = await publisher({ wholeBundles: { ...SELDOM, changes: 3 } });
    for (; cloud.number < 12; cloud.number++) await own.round(1);
    const { bundle } = readPointer(readFileSync(join(path, 'newest.json'), 'utf8'));
    expect(Number.parseInt(bundle, 10)).toBeGreaterThan(7);
    expect(await followed()).toBe(cloud.refOf(11).revision);
  });

  it.each([1, 2, 3])('joins a whole bundle to the changes where every %i. request finds a commit', async (every) => {
    const own = await publisher({ wholeBundles: { ...SELDOM, changes: 2 } });
    await own.round(1);
    let last = await followed();
    cloud.before = () => {
      if (cloud.asked % every === 0) cloud.number++;
    };
    for (let rounds = 0; rounds < 12; rounds++) {
      await own.round(1);
      last = await followed(last);
      expect(await followed()).toBe(last);
    }
    cloud.before = () => {};
    while (!(await own.round(1)).done);
    expect(await followed(last)).toBe(cloud.refOf(cloud.number).revision);
  });

  it.each([WHOLE_BUNDLES, SELDOM])(
    'leaves what agents can use before whichever write it is killed (%j)',
    async (wholeBundles) => {
      await (await publisher({ wholeBundles })).round(0);
      for (let left = 0; left < 10; left++) {
        const before = await followed();
        cloud.number++;
        const dying = await publisher({ wholeBundles, left });
        for (let rounds = 0; rounds < 3; rounds++) {
          await dying.round(1).catch((error: Error) => expect(error.message).toBe('killed'));
          expect(await followed(before)).toBe(await followed());
        }
        const next = await publisher({ wholeBundles });
        while (!(await next.round(0)).done);
        expect(await followed(before)).toBe(cloud.refOf(cloud.number).revision);
        expect(await followed()).toBe(cloud.refOf(cloud.number).revision);
      }
    },
  );

  it('goes on from what another has published meanwhile', async () => {
    const [one, other] = [await publisher({ wholeBundles: SELDOM }), await publisher({ wholeBundles: SELDOM })];
    let last: string | undefined;
    for (const own of [one, one, other, one, other, other, one]) {
      await own.round(1);
      last = await followed(last);
      expect(last).toBe(cloud.refOf(cloud.number).revision);
      cloud.number++;
    }
    expect(await followed()).toBe(last);
  });

  it('begins with a whole bundle in the folder of a new key', async () => {
    const own = await publisher({ wholeBundles: SELDOM });
    await own.round(1);
    const before = cloud.kid;
    await cloud.rotate();
    cloud.number++;
    await own.round(1);
    expect(await followed()).toBe(cloud.refOf(2).revision);
    expect(readdirSync(path)).toEqual(expect.arrayContaining([before, cloud.kid]));
    const again = await publisher({ wholeBundles: SELDOM });
    cloud.number++;
    await again.round(1);
    expect(await followed(cloud.refOf(2).revision)).toBe(cloud.refOf(3).revision);
  });

  it('keeps as many changes before the whole bundle as are wanted, for agents that were away', async () => {
    const own = await publisher({ keep: 3 });
    for (; cloud.number < 9; cloud.number++) await own.round(0);
    const revisions = readdirSync(join(path, cloud.kid)).flatMap((name) => /^delta-(\d+)/.exec(name)?.[1] ?? []);
    expect(revisions.map(Number).sort()).toEqual([5, 6, 7]);
    expect(await followed(cloud.refOf(5).revision)).toBe(cloud.refOf(8).revision);
  });

  it('begins with a whole bundle in each later epoch, and never goes back to an earlier one', async () => {
    const signer = await epochSigner(await makeEpochKey());
    const epoch = (number: number) =>
      declareEpoch({ number, id: '00000001', declaredAt: new Date().toISOString() }, signer);
    const named = () => followed().then((token) => token.split('.').slice(2).join('.'));
    const [one, other] = [await publisher({ wholeBundles: SELDOM }), await publisher({ wholeBundles: SELDOM })];
    for (; cloud.number < 4; cloud.number++) await one.round(1);
    cloud.number = 3;
    cloud.epoch = await epoch(7);
    await one.round(1);
    expect([await named(), one.published]).toEqual(['7-00000001', `${cloud.refOf(3).revision}.7-00000001`]);
    const before = await followed();
    cloud.number++;
    await other.round(1);
    expect(await followed(before)).toBe(`${cloud.refOf(4).revision}.7-00000001`);
    // Restored to before both.
    cloud.number = 2;
    await expect(one.round(1)).rejects.toThrow('is older than the published revision');
    cloud.epoch = await epoch(8);
    await one.round(1);
    expect(await followed()).toBe(`${cloud.refOf(2).revision}.8-00000001`);
    expect(readPointer(readFileSync(join(path, 'newest.json'), 'utf8')).bundle).toBe(await followed());
    cloud.epoch = await epoch(7);
    cloud.number = 9;
    await expect(other.round(1)).rejects.toThrow('is older than the published revision');
    expect(await named()).toBe('8-00000001');
  });

  it.each([
    ['by the one that has published', false],
    ['by one that starts', true],
  ])('refuses another past at the published number and beyond, unless that is permitted: %s', async (_, starts) => {
    const own = await publisher();
    cloud.number = 4;
    await own.round(0);
    const before = await followed();
    cloud.forkedAt = 2;
    for (const number of [4, 5]) {
      cloud.number = number;
      if (starts) await cloud.rotate();
      const next = starts ? await publisher() : own;
      await expect(next.round(0)).rejects.toThrow(/comes from a history without the published revision 4/);
      expect(JSON.parse(readFileSync(join(path, 'newest.json'), 'utf8')).bundle).toBe(before);
    }
    await (await publisher({ allowRollback: true })).round(0);
    expect(await followed()).toBe(cloud.refOf(5).revision);
  });

  it('leads nobody to what the cloud has lost, once it was permitted to go back', async () => {
    const own = await publisher({ wholeBundles: SELDOM });
    for (; cloud.number < 5; cloud.number++) await own.round(1);
    const [forkedAt, kept] = [2, cloud.refOf(2).revision];
    Object.assign(cloud, { forkedAt, number: forkedAt });
    await (await publisher({ allowRollback: true })).round(0);
    const next = await publisher();
    for (cloud.number = 3; cloud.number < 5; cloud.number++) await next.round(0);
    await next.round(0);
    expect(await followed()).toBe(cloud.refOf(5).revision);
    expect(await followed(kept)).toBe(cloud.refOf(5).revision);
  });

  it('keeps for a while what the pointer just named, though it is old and another key signs', async () => {
    const own = await publisher();
    await own.round(0);
    const placed = join(path, bundlePath(cloud.kid, cloud.refOf(1).revision));
    const old = new Date(Date.now() - 2 * 3_600_000);
    utimesSync(placed, old, old);
    await cloud.rotate();
    await own.round(0);
    expect(existsSync(placed)).toBe(true);
    utimesSync(placed, old, old);
    await own.round(0);
    expect(existsSync(placed)).toBe(false);
  });

  it('replaces what is damaged where a bundle and changes belong', async () => {
    const own = await publisher();
    await own.round(1);
    const first = await followed();
    const second = cloud.refOf(2).revision;
    for (const place of [deltaPath(cloud.kid, first), bundlePath(cloud.kid, second)])
      writeFileSync(join(path, place), 'damaged');
    cloud.number = 2;
    await own.round(0);
    expect(await followed(first)).toBe(second);
    expect(await followed()).toBe(second);
  });

  it('publishes nothing that was damaged on its way', async () => {
    const own = await publisher();
    await own.round(0);
    const before = await followed();
    cloud.number++;
    const ask = cloud.ask.bind(cloud);
    cloud.ask = async (since) => {
      const answer = await ask(since);
      return { ...answer, bytes: answer.bytes.subarray(0, answer.bytes.length / 2) };
    };
    await expect(own.round(0)).rejects.toThrow(expect.objectContaining({ code: 'invalid_bundle' }));
    expect(await followed()).toBe(before);
  });
});
