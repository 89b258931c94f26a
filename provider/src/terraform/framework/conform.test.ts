import { describe, expect, it } from 'vitest';
import { faultsOf, keepSpelling, withoutUnknown } from './conform.js';
import type { Attributes } from './schema.js';
import { UNKNOWN, type Value } from './value.js';

const description = '';
const nested = {
  text: { type: 'string' as const, description },
  made: { type: 'string' as const, description, computed: true },
};
const attributes: Attributes = {
  text: { type: 'string', description, same: (a, b) => String(a).toLowerCase() === String(b).toLowerCase() },
  tags: { type: { set: 'string' }, description },
  hidden: { type: 'string', description, writeOnly: true },
  one: { nested: 'single', attributes: nested, description },
  list: { nested: 'list', attributes: nested, description },
  set: { nested: 'set', attributes: nested, description },
  map: { nested: 'map', attributes: nested, description },
};

describe('what Terraform holds a provider to', () => {
  it.each<[string, { [name: string]: Value }, { [name: string]: Value }, string[]]>([
    ['equal values', { text: 'a', tags: ['a', 'b'] }, { text: 'a', tags: ['b', 'a'] }, []],
    ['values made in place of unknown ones', { text: UNKNOWN, tags: UNKNOWN }, { text: 'a', tags: [] }, []],
    ['another value', { text: 'a' }, { text: 'b' }, ['"text" is not what was planned']],
    ['another spelling', { text: 'a' }, { text: 'A' }, ['"text" is not what was planned']],
    ['a value in place of null', {}, { text: 'b' }, ['"text" is not what was planned']],
    ['what is still unknown', { text: UNKNOWN }, { text: UNKNOWN }, ['"text" is still unknown']],
    ['a write-only value', {}, { hidden: 'a' }, ['"hidden" is write-only and came back']],
    ['parts made of nested objects', { one: { text: 'a', made: UNKNOWN } }, { one: { text: 'a', made: 'm' } }, []],
    [
      'other parts of nested objects',
      { one: { text: 'a', made: UNKNOWN } },
      { one: { text: 'b', made: 'm' } },
      ['"one" is not what was planned'],
    ],
    [
      'a list of another length',
      { list: [{ text: 'a', made: UNKNOWN }] },
      { list: [] },
      ['"list" is not what was planned'],
    ],
    ['an unknown element', { list: [UNKNOWN] }, { list: [{ text: 'a', made: 'm' }] }, []],
    [
      'sets that were unknown in part',
      { set: [{ text: UNKNOWN, made: null }] },
      { set: [{ text: 'a', made: null }] },
      [],
    ],
    [
      'maps that were unknown in part',
      { map: { k: { text: 'a', made: UNKNOWN } } },
      { map: { k: { text: 'b', made: 'm' } } },
      ['"map" is not what was planned'],
    ],
  ])('judges %s', (_name, planned, result, faults) => {
    expect(faultsOf(attributes, result, planned)).toEqual(faults);
  });

  it('keeps the spelling of the state where the meaning is the same', () => {
    const present = { text: 'ABC', tags: ['x'] };
    expect(keepSpelling(attributes, { text: 'abc' }, present)).toMatchObject({ text: 'abc', tags: ['x'] });
    expect(keepSpelling(attributes, { text: 'xyz' }, present)).toMatchObject({ text: 'ABC' });
    expect(keepSpelling(attributes, {}, present)).toMatchObject({ text: 'ABC' });
  });

  it('keeps it inside nested objects and lists, and where absence means the same', () => {
    const switched: Attributes = {
      on: { type: 'bool', description, same: (a, b) => (a === true) === (b === true) },
    };
    const within: Attributes = {
      one: { nested: 'single', attributes: switched, description },
      list: { nested: 'list', attributes: switched, description },
    };
    const state = { one: { on: false }, list: [{ on: false }, { on: false }] };
    expect(keepSpelling(within, state, { one: { on: null }, list: [{ on: true }, { on: null }] })).toEqual({
      one: { on: false },
      list: [{ on: true }, { on: false }],
    });
    expect(keepSpelling(within, state, { one: null, list: [] })).toEqual({ one: null, list: [] });
  });

  it('keeps of a faulty result what can be kept', () => {
    expect(withoutUnknown({ text: 'a', tags: [UNKNOWN], one: { text: 'b' } })).toEqual({
      text: 'a',
      tags: null,
      one: { text: 'b' },
    });
  });
});
