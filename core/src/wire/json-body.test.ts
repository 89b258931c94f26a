import { describe, expect, it } from 'vitest';
import { ProblemError } from '../problem.js';
import { isJsonType, parseJsonBody } from './json-body.js';

describe('a JSON body', () => {
  const taken: [behaviour: string, text: string, value: unknown][] = [
    ['of one value', '{"a":[1,"x",null]}', { a: [1, 'x', null] }],
    ['with brackets in strings', '{"a":"[[[{{{\\"[["}', { a: '[[[{{{"[[' }],
    ['with an escaped pair of surrogates', '{"a":"\\ud83d\\ude00"}', { a: '😀' }],
    ['with an escaped backslash', '{"a":"\\\\ud83d"}', { a: '\\ud83d' }],
    ['with a byte order mark', '\uFEFF{}', {}],
    ['100 levels deep', `${'['.repeat(100)}${']'.repeat(100)}`, expect.any(Array)],
    ['with many values side by side', `[${'[],'.repeat(500)}[]]`, expect.any(Array)],
  ];

  it.each(taken)('%s is taken', (_, text, value) => {
    expect(parseJsonBody(Buffer.from(text))).toEqual(value);
  });

  const refused: [behaviour: string, bytes: Buffer][] = [
    ['that holds half a character', Buffer.from('{"a":["\\ud83d"]}')],
    ['whose member is named by half a character', Buffer.from('{"\\uDE00":1}')],
    ['that is empty', Buffer.alloc(0)],
    ['of white space', Buffer.from(' \n')],
    ['that ends early', Buffer.from('{"a":')],
    ['that goes on after its end', Buffer.from('{} {}')],
    ['101 levels deep', Buffer.from(`${'['.repeat(101)}${']'.repeat(101)}`)],
    ['a million levels deep', Buffer.from('[{"a":'.repeat(500_000))],
    ['that is no UTF-8', Buffer.from([0x22, 0xc3, 0x28, 0x22])],
    ['that ends in an escape', Buffer.from('"\\')],
  ];

  it.each(refused)('%s is refused', (_, bytes) => {
    expect(() => parseJsonBody(bytes)).toThrow(ProblemError);
  });

  it.each([
    ['{"secret":"hunter2",}', 'The body is no valid JSON at position 20.'],
    ['{"secret":', 'The body is no valid JSON: it ends too early.'],
    ['hunter2', 'The body is no valid JSON'],
  ])('tells where %s is wrong, and repeats none of it', (text, detail) => {
    expect(() => parseJsonBody(Buffer.from(text))).toThrow(detail);
    expect(() => parseJsonBody(Buffer.from(text))).not.toThrow(/hunter2/);
  });
});

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
