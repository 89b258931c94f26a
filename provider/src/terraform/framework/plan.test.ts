import { describe, expect, it } from 'vitest';
import { planValues, replacedBy } from './plan.js';
import type { Attributes } from './schema.js';
import { UNKNOWN, type Value, type Values } from './value.js';

const description = '';
const attributes: Attributes = {
  id: { type: 'string', description, computed: true, stable: true },
  count: { type: 'number', description, computed: true },
  key: { type: 'string', description, required: true, replace: true },
  title: { type: 'string', description, optional: true },
  chosen: { type: 'string', description, optional: true, computed: true, stable: true },
  priority: { type: 'number', description, default: 0 },
  tags: { type: { set: 'string' }, description, optional: true },
  moment: {
    type: 'string',
    description,
    optional: true,
    same: (a, b) => Date.parse(String(a)) === Date.parse(String(b)),
  },
  secret: { type: 'string', description, optional: true, writeOnly: true },
  parts: {
    nested: 'list',
    description,
    optional: true,
    attributes: {
      text: { type: 'string', description, required: true },
      form: { type: 'string', description, default: 'plain' },
      stamp: { type: 'string', description, computed: true },
    },
  },
};
const none: Values = Object.fromEntries(Object.keys(attributes).map((name) => [name, null]));
const state: Values = { ...none, id: 'i', count: 1, key: 'k', chosen: 'c', priority: 0 };

describe('planning', () => {
  it.each<[string, Values | null, { [name: string]: Value }, { [name: string]: Value }]>([
    [
      'a creation makes computed values unknown and fills defaults',
      null,
      { key: 'k' },
      { id: UNKNOWN, count: UNKNOWN, chosen: UNKNOWN, priority: 0 },
    ],
    ['no change keeps everything', state, { key: 'k' }, { id: 'i', count: 1, chosen: 'c' }],
    [
      'a change makes what it may change unknown, and nothing stable',
      state,
      { key: 'k', title: 't' },
      { id: 'i', count: UNKNOWN, chosen: 'c' },
    ],
    ['an unknown value is a change', state, { key: 'k', title: UNKNOWN }, { title: UNKNOWN, count: UNKNOWN }],
    [
      'what the configuration gives wins over what was computed',
      state,
      { key: 'k', chosen: 'mine' },
      { chosen: 'mine' },
    ],
    ['a default comes back when the value is left out', { ...state, priority: 5 }, { key: 'k' }, { priority: 0 }],
    ['an optional value is unset when it is left out', { ...state, title: 't' }, { key: 'k' }, { title: null }],
    ['write-only values are in no plan', state, { key: 'k', secret: 's' }, { secret: null, count: 1 }],
    [
      'an equal set in another order is no change',
      { ...state, tags: ['a', 'b'] },
      { key: 'k', tags: ['b', 'a'] },
      { count: 1 },
    ],
    [
      'another spelling of the same keeps the spelling of the state',
      { ...state, moment: '2027-01-01T00:00:00Z' },
      { key: 'k', moment: '2027-01-01T01:00:00+01:00' },
      { moment: '2027-01-01T00:00:00Z', count: 1 },
    ],
    [
      'another meaning takes the new spelling',
      { ...state, moment: '2027-01-01T00:00:00Z' },
      { key: 'k', moment: '2028-01-01T00:00:00Z' },
      { moment: '2028-01-01T00:00:00Z', count: UNKNOWN },
    ],
    ['a computed null of the state stays null', { ...state, chosen: null }, { key: 'k' }, { chosen: null, count: 1 }],
    [
      'new elements of lists are completed',
      null,
      { key: 'k', parts: [{ text: 'a', form: null, stamp: null }] },
      { parts: [{ text: 'a', form: 'plain', stamp: UNKNOWN }] },
    ],
    [
      'elements of lists keep what was computed',
      { ...state, parts: [{ text: 'a', form: 'plain', stamp: 's' }] },
      {
        key: 'k',
        parts: [
          { text: 'b', form: null, stamp: null },
          { text: 'c', form: null, stamp: null },
        ],
      },
      {
        parts: [
          { text: 'b', form: 'plain', stamp: 's' },
          { text: 'c', form: 'plain', stamp: UNKNOWN },
        ],
      },
    ],
  ])('%s', (_name, prior, config, expected) => {
    expect(planValues(attributes, prior, { ...none, ...config })).toMatchObject(expected);
  });

  it.each<[string, Value, string[][]]>([
    ['an equal key', 'k', []],
    ['another key', 'l', [['key']]],
    ['a key that is not known yet', UNKNOWN, [['key']]],
  ])('replaces for %s accordingly', (_name, key, paths) => {
    expect(replacedBy(attributes, state, { ...state, key, title: 'other' })).toEqual(paths);
  });
});
