import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layout, NODE, offsetOf, turned } from './layout.js';

const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const graphs = fc.record({
  nodes: fc.uniqueArray(fc.record({ id: fc.constantFrom(...ids), rank: fc.integer({ min: 0, max: 3 }) }), {
    selector: ({ id }) => id,
    minLength: 1,
  }),
  links: fc.array(fc.tuple(fc.constantFrom(...ids), fc.constantFrom(...ids))),
});

describe('the layout', () => {
  it('places every node once, apart from all others, and a lower rank further left, circles or not', () => {
    fc.assert(
      fc.property(graphs, ({ nodes, links }) => {
        const known = links.filter((link) => link.every((end) => nodes.some(({ id }) => id === end)));
        const points = layout(nodes, known);
        expect([...points.keys()].sort()).toEqual(nodes.map(({ id }) => id).sort());
        for (const one of nodes)
          for (const other of nodes) {
            if (one === other) continue;
            const [a, b] = [points.get(one.id), points.get(other.id)];
            if (a === undefined || b === undefined) throw new Error('a node is missing');
            if (one.rank < other.rank) expect(a.x + NODE.width).toBeLessThan(b.x);
            else if (a.x === b.x) expect(Math.abs(a.y - b.y)).toBeGreaterThan(NODE.height);
          }
      }),
    );
  });

  it('turned keeps all nodes apart, and a lower rank further up', () => {
    fc.assert(
      fc.property(graphs, ({ nodes, links }) => {
        const known = links.filter((link) => link.every((end) => nodes.some(({ id }) => id === end)));
        const points = turned(layout(nodes, known));
        for (const one of nodes)
          for (const other of nodes) {
            const [a, b] = [points.get(one.id), points.get(other.id)];
            if (one === other || a === undefined || b === undefined) continue;
            if (one.rank < other.rank) expect(a.y + NODE.height).toBeLessThan(b.y);
            else expect(Math.abs(a.x - b.x) > NODE.width || Math.abs(a.y - b.y) > NODE.height).toBe(true);
          }
      }),
    );
  });

  it('puts a chain of one rank into columns from left to right', () => {
    const points = layout(
      ['c', 'b', 'a'].map((id) => ({ id, rank: 1 })),
      [
        ['a', 'b'],
        ['b', 'c'],
      ],
    );
    expect(['a', 'b', 'c'].map((id) => points.get(id)?.y)).toEqual([0, 0, 0]);
    expect(points.get('a')?.x).toBeLessThan(points.get('b')?.x ?? 0);
    expect(points.get('b')?.x).toBeLessThan(points.get('c')?.x ?? 0);
  });

  it('keeps nodes out of the way of a link that leaves their column out', () => {
    const ranks = { group: 0, role: 1, policy: 2, other: 2 };
    const nodes = Object.entries(ranks).map(([id, rank]) => ({ id, rank }));
    const points = layout(nodes, [
      ['group', 'role'],
      ['role', 'policy'],
      ['group', 'other'],
    ]);
    const at = (id: string) => points.get(id)?.y ?? Number.NaN;
    const crossed = (at('group') + at('other')) / 2;
    expect(Math.abs(at('role') - crossed)).toBeGreaterThan(NODE.height / 2);
    expect([...points.keys()].sort()).toEqual(Object.keys(ranks).sort());
  });
});

it.each([
  ['fits in the middle', { size: 200, middle: 0 }, 250],
  ['is longer, with what counts in the middle', { size: 2000, middle: 1000 }, -200],
  ['is longer, from its beginning where what counts stands there', { size: 2000, middle: 50 }, 20],
  ['is longer, to its end where what counts stands there', { size: 2000, middle: 1950 }, -420],
])('moves a picture that %s', (_, side, offset) => {
  expect(offsetOf({ frame: 600, from: 0, zoom: 0.5, margins: [20, 20], ...side })).toBe(offset);
});

it('leaves room at the beginning for what covers the frame there', () => {
  const side = { frame: 600, from: 0, size: 2000, zoom: 0.5, middle: 0 };
  expect(offsetOf({ ...side, margins: [70, 20] })).toBe(70);
});
