import { gzipSync } from 'node:zlib';
import type { Random } from '../random.js';

/** JSON text that no value serializes to. */
class Raw {
  constructor(readonly text: string) {}
}

type Node = { [name: string]: unknown } | unknown[];

const NAMES = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '',
  '\u0000',
  'Subject',
  'ſubject',
];

/** Values to put in the place of others. */
const ODD_VALUES: (() => unknown)[] = [
  () => null,
  () => true,
  () => 0,
  () => -1,
  () => '',
  () => [],
  () => ({}),
  () => [[]],
  () => ['alice'],
  () => ({ toString: 'alice', length: 5 }),
  () => ({ $ne: null }),
  () => '__proto__',
  () => 'alice\u0000',
  () => ' alice',
  () => 'ALICE',
  () => 'alice\u200b',
  () => 'ａｌｉｃｅ',
  () => 'user/alice',
  () => '*',
  () => '../alice',
  () => "' or 1=1 --",
  () => 'x'.repeat(5_000),
  () => '\u{10ffff}\uffff',
  () => new Raw('"\\ud800"'),
  () => new Raw('"alice\\udc00"'),
  () => new Raw('"\\u0061lice"'),
  () => new Raw('1e999'),
  () => new Raw('-0'),
  () => new Raw('123456789012345678901234567890'),
  () => new Raw('1e-400'),
  () => new Raw('NaN'),
  () => new Raw('0x1'),
  () => new Raw('01'),
  () => new Raw("'alice'"),
  () => new Raw('undefined'),
  () => new Raw('"\t"'),
  () => new Raw('{"__proto__":{"id":"alice","type":"user"}}'),
  () => Array.from({ length: 300 }, (_, index) => index),
  () => Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`key${index}`, index])),
  () => nested(50),
  () => nested(99),
  () => nested(101),
  () => nested(20_000),
];

const ROOTS = [
  '',
  ' ',
  'null',
  '[]',
  '""',
  '0',
  'true',
  '{}',
  '[{}]',
  '{}{}',
  '{"subject"',
  '\ufeff{}',
  '//',
  '{,}',
  '{"a":1,}',
];

function nested(depth: number): Raw {
  return new Raw(`${'{"a":['.repeat(depth / 2)}1${']}'.repeat(depth / 2)}`);
}

type Mutation = (random: Random, good: Node) => Buffer;

const MUTATIONS: Mutation[] = [
  (_, good) => bytesOf(good),
  (random, good) => bytesOf(changed(random, good, (node, name) => set(node, name, random.pick(ODD_VALUES)()))),
  (random, good) => bytesOf(changed(random, good, (node, name) => set(node, name, random.pick(ODD_VALUES)()))),
  (random, good) => bytesOf(changed(random, good, (node, name) => Reflect.deleteProperty(node, name))),
  (random, good) => bytesOf(changed(random, good, (node) => set(node, random.pick(NAMES), random.pick(ODD_VALUES)()))),
  (random, good) => Buffer.from(twice(random, text(good))),
  (random, good) => cut(random, bytesOf(good)),
  (random, good) => flipped(random, bytesOf(good)),
  (random, good) => spliced(random, bytesOf(good), random.pick(SPLICES)),
  (random) => Buffer.from(random.pick(ROOTS)),
  (random, good) => Buffer.from(text(good), random.pick(['utf16le', 'latin1', 'base64', 'hex'])),
  (_, good) => gzipSync(bytesOf(good)),
  (random, good) =>
    random.chance(0.03)
      ? bytesOf({ ...good, padding: 'x'.repeat(900_000 + random.below(900_000)) })
      : bytesOf({ ...good, padding: 'x' }),
  (random) => Buffer.from(Array.from({ length: random.below(300) }, () => random.below(256))),
];

/** Bytes that are not UTF-8 or not JSON, some of them in the middle. */
const SPLICES = [
  'c328',
  'ff',
  'fe',
  'eda080',
  'f4908080',
  'c080',
  '00',
  'efbbbf',
  '0a',
  '22',
  '7d',
  '5b',
  '5c75',
  '2c',
  '3a',
].map((hex) => Buffer.from(hex, 'hex'));

/** A body made from a valid one, usually malformed. */
export function malformed(random: Random, good: object): Buffer {
  return random.pick(MUTATIONS)(random, good as Node);
}

function text(value: unknown): string {
  if (value instanceof Raw) return value.text;
  // Not by its own `map`: a mutation may have given it a constructor of another kind.
  if (Array.isArray(value)) return `[${Array.from(value, (item) => text(item)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  return `{${Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${text(member)}`)}}`;
}

const bytesOf = (value: unknown): Buffer => Buffer.from(text(value));

/** A copy in which `change` was made to one member somewhere. */
function changed(random: Random, good: Node, change: (node: Node, name: string) => void): Node {
  const copy = structuredClone(good);
  const places: [Node, string][] = [];
  const walk = (node: Node): void => {
    for (const [name, member] of Object.entries(node)) {
      places.push([node, name]);
      if (typeof member === 'object' && member !== null) walk(member as Node);
    }
  };
  walk(copy);
  if (places.length > 0) change(...random.pick(places));
  return copy;
}

function set(node: Node, name: string, value: unknown): void {
  Object.defineProperty(node, name, { value, enumerable: true, writable: true, configurable: true });
}

/** Repeats one member with another value. */
function twice(random: Random, json: string): string {
  const names = [...json.matchAll(/"[a-z]+":/g)];
  if (names.length === 0) return json;
  const { 0: name, index } = random.pick(names);
  return `${json.slice(0, index)}${name}${text(random.pick(ODD_VALUES)())},${json.slice(index)}`;
}

const cut = (random: Random, bytes: Buffer): Buffer => bytes.subarray(0, random.below(bytes.length));

function flipped(random: Random, bytes: Buffer): Buffer {
  for (let count = 1 + random.below(3); count > 0; count--) {
    const index = random.below(bytes.length);
    bytes.writeUInt8(bytes.readUInt8(index) ^ (1 << random.below(8)), index);
  }
  return bytes;
}

function spliced(random: Random, bytes: Buffer, extra: Buffer): Buffer {
  const index = random.below(bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, index), extra, bytes.subarray(index)]);
}
