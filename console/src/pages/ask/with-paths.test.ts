import { expect, it } from 'vitest';
import { withPaths } from './with-paths.js';

it.each([
  ['user:alice', 'billing/invoice:INV-1', 'user/alice', 'billing/invoice/INV-1'],
  ['user:a%20b', 'billing/invoice:50%', 'user/a%2520b', 'billing/invoice/50%25'],
  ['user/a:b', 'billing/invoice/a:b', 'user/a:b', 'billing/invoice/a:b'],
  ['alice', 'INV-1', 'alice', 'INV-1'],
])('takes %s and %s as the paths %s and %s', (subject, resource, subjectPath, resourcePath) => {
  const asked = { mode: 'decide', subject, resource };
  expect(withPaths(asked)).toEqual({ mode: 'decide', subject: subjectPath, resource: resourcePath });
});

it('leaves types alone, of which searches are', () => {
  const who = { mode: 'who', subject: 'a:b', resource: 'billing/invoice:INV-1' };
  expect(withPaths(who)).toEqual({ ...who, resource: 'billing/invoice/INV-1' });
});
