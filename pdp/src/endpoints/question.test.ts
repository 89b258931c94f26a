import type { ProblemError } from '@authz-service/core/problem';
import { describe, expect, it } from 'vitest';
import { parseQuestion } from './question.js';

const minimum = { subject: { type: 'user', id: 'u' }, resource: { type: 'doc', name: 'd' }, action: { name: 'read' } };

describe('a decision request', () => {
  it('is read without what it does not say', () => {
    expect(parseQuestion(minimum)).toEqual({ ...minimum, explain: false });
  });

  it.each([
    ['attributes alone', { attributes: { a: 1 } }, { a: 1 }],
    ['properties alone', { properties: { a: 1 } }, { a: 1 }],
    [
      'both, merged',
      { attributes: { a: { x: 1, y: [] }, b: 1 }, properties: { c: 2, a: { y: [], x: 1 } } },
      { a: { x: 1, y: [] }, b: 1, c: 2 },
    ],
  ])('takes %s', (_, said, properties) => {
    const body = { ...minimum, subject: { ...minimum.subject, ...said }, resource: { ...minimum.resource, ...said } };
    const { subject, resource } = parseQuestion(body);
    expect([subject.properties, resource.properties]).toEqual([properties, properties]);
  });

  it('refuses properties and attributes that disagree, key by key', () => {
    const said = JSON.parse(
      '{"attributes":{"a":1,"b":[1,2],"c/d":null,"e":1,"__proto__":1},"properties":{"a":"1","b":[2,1],"c/d":0,"e":1,"__proto__":2}}',
    );
    const faults = (part: 'subject' | 'resource') => {
      try {
        parseQuestion({ ...minimum, [part]: { ...minimum[part], ...said } });
        return [];
      } catch (error) {
        return (error as ProblemError).errors.map(({ pointer }) => pointer);
      }
    };
    const names = ['a', 'b', 'c~1d', '__proto__'];
    expect(faults('subject')).toEqual(names.map((name) => `/subject/attributes/${name}`));
    expect(faults('resource')).toEqual(names.map((name) => `/resource/attributes/${name}`));
  });

  it('keeps a key named __proto__ an ordinary one when it merges', () => {
    const said = JSON.parse('{"attributes":{"__proto__":{"admin":true}},"properties":{"a":1}}');
    const { subject } = parseQuestion({ ...minimum, subject: { ...minimum.subject, ...said } });
    expect(Object.keys(subject.properties ?? {})).toEqual(['__proto__', 'a']);
    expect((subject.properties as { admin?: unknown }).admin).toBeUndefined();
  });

  it.each([
    [true, true],
    [false, false],
  ])('asks for an explanation by options.explain: %s', (explain, wanted) => {
    expect(parseQuestion({ ...minimum, options: { explain } }).explain).toBe(wanted);
  });

  it('names every fault with its value and the remedy', () => {
    const read = () => parseQuestion({ subject: { type: 7, id: '' }, resource: { name: null }, action: null });
    expect(read).toThrow(
      'The decision request is malformed: /subject/type: is the number 7, a string is expected: write "7" in quotes. (and 4 more faults)',
    );
    const errors = expect.arrayContaining([
      { pointer: '/subject/id', detail: '"" must not be empty.' },
      { pointer: '/resource/type', detail: 'is missing: write a string.' },
      { pointer: '/resource/name', detail: expect.stringContaining('null') },
      { pointer: '/action', detail: expect.stringContaining('an object is expected') },
    ]);
    expect(read).toThrow(expect.objectContaining({ errors }));
    expect(() => parseQuestion({ ...minimum, resource: { type: 'doc' } })).toThrow(
      'needs "id" or "name": say which resource is meant.',
    );
  });
});
