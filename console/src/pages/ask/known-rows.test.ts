import { describe, expect, it } from 'vitest';
import { knownRows } from './known-rows.js';

describe('what was found of several actions', () => {
  it('ends where the first action was cut off, and names every action of what is shown', () => {
    const read = { action: 'read', ids: ['a', 'b', 'd'], cut: true };
    const approve = { action: 'approve', ids: ['c', 'd', 'e'], cut: false };
    expect(knownRows([read, approve])).toEqual([
      { id: 'a', actions: ['read'] },
      { id: 'b', actions: ['read'] },
      { id: 'c', actions: ['approve'] },
      { id: 'd', actions: ['read', 'approve'] },
    ]);
  });

  it('is whole where nothing was cut off', () => {
    expect(knownRows([{ action: 'read', ids: ['b', 'a'], cut: false }]).map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it('ends by the order of addresses, in which a space counts as its escape', () => {
    const read = { action: 'read', ids: ['a', 'b!', 'b c'], cut: true };
    const approve = { action: 'approve', ids: ['b+', 'b d', 'b!'], cut: false };
    expect(knownRows([read, approve]).map(({ id }) => id)).toEqual(['a', 'b!', 'b c']);
  });
});
