import { expect, it } from 'vitest';
import { faultsOf, questionOf } from './question.js';
import { typesInQuestion, withPaths } from './with-paths.js';

it.each([
  ['user:alice', 'invoice:INV-1', 'user/alice', 'invoice/INV-1'],
  ['user:a%20b', 'invoice:50%', 'user/a%2520b', 'invoice/50%25'],
  ['user/a:b', 'billing/invoice/a:b', 'user/a:b', 'billing/invoice/a:b'],
  ['Ns::User:alice', 'Ns::Doc:1', 'Ns::User/alice', 'Ns::Doc/1'],
  ['alice', 'INV-1', 'alice', 'INV-1'],
  ['a:b:c', 'billing/invoice:INV-1', 'a:b:c', 'billing/invoice:INV-1'],
])('takes %s and %s as the paths %s and %s', (subject, resource, subjectPath, resourcePath) => {
  const asked = { mode: 'decide', subject, resource };
  expect(withPaths(asked)).toEqual({ mode: 'decide', subject: subjectPath, resource: resourcePath });
});

it('takes a resource that may mean several as one of the type that there is', () => {
  const asked = { mode: 'decide', subject: 'user/bob', resource: 'billing/invoice:INV-1' };
  expect(typesInQuestion(asked)).toEqual(['billing', 'billing/invoice']);
  expect(withPaths(asked, new Set(['billing/invoice'])).resource).toBe('billing/invoice/INV-1');
  expect(withPaths(asked, new Set(['billing'])).resource).toBe('billing/invoice%3AINV-1');
  expect(withPaths(asked, new Set()).resource).toBe(asked.resource);
  expect(typesInQuestion({ ...asked, resource: 'invoice:INV-1' })).toEqual([]);
});

it('leaves types alone, of which searches are', () => {
  const who = { mode: 'who', subject: 'a:b', resource: 'invoice:INV-1' };
  expect(withPaths(who)).toEqual({ ...who, resource: 'invoice/INV-1' });
});

const ASKED = { action: 'read', subjectProperties: '', resourceProperties: '', context: '', roles: '', at: '' };

it('says of a text that may name several which', () => {
  const asked = { ...ASKED, mode: 'decide' as const, subject: 'a:b:c', resource: 'INV-1' };
  expect(faultsOf(asked)).toEqual({
    subject: { because: 'may mean "a/b:c" or "a%3Ab/c": write one of them' },
    resource: 'resource',
  });
});

it('asks about types with colons', () => {
  const asked = { ...ASKED, mode: 'decide' as const, subject: 'Ns::User/a:b', resource: 'docs/Ns::Doc/1' };
  expect(faultsOf(asked)).toEqual({});
  expect(questionOf(asked)).toMatchObject({
    subject: { type: 'Ns::User', id: 'a:b' },
    resource: { type: 'docs/Ns::Doc', name: '1' },
  });
});
