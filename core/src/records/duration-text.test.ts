import { describe, expect, it } from 'vitest';
import { resourceType } from './resource-type.js';

const parse = (max_age: unknown) =>
  resourceType.schema.safeParse({ application: 'billing', name: 'payment', actions: ['pay'], max_age });

describe('the greatest age of a resource type', () => {
  it.each(['1s', '30s', '1000ms', '1h30m', '1.5s', '720h'])('may be %s, and is kept as it is written', (text) => {
    expect(parse(text).data?.max_age).toBe(text);
  });

  it.each([
    ['', 'must be a duration like'],
    ['30', 'must be a duration like'],
    [' 30s', 'must be a duration like'],
    ['30 s', 'must be a duration like'],
    ['-30s', 'must be a duration like'],
    ['1d', 'must be a duration like'],
    ['0s', 'from 1s to 720h'],
    ['999ms', 'from 1s to 720h'],
    ['721h', 'from 1s to 720h'],
    [30, 'string'],
    [null, 'string'],
  ])('must not be %j', (value, fault) => {
    expect(
      parse(value)
        .error?.issues.map(({ message }) => message)
        .join(),
    ).toContain(fault);
  });
});
