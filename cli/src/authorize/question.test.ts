import { describe, expect, it } from 'vitest';
import { type QuestionFlags, questionOf } from './question.js';

const ASKED = { subject: 'user:alice', action: 'read', resource: 'invoice:INV-1' };
const PLAIN = {
  subject: { type: 'user', id: 'alice' },
  action: { name: 'read' },
  resource: { type: 'invoice', name: 'INV-1' },
};

describe('questionOf', () => {
  it.each<[string, QuestionFlags, object]>([
    ['the least', ASKED, PLAIN],
    [
      'a qualified type',
      { ...ASKED, resource: 'billing/invoice/INV-1' },
      { ...PLAIN, resource: { type: 'billing/invoice', name: 'INV-1' } },
    ],
    [
      'colons in a name',
      { ...ASKED, subject: 'service/arn:aws:iam::1' },
      { ...PLAIN, subject: { type: 'service', id: 'arn:aws:iam::1' } },
    ],
    [
      'a resource by id',
      { ...ASKED, resource: 'invoice', 'resource-id': 'u-1' },
      { ...PLAIN, resource: { type: 'invoice', id: 'u-1' } },
    ],
    ['roles', { ...ASKED, role: ['a', 'b'] }, { ...PLAIN, subject: { type: 'user', id: 'alice', roles: ['a', 'b'] } }],
    [
      'properties',
      {
        ...ASKED,
        'subject-property': ['level=3'],
        'resource-property': ['tags=["x"]'],
        'action-property': ['soft=true'],
      },
      {
        subject: { type: 'user', id: 'alice', properties: { level: 3 } },
        action: { name: 'read', properties: { soft: true } },
        resource: { type: 'invoice', name: 'INV-1', properties: { tags: ['x'] } },
      },
    ],
    [
      'values: JSON where they are JSON, else text',
      { ...ASKED, context: ['ip=10.0.0.1', 'mfa=true', 'n=007', 's="007"', 'o={"a":[1]}', 'e=', 'q=a=b', 'z=null'] },
      { ...PLAIN, context: { ip: '10.0.0.1', mfa: true, n: '007', s: '007', o: { a: [1] }, e: '', q: 'a=b', z: null } },
    ],
  ])('takes %s', (_, flags, expected) => {
    expect(questionOf(flags)).toEqual(expected);
  });

  it('takes the type that there is, where a text may mean two resources', () => {
    const flags = { ...ASKED, resource: 'billing/invoice:INV-1' };
    expect(() => questionOf(flags)).toThrow(
      '--resource "billing/invoice:INV-1" may mean "billing/invoice%3AINV-1" or "billing/invoice/INV-1": write one of them.',
    );
    expect(questionOf(flags, new Set(['invoice', 'billing/invoice']))).toEqual({
      ...PLAIN,
      resource: { type: 'billing/invoice', name: 'INV-1' },
    });
  });

  it('keeps a property named __proto__ an ordinary one', () => {
    expect(JSON.stringify(questionOf({ ...ASKED, context: ['__proto__={"a":1}'] }))).toContain(
      '"context":{"__proto__":{"a":1}}',
    );
  });

  it.each<[string, QuestionFlags, RegExp]>([
    [
      'a number that JSON does not keep',
      { ...ASKED, context: ['n=175928847299117061'] },
      /^--context "n=175928847299117061" has a number that is too large to be kept exactly: write it in quotes\.$/,
    ],
    [
      'a number that JSON does not keep, inside',
      { ...ASKED, 'resource-property': ['o={"a":[1e400]}'] },
      /^--resource-property .* has a number at \/a\/0 that is too large/,
    ],
    ['nothing at all', {}, /needs --subject and --action and --resource, as in/],
    ['no action', { ...ASKED, action: undefined }, /needs --action/],
    ['a subject without a type', { ...ASKED, subject: 'alice' }, /--subject "alice" is not TYPE:ID/],
    ['a subject without an id', { ...ASKED, subject: 'user:' }, /--subject "user:" is not TYPE:ID/],
    ['a resource without a name', { ...ASKED, resource: 'invoice' }, /--resource "invoice" is not TYPE:NAME/],
    ['a resource named twice', { ...ASKED, 'resource-id': 'u-1' }, /give only the type/],
    ['a property without a value', { ...ASKED, context: ['mfa'] }, /--context "mfa" is not NAME=VALUE/],
    ['a property given twice', { ...ASKED, context: ['a=1', 'a=2'] }, /--context gives "a" twice/],
  ])('refuses %s', (_, flags, message) => {
    expect(() => questionOf(flags)).toThrow(message);
  });
});
