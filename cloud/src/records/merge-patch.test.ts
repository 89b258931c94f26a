import type { Json } from '@authz-service/core/json/json';
import { expect, it } from 'vitest';
import { mergePatch } from './merge-patch.js';

const protoMember = JSON.parse('{"__proto__":{"admin":true}}') as Json;

const rows: [behaviour: string, target: Json | undefined, patch: Json, merged: Json][] = [
  ['replaces a member', { a: 'b' }, { a: 'c' }, { a: 'c' }],
  ['adds a member', { a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  ['takes a member away by null', { a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  ['ignores null for a member that is not there', { a: 'b' }, { x: null }, { a: 'b' }],
  ['replaces lists whole', { a: ['b', 'c'] }, { a: ['d'] }, { a: ['d'] }],
  ['merges objects in objects', { a: { b: 1, c: 2 } }, { a: { b: 3, c: null } }, { a: { b: 3 } }],
  ['replaces an object by a value', { a: { b: 1 } }, { a: 'c' }, { a: 'c' }],
  ['drops nulls inside new objects', {}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ['makes an object of what was none', ['a'], { b: 1 }, { b: 1 }],
  ['makes an object of nothing', undefined, { b: 1 }, { b: 1 }],
];

it.each(rows)('%s', (_, target, patch, merged) => {
  expect(mergePatch(target, patch)).toEqual(merged);
});

it('keeps a member named __proto__ an ordinary one', () => {
  const merged = mergePatch({}, protoMember) as { admin?: unknown };
  expect(merged.admin).toBeUndefined();
  expect(JSON.stringify(merged)).toBe('{"__proto__":{"admin":true}}');
});

it('leaves its arguments as they were', () => {
  const target = { a: { b: 1 } };
  mergePatch(target, { a: { b: 2, c: 3 } });
  expect(target).toEqual({ a: { b: 1 } });
});
