import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { Header } from 'tar/header';
import { describe, expect, it } from 'vitest';
import type { EngineRecord, RecordChange } from '../access/api/engine.js';
import { addressOf, definitions } from '../records/registry.js';
import { DigestSet } from '../state/digest-set.js';
import { revisionText } from '../state/revision.js';
import type { Delta } from './delta.js';
import { moveDigests } from './delta-digest.js';
import { decodeDeltaInSteps, unpackDelta } from './delta-read.js';
import { packDelta } from './delta-write.js';
import { digestRecords } from './digest.js';
import { makeBundleKey, signingKey } from './make-key.js';
import { unpackBundle } from './read.js';
import { recordText } from './record-text.js';
import { signJson } from './signing-key.js';
import { signDelta, signStatement, statementOf, verifyDelta, verifyStatement } from './statement.js';

const LIMITS = { compressed: 1_000_000, unpacked: 10_000_000 };

function record(kind: EngineRecord['kind'], fields: Record<string, unknown>, id = 'id'): EngineRecord {
  return { kind, id, fields: definitions[kind].schema.parse(fields) } as EngineRecord;
}

const alice = record('subject', { type: 'user', id: 'alice', properties: { level: 1, text: 'ä\n\u2028' } }, 'alice');
const promoted = record('subject', { type: 'user', id: 'alice', properties: { level: 2 } }, 'alice');
const auditor = record('role', { name: 'auditor' });
const editor = record('role', { name: 'editor' });
const BASE = [alice, auditor];
const CHANGES: RecordChange[] = [{ before: alice, after: promoted }, { before: auditor }, { after: editor }];

function refOf(number: number, records: EngineRecord[]) {
  const digest = digestRecords(records);
  return { revision: revisionText(number, digest), digest };
}

const delta: Delta = {
  tenant: { id: 't1', name: 'acme' },
  base: refOf(7, BASE),
  ...refOf(9, [promoted, editor]),
  changes: CHANGES,
};

