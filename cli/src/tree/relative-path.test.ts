import { describe, expect, it } from 'vitest';
import { relativePath } from './relative-path.js';

describe('relativePath', () => {
  it.each([
    ['inside', '/a/b/c.yaml', 'b/c.yaml'],
    ['relative already', 'b/c.yaml', 'b/c.yaml'],
    ['elsewhere', '/x/c.yaml', '/x/c.yaml'],
    ['the folder itself', '/a', '/a'],
    ['a name with two dots in front', '/a/..b', '..b'],
  ])('%s', (_, path, expected) => {
    expect(relativePath(path, '/a')).toBe(expected);
  });
});
