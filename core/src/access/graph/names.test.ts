import { expect, it } from 'vitest';
import { path } from '../../records/address.js';
import { ResourceType } from '../grants/target.js';
import { findType, TypeNames } from './names.js';

const types = new TypeNames();

function declare(application: string, name: string): void {
  const at = path(application, name);
  types.set(at, new ResourceType(at, application, name));
  types.declare(name, at, types.get(at) as ResourceType);
}

const meaning = (text: string) => findType(types, text)?.path;

it('takes a text with "/" for a path before it takes it for a bare name', () => {
  declare('app', 'doc');
  declare('a b', 'c d');
  expect(['doc', 'app/doc', 'a b/c d', 'a%20b/c%20d'].map(meaning)).toEqual([
    'app/doc',
    'app/doc',
    'a%20b/c%20d',
    'a%20b/c%20d',
  ]);
  declare('x', 'app/doc');
  expect(['doc', 'app/doc', 'x/app%2Fdoc'].map(meaning)).toEqual(['app/doc', 'app/doc', 'x/app%2Fdoc']);
  types.remove('app/doc', 'doc');
  expect(['doc', 'app/doc'].map(meaning)).toEqual([undefined, 'x/app%2Fdoc']);
  declare('app', 'doc');
  declare('y', 'app/doc');
  expect(meaning('app/doc')).toBe('app/doc');
  types.remove('x/app%2Fdoc', 'app/doc');
  expect(meaning('app/doc')).toBe('app/doc');
  types.remove('y/app%2Fdoc', 'app/doc');
  expect(['doc', 'app/doc', 'x/app%2Fdoc'].map(meaning)).toEqual(['app/doc', 'app/doc', undefined]);
});

it('refuses a bare name that fits two', () => {
  declare('other', 'doc');
  expect(() => meaning('doc')).toThrow('"app/doc" or "other/doc"');
  expect(meaning('other/doc')).toBe('other/doc');
});

it('has the types of other applications by name alone', () => {
  const slice = new TypeNames(new Set(['a']));
  for (const [application, name] of [
    ['a', 'x'],
    ['b', 'x'],
    ['b', 'y'],
  ] as const) {
    const at = path(application, name);
    slice.set(at, new ResourceType(at, application, name));
    slice.declare(name, at, slice.get(at) as ResourceType);
  }
  expect(findType(slice, 'a/x')?.path).toBe('a/x');
  expect(findType(slice, 'c/x')).toBeUndefined();
  expect(() => findType(slice, 'x')).toThrow(/"x" may mean "a\/x" or "b\/x"/);
  for (const other of ['y', 'b/y', 'b/x']) expect(() => findType(slice, other)).toThrow(/of the application "b"/);
});
