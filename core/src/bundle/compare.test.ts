import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import type { EngineRecord } from '../access/api/engine.js';
import { finished } from '../concurrency/time-slicing.js';
import { addressOf, definitions } from '../records/registry.js';
import { DigestSet } from '../state/digest-set.js';
import { revisionText } from '../state/revision.js';
import { compareBundles } from './compare.js';
import type { Delta } from './delta.js';
import { moveDigests } from './delta-digest.js';
import { decodeDeltaInSteps } from './delta-read.js';
import { encodeDelta } from './delta-write.js';
import { bundleRevision, digestRecords } from './digest.js';
import type { BundleTenant } from './types.js';
import { encodeBundle } from './write.js';

function record(kind: EngineRecord['kind'], fields: Record<string, unknown>, id = 'id'): EngineRecord {
  return { kind, id, fields: definitions[kind].schema.parse(fields) } as EngineRecord;
}
const subject = (id: string, level: unknown = 1) => record('subject', { type: 'user', id, properties: { level } }, id);
const role = (name: string, id = name) => record('role', { name }, id);

function tenant(number: number, records: EngineRecord[]): BundleTenant {
  const digest = digestRecords(records);
  return { id: 't1', name: 'acme', revision: revisionText(number, digest), digest, records };
}

function bytesOf(...tenants: BundleTenant[]): Buffer {
  return encodeBundle({ revision: bundleRevision(tenants), tenants });
}

function deltaBetween(from: BundleTenant, to: BundleTenant, changes: Delta['changes']): Delta {
  const { id, name, revision, digest } = to;
  return { tenant: { id, name }, base: from, revision, digest, changes };
}

interface Case {
  base: EngineRecord[];
  /** The states that deltas have led to since. */
  since?: EngineRecord[][];
  next: EngineRecord[];
}

/** Returns the addresses that change for an agent that serves the last of the states. */
function changed({ base, since = [], next }: Case): [string | undefined, string | undefined][] | undefined {
  const states = [base, ...since].map((records, at) => tenant(at + 1, records));
  const served = states.at(-1) as BundleTenant;
  const deltas = states.slice(1).map((state, at) => {
    const before = states[at] as BundleTenant;
    const places = new Map<string, { before?: EngineRecord; after?: EngineRecord }>();
    for (const one of before.records) places.set(addressOf(one.kind, one.fields), { before: one });
    for (const one of state.records) {
      const address = addressOf(one.kind, one.fields);
      places.set(address, { ...places.get(address), after: one });
    }
    const changes = [...places.values()].filter((pair) => JSON.stringify(pair.before) !== JSON.stringify(pair.after));
    return deltaBetween(before, state, changes);
  });
  const wanted = tenant(9, next);
  const current = { revision: served.revision, digest: served.digest };
  const found = compareBundles({ base: bytesOf(states[0] as BundleTenant), deltas, current }, bytesOf(wanted), 1000);
  if (found === undefined) return undefined;
  const delta = finished(decodeDeltaInSteps(Buffer.concat(encodeDelta(found.head, found.changes))));
  expect(delta).toMatchObject({ base: current, revision: wanted.revision, digest: wanted.digest });
  const digests = new DigestSet();
  for (const one of served.records) digests.add(addressOf(one.kind, one.fields), one.fields);
  finished(moveDigests(digests, delta));
  return delta.changes.map(({ before, after }) => [before && textOf(before), after && textOf(after)]);
}

function textOf({ kind, id, fields }: EngineRecord): string {
  const { level } = (fields as { properties?: { level?: unknown } }).properties ?? {};
  return `${addressOf(kind, fields)}#${id}${level === undefined ? '' : `=${level}`}`;
}

const many = Array.from({ length: 3000 }, (_, at) => subject(`s${String(at).padStart(5, '0')}`));
const [a, b, c] = [subject('a'), subject('b'), subject('c')];

