import { describe, expect, it } from 'vitest';
import { conjuncts } from './conjuncts.js';

describe('conjuncts', () => {
  it.each<[string, string[]]>([
    ['a', ['a']],
    ['a && b&&c', ['a', 'b', 'c']],
    ['a && (b && c || d)', ['a', '(b && c || d)']],
    ['a && b || c', ['a && b || c']],
    ['a && b ? c : d', ['a && b ? c : d']],
    ['x == " && \\" && " && f([a && b], {"k": c && d})', ['x == " && \\" && "', 'f([a && b], {"k": c && d})']],
    ["x == '||' && y", ["x == '||'", 'y']],
  ])('of %s', (condition, parts) => {
    expect(conjuncts(condition)).toEqual(parts);
  });
});