function finish<T>(steps: Generator<undefined, T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

function textOf({ before, after }: RecordChange) {
  return { before: before && recordText(before), after: after && recordText(after) };
}

async function bytesOf(packed: Delta): Promise<Buffer> {
  return (await unpackDelta(await packDelta(packed, packed.changes.map(textOf)), LIMITS)).json;
}

const bytes = await bytesOf(delta);

/** The same delta with its parsed text edited, written as `packDelta` writes. */
function edited(edit: (value: Record<string, unknown> & { changes: unknown[] }) => unknown): Buffer {
  const value = JSON.parse(bytes.toString());
  edit(value);
  const { changes, ...head } = value;
  const lines = changes.map((change: unknown) => JSON.stringify(change)).join(',\n');
  return Buffer.from(`${JSON.stringify(head).slice(0, -1)},"changes":[${lines === '' ? '' : `\n${lines}`}\n]}\n`);
}

describe('a delta', () => {
  it('is read as it was written, by whoever unpacks it', () => {
    expect(finish(decodeDeltaInSteps(bytes))).toEqual(delta);
    expect(JSON.parse(bytes.toString())).toMatchObject({ format: 1, revision: delta.revision });
    expect(bytes.toString().split('\n')).toHaveLength(CHANGES.length + 3);
  });

  it('may hold no change, and thousands', async () => {
    const none = { ...delta, changes: [] };
    expect(finish(decodeDeltaInSteps(await bytesOf(none)))).toEqual(none);
    const names = Array.from({ length: 5000 }, (_, index) => `r${String(index).padStart(5, '0')}`);
    const many = { ...delta, changes: names.map((name) => ({ after: record('role', { name }) })) };
    expect(finish(decodeDeltaInSteps(await bytesOf(many)))).toEqual(many);
  });

  it('carries its signature beside it', async () => {
    const archive = await packDelta(delta, CHANGES.map(textOf), async (sha256) => `signed ${sha256}`);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(await unpackDelta(archive, LIMITS)).toEqual({ json: bytes, jws: `signed ${sha256}` });
  });

  const change = (edit: (sides: Record<string, unknown>) => unknown) =>
    edited(({ changes }) => edit(changes[0] as never));
  const api = { kind: 'api_key', id: 'k', fields: { name: 'k', scopes: ['bundle'] } };
  it.each<[string, () => Buffer, RegExp]>([
    ['nothing', () => Buffer.alloc(0), /incomplete or damaged/],
    ['text', () => Buffer.from('<html>\n]}\n'), /incomplete or damaged/],
    ['a text cut off', () => bytes.subarray(0, -2), /incomplete or damaged/],
    [
      'a text cut off between two lines',
      () => bytes.subarray(0, bytes.lastIndexOf(',\n') + 2),
      /incomplete or damaged/,
    ],
    ['a text with more behind it', () => Buffer.concat([bytes, Buffer.from('x')]), /incomplete or damaged/],
    ['lines without commas', () => Buffer.from(bytes.toString().replaceAll(',\n', '\n')), /incomplete or damaged/],
    ['a bundle', () => Buffer.from('{"format":1,"revision":"1.0","tenants":[\n]}\n'), /incomplete or damaged/],
    ['another format', () => edited((value) => Object.assign(value, { format: 6 })), /format 6; .* update/],
    ['no tenant', () => edited((value) => Object.assign(value, { tenant: undefined })), /tenant .* not a JSON object/],
    [
      'a tenant without name',
      () => edited((value) => Object.assign(value, { tenant: { id: 'x' } })),
      /no id or no name/,
    ],
    ['no base', () => edited((value) => Object.assign(value, { base: undefined })), /base .* not a JSON object/],
    [
      'a base whose revision is of another digest',
      () => edited((value) => Object.assign(value.base as object, { digest: '0'.repeat(64) })),
      /does not belong to the digest 0000/,
    ],
    ['a digest that is none', () => edited((value) => Object.assign(value, { digest: 'x' })), /no digest: "x"/],
    ['a revision that is none', () => edited((value) => Object.assign(value, { revision: '9' })), /revision "9"/],
    [
      'a change of nothing',
      () => change((sides) => Object.assign(sides, { before: undefined, after: undefined })),
      /Change 0 must have/,
    ],
    ['a change that says more', () => change((sides) => Object.assign(sides, { more: 1 })), /and nothing else/],
    ['a change that is no object', () => edited(({ changes }) => changes.push(1)), /Change 3 is not a JSON object/],
    ['a change from null', () => change((sides) => Object.assign(sides, { before: null })), /unknown kind/],
    [
      'a change to another address',
      () => change((sides) => Object.assign(sides, { after: editor })),
      /another address/,
    ],
    ['an unknown kind', () => change((sides) => Object.assign(sides, { before: { ...alice, kind: 'x' } })), /kind "x"/],
    [
      'a credential',
      () => change((sides) => Object.assign(sides, { before: api, after: api })),
      /no bundle may contain/,
    ],
    ['a record without id', () => change((sides) => Object.assign(sides, { after: { ...promoted, id: '' } })), /no id/],
    [
      'fields of a wrong type',
      () => change((sides) => Object.assign(sides, { after: { ...promoted, fields: { type: 'user', id: 1 } } })),
      /fields that are missing/,
    ],
    ['the same address twice', () => edited(({ changes }) => changes.push(changes.at(-1))), /repeated or out of order/],
    ['changes out of order', () => edited(({ changes }) => changes.reverse()), /repeated or out of order/],
  ])('is refused with %s', (_, offered, detail) => {
    const act = () => finish(decodeDeltaInSteps(offered()));
    expect(act).toThrow(expect.objectContaining({ code: 'invalid_bundle', detail: expect.stringMatching(detail) }));
  });
});

describe('unpackDelta', () => {
  const tar = (path: string, body: Buffer) => {
    const header = Buffer.alloc(512);
    new Header({ path, type: 'File', mode: 0o644, size: body.length }).encode(header);
    return Buffer.concat([header, body, Buffer.alloc((512 - (body.length % 512)) % 512)]);
  };
  const archive = (...parts: Buffer[]) => gzipSync(Buffer.concat([...parts, Buffer.alloc(1024)]));
  const zeros = archive(tar('delta.json', Buffer.alloc(5_000_000)));

  it.each<[string, Buffer, RegExp]>([
    ['a bundle', archive(tar('bundle.json', bytes)), /entry "bundle.json"/],
    ['a third entry', archive(tar('delta.json', bytes), tar('x', bytes)), /entry "x"/],
    ['what unpacks to too much', zeros, /unpacks to more than 100000 bytes/],
    ['what is too large itself', Buffer.alloc(200_000), /larger than 100000 bytes|not a whole gzip/],
  ])('refuses %s', async (_, offered, detail) => {
    const limits = { compressed: 100_000, unpacked: 100_000 };
    await expect(unpackDelta(offered, limits)).rejects.toMatchObject({ detail: expect.stringMatching(detail) });
  });

  it('gives archives that are no bundles', async () => {
    const offered = await packDelta(delta, []);
    await expect(unpackBundle(offered, LIMITS)).rejects.toMatchObject({ detail: expect.stringMatching(/delta.json/) });
  });
});

describe('moveDigests', () => {
  const setOf = (records: EngineRecord[]) => {
    const set = new DigestSet();
    for (const { kind, fields } of records) set.add(addressOf(kind, fields), fields);
    return set;
  };

  it('leads from the digest of the base to that of the end', () => {
    const set = setOf(BASE);
    finish(moveDigests(set, delta));
    expect(set.hex()).toBe(delta.digest);
  });

  it.each<[string, EngineRecord[], Partial<Delta>, RegExp]>([
    ['what is not there', [alice], {}, /no such record: role\/auditor/],
    ['what is there already', [...BASE, editor], {}, /have the digest/],
    ['more than it says', BASE, { changes: CHANGES.slice(0, 2) }, /have the digest/],
    ['a second time', [promoted, editor], {}, /no such record/],
    ['what another delta says', BASE, { digest: '0'.repeat(64) }, /not 0000/],
  ])('refuses to change %s, and leaves the set as it was', (_, records, more, detail) => {
    const set = setOf(records);
    const before = set.hex();
    expect(() => finish(moveDigests(set, { ...delta, ...more }))).toThrow(
      expect.objectContaining({ code: 'invalid_bundle', detail: expect.stringMatching(detail) }),
    );
    expect(set.hex()).toBe(before);
  });
});

describe('verifyDelta', async () => {
  const { kid, privateJwk, publicKey } = await makeBundleKey();
  const signer = await signingKey(kid, privateJwk);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const own = await signDelta(sha256, new Date(0), signer);
  const ofBundle = await signStatement(statementOf({ revision: '7', tenants: [] }, sha256, new Date(0)), signer);
  const stranger = await makeBundleKey();
  const words = { format: 1, sha256, issued_at: new Date(0).toISOString() };

  it('gives what a trusted key stated of these bytes', async () => {
    expect(await verifyDelta(own, sha256, [publicKey])).toEqual({
      format: 1,
      sha256,
      issued_at: '1970-01-01T00:00:00.000Z',
    });
  });

  it.each<[string, () => Promise<unknown>, RegExp]>([
    ['no signature', () => verifyDelta(undefined, sha256, [publicKey]), /contains no delta.jws/],
    ['one of other bytes', () => verifyDelta(own, '0'.repeat(64), [publicKey]), /another delta/],
    ['one of an unknown key', () => verifyDelta(own, sha256, [stranger.publicKey]), /not trusted/],
    ['that of a bundle with the same bytes', () => verifyDelta(ofBundle, sha256, [publicKey]), /not made with the key/],
    [
      'its own words under the type of a bundle',
      async () => verifyDelta(await signJson(words, 'policy-bundle+jws', signer), sha256, [publicKey]),
      /not made with the key/,
    ],
    ['its own for a bundle', () => verifyStatement(own, sha256, [publicKey]), /not made with the key/],
  ])('refuses %s', async (_, verify, detail) => {
    await expect(verify()).rejects.toMatchObject({ code: 'invalid_bundle', detail: expect.stringMatching(detail) });
  });
});
