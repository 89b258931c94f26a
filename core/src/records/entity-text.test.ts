import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EntityKind, entityText, readEntityText, readingsOf } from './entity-text.js';

describe('the text of a subject or resource', () => {
  it.each<[EntityKind, string, string, string]>([
    ['subject', 'user:alice', 'user', 'alice'],
    ['subject', 'user/alice', 'user', 'alice'],
    ['subject', 'user/a%2Fb%3Ac', 'user', 'a/b:c'],
    ['subject', 'service/arn:aws:iam::1', 'service', 'arn:aws:iam::1'],
    ['subject', 'Firm::Advisor/Alice', 'Firm::Advisor', 'Alice'],
    ['subject', 'Firm::Advisor:Alice', 'Firm::Advisor', 'Alice'],
    ['subject', 'system%3Aserviceaccount/ns:name', 'system:serviceaccount', 'ns:name'],
    ['subject', 'a/b:c', 'a', 'b:c'],
    ['subject', 'user:50%', 'user', '50%'],
    ['resource', 'invoice:INV-1', 'invoice', 'INV-1'],
    ['resource', 'invoice/INV-1', 'invoice', 'INV-1'],
    ['resource', 'billing/invoice/INV-1', 'billing/invoice', 'INV-1'],
    ['resource', 'my%20app/invoice/a%2Fb', 'my%20app/invoice', 'a/b'],
    ['resource', 'billing/invoice/urn:1', 'billing/invoice', 'urn:1'],
    ['resource', 'Firm::File/ABC', 'Firm::File', 'ABC'],
    ['resource', 'firm/Firm::File/ABC', 'firm/Firm::File', 'ABC'],
    ['resource', 'doc:a/b/c/d', 'doc', 'a/b/c/d'],
  ])('%s %s', (kind, text, type, name) => {
    expect(readEntityText(kind, text)).toEqual({ type, name });
  });

  it.each<[EntityKind, string, string]>([
    ['subject', 'a:b:c', 'may mean "a/b:c" or "a%3Ab/c": write one of them'],
    ['subject', 'a:b/c', 'may mean "a%3Ab/c" or "a/b%2Fc": write one of them'],
    ['resource', 'billing/invoice:1', 'may mean "billing/invoice%3A1" or "billing/invoice/1": write one of them'],
    ['subject', 'alice', 'is not TYPE:ID: write it like "user:alice" or "user/alice"'],
    ['subject', 'a/b/c', 'is not TYPE:ID'],
    ['subject', 'user:', 'is not TYPE:ID'],
    ['subject', ':alice', 'is not TYPE:ID'],
    ['subject', 'user/', 'is not TYPE:ID'],
    ['subject', 'user/%zz', 'is not TYPE:ID'],
    ['resource', 'a/b/c/d', 'is not TYPE:NAME: write it like "invoice:INV-1" or "invoice/INV-1"'],
  ])('%s %s is refused', (kind, text, message) => {
    expect(() => readEntityText(kind, text)).toThrow(message);
  });

  it('means what there is, if that is one thing', () => {
    const among = (...types: string[]) =>
      readEntityText('resource', 'billing/invoice:1', ({ type }) => types.includes(type));
    expect(among('billing/invoice')).toEqual({ type: 'billing/invoice', name: '1' });
    expect(among('billing')).toEqual({ type: 'billing', name: 'invoice:1' });
    expect(() => among('billing', 'billing/invoice')).toThrow('may mean');
    expect(() => among()).toThrow('may mean');
  });

  it('is written so that it means one thing alone', () => {
    const part = fc.string({
      unit: fc.constantFrom('a', 'b', ':', '/', '%', ' ', '2', 'F'),
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(part, part, (type, name) => {
        const text = entityText('subject', { type, name });
        expect(readingsOf('subject', text)).toEqual([{ type, name }]);
      }),
    );
    const typePart = part.filter((text) => !/[/% ]/.test(text));
    fc.assert(
      fc.property(fc.array(typePart, { minLength: 1, maxLength: 2 }), part, (types, name) => {
        const type = types.join('/');
        expect(readingsOf('resource', entityText('resource', { type, name }))).toEqual([{ type, name }]);
      }),
    );
  });
});
