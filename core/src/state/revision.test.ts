import { describe, expect, it } from 'vitest';
import { revisionNumber, revisionText } from './revision.js';

describe('revisions', () => {
  it('are a number and the start of the digest', () => {
    expect(revisionText(42, '9f86d081884c7d659a2feaa0c55ad015')).toBe('42.9f86d081884c7d65');
    expect(revisionNumber('42.9f86d081884c7d65')).toBe(42);
    expect(revisionNumber('0.9f86d081884c7d65')).toBe(0);
  });

  it.each([
    '',
    '42',
    '42.',
    '-1.9f86d081884c7d65',
    '042.9f86d081884c7d65',
    '42.9F86d081884c7d65',
    '42.9f86d081884c7d65 ',
  ])('are not %j', (text) => {
    expect(() => revisionNumber(text)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});
