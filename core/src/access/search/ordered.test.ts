import { describe, expect, it } from 'vitest';
import { inOrder } from './ordered.js';

describe('the order of names', () => {
  it('is that of their segments in addresses, however many there are', () => {
    const names = Array.from({ length: 3000 }, (_, at) => `${(at * 7919) % 3001} /${at}`);
    const steps = inOrder(names, (name) => name);
    let step = steps.next();
    let taken = 0;
    for (; !step.done; step = steps.next()) taken++;
    const keys = step.value.map(({ key }) => key);
    expect(keys).toEqual(keys.toSorted());
    expect(new Set(step.value.map(({ item }) => item)).size).toBe(3000);
    expect(taken).toBeGreaterThan(5);
  });
});