describe('what leads from one bundle to another', () => {
  it.each<[string, Case, [string?, string?][]]>([
    ['nothing', { base: [a, b], next: [a, b] }, []],
    ['nothing, of nothing', { base: [], next: [] }, []],
    [
      'all that is new',
      { base: [], next: [a, role('r')] },
      [
        [undefined, 'subject/user/a#a=1'],
        [undefined, 'role/r#r'],
      ],
    ],
    ['all that is gone', { base: [a, role('r')], next: [] }, [['subject/user/a#a=1'], ['role/r#r']]],
    [
      'the first, the last and one between',
      { base: [b], next: [a, b, c] },
      [
        [undefined, 'subject/user/a#a=1'],
        [undefined, 'subject/user/c#c=1'],
      ],
    ],
    ['a change', { base: [a, b, c], next: [a, subject('b', 2), c] }, [['subject/user/b#b=1', 'subject/user/b#b=2']]],
    ['another id alone', { base: [role('r', 'one')], next: [role('r', 'two')] }, [['role/r#one', 'role/r#two']]],
    [
      'a kind before another',
      { base: [role('a')], next: [subject('z')] },
      [[undefined, 'subject/user/z#z=1'], ['role/a#a']],
    ],
    [
      'what deltas have not brought',
      { base: [a], since: [[a, b]], next: [a, b, c] },
      [[undefined, 'subject/user/c#c=1']],
    ],
    ['what deltas have brought and is gone', { base: [a], since: [[a, b]], next: [a] }, [['subject/user/b#b=1']]],
    [
      'nothing since the last of several deltas',
      {
        base: [a],
        since: [
          [a, b],
          [subject('a', 2), b],
          [subject('a', 3), b],
        ],
        next: [subject('a', 3), b],
      },
      [],
    ],
    [
      'what was changed by deltas and once more',
      {
        base: [a],
        since: [[subject('a', 2)], [subject('a', 3)]],
        next: [subject('a', 4)],
      },
      [['subject/user/a#a=3', 'subject/user/a#a=4']],
    ],
    [
      'what deltas took and is there again',
      { base: [a, b], since: [[b]], next: [a, b] },
      [[undefined, 'subject/user/a#a=1']],
    ],
  ])('is %s', (_, told, expected) => {
    expect(changed(told)).toEqual(expected.map(([before, after]) => [before, after]));
  });

  it.each([0, 1, 255, 256, 1500, 2998, 2999])('is found at record %i of many', (at) => {
    const one = many[at] as EngineRecord;
    const text = textOf(one);
    expect(changed({ base: many, next: many.toSpliced(at, 1) })).toEqual([[text, undefined]]);
    expect(changed({ base: many.toSpliced(at, 1), next: many })).toEqual([[undefined, text]]);
    const other = subject(one.id, 'x'.repeat(100_000));
    expect(changed({ base: many, next: many.with(at, other) })).toEqual([[text, textOf(other)]]);
    expect(changed({ base: many.with(at, other), next: many.toSpliced(5, 1) })).toHaveLength(at === 5 ? 1 : 2);
  });

  it('is not told where it is more than was asked for, or of several tenants', () => {
    const base = bytesOf(tenant(1, many));
    const next = bytesOf(
      tenant(
        2,
        many.map(({ id }) => subject(id, 2)),
      ),
    );
    const current = { revision: 'r', digest: 'd' };
    expect(compareBundles({ base, deltas: [], current }, next, many.length)?.changes).toHaveLength(many.length);
    expect(compareBundles({ base, deltas: [], current }, next, many.length - 1)).toBeUndefined();
    const two = bytesOf(tenant(1, many), { ...tenant(2, [a]), id: 't2', name: 'other' });
    expect(compareBundles({ base, deltas: [], current }, two, 9000)).toBeUndefined();
  });

  it.each<[string, (text: string) => string]>([
    ['that ends elsewhere', (text) => text.slice(0, -3)],
    ['that begins in another way', (text) => text.replace('"tenants":[', '"tenants": [')],
    ['with a record twice', (text) => text.replace(/\n(.*user\/a.*|.*"id":"a".*)\n/, '\n$1\n$1\n')],
    ['with a record out of order', (text) => text.replace(/(\{.*"id":"a".*),\n(\{.*"id":"b".*),\n/, '$2,\n$1,\n')],
    ['with what is no record', (text) => text.replace('"kind":"subject","id":"b"', '"kind":"what","id":"b"')],
  ])('is not told of a bundle %s', (_, edit) => {
    const good = bytesOf(tenant(1, [a, b, c])).toString();
    expect(edit(good)).not.toBe(good);
    const base = bytesOf(tenant(1, [c]));
    const current = { revision: 'r', digest: 'd' };
    expect(() => compareBundles({ base, deltas: [], current }, Buffer.from(edit(good)), 99)).toThrow();
  });
});
