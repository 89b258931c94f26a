import { describe, expect, it } from 'vitest';
import { expiresAt } from './fields.js';

describe('a moment', () => {
  it('is kept in UTC', () => {
    expect(expiresAt.parse('2027-01-31T18:00:00+01:00')).toBe('2027-01-31T17:00:00.000Z');
  });

  it.each(['soon', '2027-01-31', '2027-13-41T00:00:00Z', ''])('is refused, not stumbled over: "%s"', (text) => {
    expect(expiresAt.safeParse(text).error?.issues[0]?.message).toContain('must be an RFC 3339 date and time');
  });
});
