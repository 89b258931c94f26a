import { ProblemError } from '@authz-service/core/problem';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJsonType, parseJsonBody } from './json-body.js';

describe('a JSON body', () => {
  const taken: [behaviour: string, text: string, value: unknown][] = [
    ['of one value', '{"a":[1,"x",null]}', { a: [1, 'x', null] }],
    ['with brackets in strings', '{"a":"[[[{{{\\"[["}', { a: '[[[{{{"[[' }],
    ['with an escaped pair of surrogates', '{"a":"\\ud83d\\ude00"}', { a: '😀' }],
    ['with an escaped backslash', '{"a":"\\\\ud83d"}', { a: '\\ud83d' }],
    ['with a byte order mark', '\uFEFF{}', {}],
    ['100 levels deep', `${'['.repeat(100)}${']'.repeat(100)}`, expect.any(Array)],
    [
      'with equal names in objects apart',
      '{"a":{"a":[{"a":1},{"a":2}]},"b":{"a":1}}',
      { a: { a: [{ a: 1 }, { a: 2 }] }, b: { a: 1 } },
    ],
    ['with names that differ in case', '{"a":1,"A":2}', { a: 1, A: 2 }],
    ['with names that only look escaped alike', '{"\\\\u0061":1,"a":2}', { '\\u0061': 1, a: 2 }],
    ['with members in strings', '{"a":"{\\"a\\":1,\\"a\\":2}","b":"\\\\"}', { a: '{"a":1,"a":2}', b: '\\' }],
    ['with a member that objects have anyway', '{"__proto__":1,"toString":2}', expect.any(Object)],
    ['with white space around its colons', '{ "a" :\n1 , "b"\t: 2 }', { a: 1, b: 2 }],
    [
      'with numbers that a double keeps',
      '[-0, 0.0, 1.0, 0.1, 9007199254740991, -9007199254740991.0, 1e15, 5e-324, 0e-400, 0.12345678901234567890123]',
      [-0, 0, 1, 0.1, 9007199254740991, -9007199254740991, 1e15, 5e-324, 0, 0.12345678901234568],
    ],
    [
      'with numbers in strings',
      '{"1e400":"1e400","b":["175928847299117061"]}',
      { '1e400': '1e400', b: ['175928847299117061'] },
    ],
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

  const twice: [behaviour: string, text: string, pointer: string][] = [
    ['in the whole', '{"a":1,"b":2,"a":1}', '/a'],
    ['by an escape', '{"subject":{"id":"bob","\\u0069d":"alice"}}', '/subject/id'],
    ['by escapes in upper and lower case', '{"\\u00FC":1,"\\u00fc":2}', '/ü'],
    ['by an escaped slash', '{"a/b":1,"a\\/b":2}', '/a~1b'],
    ['by an escaped pair of surrogates', '{"😀":1,"\\ud83d\\ude00":2}', '/😀'],
    ['that ends in a backslash', '{"a\\\\":1,"a\\\\":2}', '/a\\'],
    ['of no characters', '{"":1,"":2}', '/'],
    ['that objects have anyway', '{"__proto__":{},"__proto__":{}}', '/__proto__'],
    ['that is a number', '{"x":{"1":1,"0":2,"1":3}}', '/x/1'],
    ['in an item of an array', '{"evaluations":[{"a":1},[1,{"a":{"b":1,"b":1}}]]}', '/evaluations/1/1/a/b'],
    ['after objects that were closed', '{"a":{"x":{}},"b":[{}],"a":0}', '/a'],
    ['beside equal values of objects', '{"a":{"b":1},"a":{"c":1,"d":2}}', '/a'],
    ['among braces in strings', '{"a":"}{,\\"","b":"[","a":"]"}', '/a'],
    ['with white space about', '\uFEFF { "a" : 1 ,\r\n "a" : 2 } ', '/a'],
  ];

  it.each(twice)('that names a member twice is refused: %s', (_, text, pointer) => {
    const refused = refusalOf(text);
    expect(refused).toMatchObject({ code: 'invalid_request', errors: [{ pointer }] });
    expect(refused.detail).toContain(pointer);
  });

  const unkept: [number: string, pointer: string, text: string][] = [
    ['175928847299117061', '/a', '{"a":175928847299117061}'],
    ['-9007199254740992', '/a/1', '{"a":[0,-9007199254740992]}'],
    ['9007199254740993.0', '/a', '{"a":9007199254740993.0}'],
    ['9007199254740991.6', '', '9007199254740991.6'],
    ['1e16', '/a~1b/x', '{"a/b":{"y":"1e400","x":1e16}}'],
    ['1e400', '/a', '{"z":[{"b":1,"c":"]"}],"a": 1e400}'],
    ['-1E+999', '/0/0', '[[-1E+999]]'],
    ['1e-400', '/1', '[0,1e-400]'],
    ['-1E-999', '', '-1E-999'],
    ['zeros and a digit', '', `0.${'0'.repeat(400)}1`],
  ];

  it.each(unkept)('with a number that a double does not keep is refused: %s', (_, pointer, text) => {
    const refused = refusalOf(text);
    expect(refused).toMatchObject({ code: 'invalid_request', errors: [{ pointer }] });
    expect(refused.detail).toMatch(/ has a number.* that is too (?:large to be kept exactly|small to be kept): /);
  });

  it('of a hundred thousand members is taken, and refused for one that comes twice', () => {
    const members = Array.from({ length: 100_000 }, (_, index) => `"m${index}":{"x":"\\"}{"}`);
    expect(parseJsonBody(Buffer.from(`{${members.join()}}`))).toHaveProperty('m99999');
    expect(refusalOf(`{${members.join()},"m\\u0037":0}`).errors).toMatchObject([{ pointer: '/m7' }]);
  });

  it('holds as many members as its text, unless a name comes twice', () => {
    fc.assert(
      fc.property(keptJson, fc.boolean(), (text, repeat) => {
        const value: unknown = JSON.parse(text);
        if (!repeat) expect(parseJsonBody(Buffer.from(text))).toEqual(value);
        else expect(refusalOf(`{"a":${text},"b":0,"a":${text}}`).errors).toMatchObject([{ pointer: '/a' }]);
      }),
    );
  });

  it.each([
    ['{"secret":"hunter2",}', 'The body is not valid JSON at position 20.'],
    ['{"secret":', 'The body is not valid JSON: it ends too early.'],
    ['hunter2', 'The body is not valid JSON'],
  ])('tells where %s is wrong, and repeats none of it', (text, detail) => {
    expect(() => parseJsonBody(Buffer.from(text))).toThrow(detail);
    expect(() => parseJsonBody(Buffer.from(text))).not.toThrow(/hunter2/);
  });
});

/** JSON without whole numbers that a double does not keep. */
const keptJson = fc.json().filter((text) => !/\d{16}|e\+?\d/.test(text));

function refusalOf(text: string): ProblemError {
  try {
    parseJsonBody(Buffer.from(text));
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  }
  throw new Error('the body was taken');
}

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
