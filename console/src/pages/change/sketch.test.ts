import { describe, expect, it } from 'vitest';
import type { FieldSchema } from './field-schema.js';
import { sketchOf } from './sketch.js';

const GROUP: FieldSchema = { type: 'string', description: 'The path of a group: `finance`.' };

describe('the sketch of a field in JSON', () => {
  it.each<[string, FieldSchema, string]>([
    ['the example of its description', GROUP, '"finance"'],
    ['no example where there is none', { type: 'string', description: '`*` means all.' }, '"…"'],
    ['a list of what it holds', { type: 'array', items: GROUP }, '["finance"]'],
    ['its choices', { type: 'string', enum: ['a', 'b'] }, '"a" | "b"'],
    ['the only value it may have', { type: 'boolean', const: true }, 'true'],
    [
      'each of its parts, and no id beside its path',
      { type: 'object', properties: { group: GROUP, group_id: GROUP, below: { type: 'boolean' } } },
      '{"group": "finance", "below": true | false}',
    ],
    ['what any name holds', { type: 'object', additionalProperties: GROUP }, '{"…": "finance"}'],
    ['that any name may hold anything', { type: 'object' }, '{"…": …}'],
  ])('shows %s', (_, schema, shown) => {
    expect(sketchOf(schema)).toBe(shown);
  });
});
