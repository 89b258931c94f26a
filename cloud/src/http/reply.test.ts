import { describe, expect, it } from 'vitest';
import { json, matches, versioned } from './reply.js';

describe('a list of entity tags', () => {
  const rows: [list: string, etag: string, comparison: 'strong' | 'weak', same: boolean][] = [
    ['"1"', '"1"', 'strong', true],
    ['"1"', '"2"', 'strong', false],
    ['"1", "2"', '"2"', 'strong', true],
    ['*', '"1"', 'strong', true],
    ['W/"1"', '"1"', 'strong', false],
    ['W/"1"', '"1"', 'weak', true],
    ['"0",W/"1"', '"1"', 'weak', true],
    ['1', '"1"', 'weak', false],
    ['', '"1"', 'weak', false],
  ];

  it.each(rows)('%s names %s by the %s comparison: %s', (list, etag, comparison, same) => {
    expect(matches(list, etag, comparison)).toBe(same);
  });
});

describe('a versioned answer', () => {
  it('is made only for who does not have it', async () => {
    let made = 0;
    const make = () => {
      made += 1;
      return json(200, {});
    };
    expect((await versioned('"1"', '"1"', make)).status).toBe(304);
    expect(made).toBe(0);
    const fresh = await versioned('"0"', '"1"', make);
    expect({ status: fresh.status, etag: fresh.headers?.etag, made }).toEqual({ status: 200, etag: '"1"', made: 1 });
  });
});
