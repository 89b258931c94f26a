import { parseJson } from '@authz-service/core/json/parse-json';
import { parseQuestion } from '@authz-service/pdp/endpoints/question';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainRequest, requestOf, sent } from './plain-question.js';

const name = fc.oneof(
  { weight: 9, arbitrary: fc.string({ minLength: 1 }) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>('', 7, null, '\ud800') },
);
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(
    2 ** 53,
    Number.NaN,
    undefined,
    '\udc00',
    -0,
    [undefined],
    { a: undefined },
    { a: 1, toJSON: () => 'another' },
    Object.assign([1], { toJSON: () => 'another' }),
    new Date(0),
    new Map(),
  ),
);
const attributes = fc.option(fc.dictionary(fc.string(), value, { maxKeys: 3 }), { nil: undefined, freq: 2 });
const question = fc.record(
  {
    subject: fc.record(
      { type: name, id: name, roles: fc.array(name, { maxLength: 2 }), properties: attributes, attributes },
      { requiredKeys: ['type', 'id'] },
    ),
    action: fc.record({ name, properties: attributes }, { requiredKeys: ['name'] }),
    resource: fc.record({ type: name, id: name, name, properties: attributes }, { requiredKeys: ['type'] }),
    context: attributes,
    options: fc.record({ explain: fc.constantFrom<unknown>(true, false, undefined, 'yes') }),
  },
  { requiredKeys: ['subject', 'action', 'resource'] },
);

describe('the short way', () => {
  it('takes a question only as it would arrive over the network', () => {
    let [taken, left] = [0, 0];
    fc.assert(
      fc.property(question, (asked) => {
        const short = plainRequest(asked);
        if (short === undefined) left++;
        else {
          taken++;
          expect(JSON.parse(JSON.stringify(short))).toEqual(
            JSON.parse(JSON.stringify(parseQuestion(parseJson(JSON.stringify(asked))))),
          );
        }
      }),
      { numRuns: 3_000 },
    );
    expect(taken).toBeGreaterThan(100);
    expect(left).toBeGreaterThan(100);
  });

  it.each([
    ['a whole number that may have been rounded', 2 ** 53, '/context/n'],
    ['what is no number', Number.NaN, '/context/n'],
    ['an infinite number', Number.POSITIVE_INFINITY, '/context/n'],
    ['a big integer', 1n, '/context/n'],
  ])('refuses %s, with its place', (_, n, pointer) => {
    const asked = {
      subject: { type: 'user', id: 'u' },
      action: { name: 'read' },
      resource: { type: 't', id: 'r' },
      context: { n },
    };
    expect(() => requestOf(asked as never)).toThrow(
      expect.objectContaining({ code: 'invalid_request', errors: [expect.objectContaining({ pointer })] }),
    );
  });

  it('leaves out what JSON leaves out', () => {
    const asked = {
      subject: { type: 'user', id: 'u' },
      action: { name: 'read' },
      resource: { type: 't', id: 'r' },
      context: { when: new Date(0), gone: undefined },
    };
    expect(requestOf(asked as never).context).toEqual({ when: '1970-01-01T00:00:00.000Z' });
  });

  it.each([
    ['a question', (asked: object) => ({ ...asked, toJSON: () => asked })],
    [
      'a subject',
      (asked: object) => ({ ...asked, subject: { type: 'user', id: 'v', toJSON: () => ({ type: 'user', id: 'u' }) } }),
    ],
    [
      'roles',
      (asked: object) => ({
        ...asked,
        subject: { type: 'user', id: 'u', roles: Object.assign(['r'], { toJSON: () => [] }) },
      }),
    ],
  ])('takes %s that says itself what it is in JSON at its word', (_, says) => {
    const asked = { subject: { type: 'user', id: 'u' }, action: { name: 'read' }, resource: { type: 't', id: 'r' } };
    const said = requestOf(says(asked) as never);
    expect(said.subject.id).toBe('u');
    expect(said.subject.roles ?? []).toEqual([]);
  });

  it('refuses roles of which some were never set', () => {
    const roles = ['r'];
    roles.length = 2;
    const asked = {
      subject: { type: 'user', id: 'u', roles },
      action: { name: 'read' },
      resource: { type: 't', id: 'r' },
    };
    expect(() => requestOf(asked)).toThrow(
      expect.objectContaining({ errors: [expect.objectContaining({ pointer: '/subject/roles/1' })] }),
    );
  });
});

describe('a process whose Object.prototype was given members', () => {
  const asked = { subject: { type: 'user', id: 'a' }, action: { name: 'read' }, resource: { type: 't', id: '1' } };
  const inherited = (name: string, value: unknown, work: () => unknown) => {
    Object.defineProperty(Object.prototype, name, { value, enumerable: true, configurable: true });
    try {
      return work();
    } finally {
      delete (Object.prototype as Record<string, unknown>)[name];
    }
  };

  it.each([
    ['roles', ['admin']],
    ['context', { mfa: true }],
    ['properties', { owner: 'a' }],
    ['options', { partial: 'ask' }],
  ])('gets no decision by an inherited %s', (name, value) => {
    const ask = () => inherited(name, value, () => requestOf(asked));
    expect(ask).toThrow(expect.objectContaining({ code: 'internal', detail: expect.stringContaining(`"${name}"`) }));
    const send = () => inherited(name, value, () => sent(asked));
    expect(send).toThrow(expect.objectContaining({ code: 'internal' }));
  });

  it('is asked as before by what no question has', () => {
    expect(
      inherited(
        'helper',
        () => 1,
        () => requestOf(asked),
      ),
    ).toEqual(requestOf(asked));
  });
});
