import { describe, expect, it } from 'vitest';
import { Configurations } from './configurations.js';
import { encodeObject } from './encode.js';
import type { Attributes } from './schema.js';

const attributes: Attributes = { name: { type: 'string', description: '' } };
const named = (name: string) => encodeObject(attributes, { name });

describe('configurations', () => {
  it('are the same object when they are planned as when they were validated', () => {
    const configurations = new Configurations();
    const [a, b] = ['a', 'b'].map((name) => configurations.first(attributes, named(name)));
    expect(configurations.again(attributes, named('b'))).toBe(b);
    expect(configurations.again(attributes, named('a'))).toBe(a);
    expect(b).toEqual({ name: 'b' });
  });

  it('are decoded where they were not validated, or as those of another type', () => {
    const configurations = new Configurations();
    expect(configurations.again(attributes, named('a'))).toEqual({ name: 'a' });
    const other: Attributes = { ...attributes, note: { type: 'string', description: '' } };
    configurations.first(other, named('a'));
    expect(configurations.again(attributes, named('a'))).toEqual({ name: 'a' });
    expect(configurations.again(attributes, undefined)).toEqual({});
  });

  it('are decoded again when very many wait to be planned', () => {
    const configurations = new Configurations();
    const names = Array.from({ length: 1000 }, (_, index) => `n${index}`);
    for (const name of names) configurations.first(attributes, named(name));
    expect(names.map((name) => configurations.again(attributes, named(name)).name)).toEqual(names);
  });
});
