import { describe, expect, it } from 'vitest';
import { ProblemError } from '../problem.js';
import { parseDecisionRequest } from './decision-request.js';

const minimum = { subject: { type: 'user', id: 'u' }, resource: { type: 'doc', name: 'd' }, action: { name: 'read' } };

describe('a decision request', () => {
  it('is read without what it does not say', () => {
    expect(parseDecisionRequest(minimum)).toEqual({ ...minimum, explain: false });
  });

  it.each([
    ['attributes alone', { attributes: { a: 1 } }, { a: 1 }],
    ['properties alone', { properties: { a: 1 } }, { a: 1 }],
    ['both, key by key', { attributes: { a: 1, b: 1 }, properties: { a: 2 } }, { a: 2, b: 1 }],
  ])('takes %s', (_, said, properties) => {
    const body = { ...minimum, subject: { ...minimum.subject, ...said }, resource: { ...minimum.resource, ...said } };
    const { subject, resource } = parseDecisionRequest(body);
    expect([subject.properties, resource.properties]).toEqual([properties, properties]);
  });

  it('keeps a key named __proto__ an ordinary one when it merges', () => {
    const said = JSON.parse('{"attributes":{"__proto__":{"admin":true}},"properties":{"a":1}}');
    const { subject } = parseDecisionRequest({ ...minimum, subject: { ...minimum.subject, ...said } });
    expect(Object.keys(subject.properties ?? {})).toEqual(['__proto__', 'a']);
    expect((subject.properties as { admin?: unknown }).admin).toBeUndefined();
  });

  it.each([
    [true, true],
    [false, false],
  ])('asks for an explanation by options.explain: %s', (explain, wanted) => {
    expect(parseDecisionRequest({ ...minimum, options: { explain } }).explain).toBe(wanted);
  });

  it('names every fault with its value and the remedy', () => {
    const read = () => parseDecisionRequest({ subject: { type: 7, id: '' }, resource: {}, action: null });
    expect(read).toThrow(ProblemError);
    expect(read).toThrow(/\/subject\/type must be a string, not a number; \/subject\/id must not be empty/);
    expect(read).toThrow(/\/action must be an object, not null/);
  });
});
