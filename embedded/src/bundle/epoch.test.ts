import {
  declareEpoch,
  type Epoch,
  type EpochSigner,
  epochName,
  epochSigner,
  makeEpochKey,
  readEpoch,
} from '@authz-service/core/bundle/epoch';
import { statementOf } from '@authz-service/core/bundle/statement';
import { beforeAll, describe, expect, it } from 'vitest';
import { compareEpochs, isBehind, parseLastServed } from '../cache/last-served.js';
import { epochOf, refuseOtherEpoch, withEpoch } from './epoch.js';
import type { Served } from './served.js';
import { NO_TRUST, type Trust, trustOf } from './trust.js';

let own: EpochSigner;
let other: EpochSigner;
let first: Epoch;
let trust: Trust;

beforeAll(async () => {
  own = await epochSigner(await makeEpochKey());
  other = await epochSigner(await makeEpochKey());
  first = await declared(100);
  trust = { ...NO_TRUST, epoch: first, epochKey: first.key };
});

const declared = (number: number, { id = '00000001', by = own } = {}) =>
  declareEpoch({ number, id, declaredAt: '2026-11-23T12:00:00.000Z' }, by);
const stating = (epoch?: Epoch | string) =>
  statementOf(
    { revision: '1.00000000000000aa', tenants: [] },
    '',
    new Date(),
    typeof epoch === 'object' ? epoch.jws : epoch,
  );
const judged = async (epoch: Epoch | string | undefined, { known = trust, allowRollback = false } = {}) =>
  (await epochOf(stating(epoch), known, { allowRollback }))?.number;
/** The statement with another payload, and the signature of before. */
const changed = ({ jws }: Epoch, change: (claims: Record<string, unknown>) => void) => {
  const [head, body = '', signature] = jws.split('.');
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
  change(claims);
  return [head, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.');
};

describe('an epoch that a bundle states', () => {
  it.each<[string, () => Promise<Epoch>, number]>([
    ['the known one', async () => first, 100],
    ['a later one', () => declared(101, { id: 'ffffffff' }), 101],
  ])('is taken: %s', async (_, epoch, number) => expect(await judged(await epoch())).toBe(number));

  it.each<[string, () => Promise<Epoch | string | undefined>, RegExp]>([
    ['an earlier one', () => declared(99), /is earlier than/],
    ['an earlier one of the same id', () => declared(99, { id: '00000001' }), /is earlier than/],
    ['another one of the same number', () => declared(100, { id: '00000002' }), /contradicts/],
    [
      'a later one by another key',
      () => declared(101, { by: other }),
      /is signed by the key epoch-.* and not by epoch-/,
    ],
    ['none', async () => undefined, /states no epoch/],
    ['no statement at all', async () => 'x.y.z', /nobody has signed/],
    [
      'a number that was raised',
      async () =>
        changed(first, (claims) => {
          claims.number = 200;
        }),
      /nobody has signed/,
    ],
    [
      'a key that was exchanged',
      async () =>
        changed(await declared(101, { by: other }), (claims) => {
          claims.key = own.publicKey;
        }),
      /nobody has signed/,
    ],
    [
      'the known id under another key',
      async () => {
        const { kid } = own.publicKey;
        return changed(await declared(101, { by: other }), (claims) => {
          (claims.key as { kid: string }).kid = kid;
        });
      },
      /nobody has signed/,
    ],
  ])('is refused: %s', async (_, epoch, cause) => {
    const stated = await epoch();
    await expect(judged(stated)).rejects.toMatchObject({
      code: 'invalid_bundle',
      detail: expect.stringMatching(cause),
    });
  });

  it('may be anything that is signed if the operator permits it', async () => {
    const permitted = (epoch: Epoch | undefined) => judged(epoch, { allowRollback: true });
    expect(await permitted(await declared(1, { by: other }))).toBe(1);
    expect(await permitted(undefined)).toBeUndefined();
    await expect(judged('x', { allowRollback: true })).rejects.toThrow('nobody has signed');
  });

  it('is of any key at the first contact, and of a pinned one even then', async () => {
    const known = { ...NO_TRUST };
    expect(await judged(undefined, { known })).toBeUndefined();
    expect(await judged(await declared(7, { by: other }), { known })).toBe(7);
    const pinned = await trustOf({ keys: [], epochKey: own.publicKey }, undefined);
    await expect(judged(await declared(7, { by: other }), { known: pinned })).rejects.toThrow('is signed by the key');
    expect(await judged(await declared(7), { known: pinned })).toBe(7);
  });

  it('is remembered with its key, from one run to the next', async () => {
    const next = withEpoch(NO_TRUST, first);
    expect([next.epoch, next.epochKey]).toEqual([first, own.publicKey]);
    expect(withEpoch(next, await readEpoch(first.jws))).toBe(next);
    const kept = { keys: [], announcements: [], epoch: first.jws };
    expect((await trustOf(undefined, kept)).epoch).toEqual(first);
    const repinned = await trustOf({ keys: [], epochKey: other.publicKey }, kept);
    expect([repinned.epoch, repinned.epochKey]).toEqual([undefined, other.publicKey]);
  });
});

describe('a revision of a later epoch', () => {
  const at = (revision: number, epoch?: number) => ({
    tenant: { id: 't', name: 't' },
    revision: `${revision}.00000000000000aa`,
    ...(epoch !== undefined && { epoch: { number: epoch, id: '00000001' } }),
  });
  it.each([
    ['an earlier revision of a later epoch', at(5, 2), at(9, 1), false],
    ['the first epoch, at an earlier revision', at(5, 1), at(9), false],
    ['a later revision of an earlier epoch', at(9, 1), at(5, 2), true],
    ['a later revision of no epoch', at(9), at(5, 2), true],
    ['the same revision of an earlier epoch', at(5, 1), at(5, 2), true],
    ['the same revision and epoch', at(5, 2), at(5, 2), false],
    ['an earlier revision of the same epoch', at(4, 2), at(5, 2), true],
  ])('is not behind: %s', (_, next, last, behind) => expect(isBehind(next, last)).toBe(behind));

  it('is noted with it', () => {
    const last = { ...at(5, 2), keyHash: 'hash' };
    expect(parseLastServed(JSON.stringify(last))).toEqual(last);
    expect(compareEpochs(parseLastServed(JSON.stringify({ ...at(5), keyHash: 'hash' })), last)).toBeLessThan(0);
    expect(() => parseLastServed(JSON.stringify({ ...last, epoch: { number: 'x' } }))).toThrow('cannot be read');
  });
});

it('changes lead to no other epoch', () => {
  const served = { epoch: first } as Served;
  const delta = (epoch?: string) => ({ format: 1, sha256: '', issued_at: '', ...(epoch && { epoch }) }) as const;
  refuseOtherEpoch(delta(epochName(first)), served);
  refuseOtherEpoch(delta(), {});
  for (const [epoch, of] of [
    ['101-00000001', served],
    [undefined, served],
    [epochName(first), {}],
  ] as const)
    expect(() => refuseOtherEpoch(delta(epoch), of)).toThrow('The delta is of');
});
