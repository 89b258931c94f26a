import { describe, expect, it } from 'vitest';
import { beginningOf, dayBefore, endOf } from './days.js';

describe('days of the history', () => {
  it('count whole, from one midnight here to the next', () => {
    expect(beginningOf('2026-02-28')).toBe(new Date(2026, 1, 28).toISOString());
    expect(endOf('2026-02-28')).toBe(new Date(2026, 2, 1).toISOString());
  });

  it('leave other moments to the service', () => {
    for (const moment of ['2026-02-28T10:00:00Z', '42', 'yesterday', '2026-02-31', '2026-13-05', '2026-00-05'])
      expect([beginningOf(moment), endOf(moment)]).toEqual([moment, moment]);
  });

  it('are counted back over months', () => {
    expect(dayBefore(new Date(2026, 2, 1, 12), 1)).toBe('2026-02-28');
  });
});
