import { describe, expect, it } from 'vitest';
import { isJsonType } from './body.js';

describe('JSON in UTF-8', () => {
  it.each([
    ['application/json', true],
    ['Application/JSON; Charset="UTF-8"', true],
    ['application/json;charset=utf8', true],
    ['application/json; profile=x', true],
    ['application/merge-patch+json', true],
    ['application/json; charset=iso-8859-1', false],
    ['application/x-www-form-urlencoded', false],
    ['text/json', false],
    ['application/jsonp', false],
    ['', false],
    [undefined, false],
  ])('is said by %s: %s', (type, said) => {
    expect(isJsonType(type)).toBe(said);
  });
});
