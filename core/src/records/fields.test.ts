import { describe, expect, it } from 'vitest';
import { expiresAt } from './fields.js';
import { KINDS, type Kind } from './kinds.js';
import { definitionOf } from './registry.js';

describe('a moment', () => {
  it('is kept in UTC', () => {
    expect(expiresAt.parse('2027-01-31T18:00:00+01:00')).toBe('2027-01-31T17:00:00.000Z');
  });

  it.each(['9999-12-31T23:59:59-05:00', '0000-01-01T00:00:00+01:00'])(
    'is refused where UTC would need another form than the one read: "%s"',
    (text) => expect(expiresAt.safeParse(text).error?.issues[0]?.message).toContain('years 0000 to 9999'),
  );

  it('is read as it is kept, to the ends of the calendar', () => {
    for (const text of ['9999-12-31T23:59:59.999Z', '0000-01-01T00:00:00.000Z'])
      expect(expiresAt.parse(expiresAt.parse(text))).toBe(text);
  });

  it.each(['soon', '2027-01-31', '2027-13-41T00:00:00Z', ''])('is refused, not stumbled over: "%s"', (text) => {
    expect(expiresAt.safeParse(text).error?.issues[0]?.message).toContain('must be an RFC 3339 date and time');
  });
});

describe('an empty text for people', () => {
  const required = {
    application: 'a',
    type: 'a/t',
    id: 'x',
    name: 'x',
    actions: [],
    effect: 'ALLOW',
    scopes: ['bundle'],
  };
  const said: { readonly [K in Kind]?: object } = {
    policy: { resource_type: 'a/t', actions: ['read'] },
    access_rule: { never: { actions: ['*'], resources: { types: ['*'] } } },
    context_attribute: { type: 'any' },
  };
  it.each(KINDS.flatMap((kind) => ['description', 'name'].map((name) => ({ kind, name }))))(
    'is as good as none: $name of a $kind',
    ({ kind, name }) => {
      const { schema } = definitionOf(kind);
      const field = schema.shape[name];
      if (field === undefined || !field.safeParse(undefined).success) return;
      expect(field.parse('')).toBeUndefined();
      const fields = Object.fromEntries(Object.entries(required).filter(([key]) => Object.hasOwn(schema.shape, key)));
      const whole = { ...fields, ...said[kind] };
      const { [name]: _, ...without } = whole as Record<string, unknown>;
      expect(Object.keys(schema.parse({ ...without, [name]: '' }))).toEqual(Object.keys(schema.parse(without)));
      expect(schema.parse({ ...without, [name]: 'x' })).toHaveProperty(name, 'x');
    },
  );
});
