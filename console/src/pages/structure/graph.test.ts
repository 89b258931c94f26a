import type { Address } from '@authz-service/sdk/wire';
import { describe, expect, it } from 'vitest';
import type { Edge, Neighbourhood } from './edge.js';
import { graphOf, MORE, NODES_MAX, withWholeApplications } from './graph.js';

const FOCUS = 'role/busy';

const holders = (kind: 'subject' | 'group', count: number, to: Address = FOCUS): Edge[] =>
  Array.from({ length: count }, (_, number) => ({
    from: kind === 'subject' ? `subject/user/${to}-${number}` : `group/${to}-${number}`,
    to,
    relation: 'holds',
    by: `role_assignment/${kind}-${number}`,
  }));
const around = (center: Address, edges: Edge[]): Neighbourhood => ({ center, edges, unread: new Set() });
const CROWD = around(FOCUS, [...holders('subject', 50), ...holders('group', 50)]);

describe('the picture of neighbourhoods', () => {
  it('shows eight links of each kind, and counts the rest', () => {
    const { nodes, rests, full } = graphOf(FOCUS, [CROWD]);
    expect(nodes.length).toBe(1 + 8 + 8);
    expect(rests.map(({ kind, count, room }) => ({ kind, count, room }))).toEqual([
      { kind: 'subject', count: 42, room: true },
      { kind: 'group', count: 42, room: true },
    ]);
    expect(full).toBe(false);
  });

  it('shows more of those that are asked for', () => {
    const [subjects] = graphOf(FOCUS, [CROWD]).rests;
    const { nodes, rests } = graphOf(FOCUS, [CROWD], { [subjects?.id ?? '']: MORE });
    expect(nodes.length).toBe(1 + 8 + MORE + 8);
    expect(rests.map(({ count }) => count)).toEqual([42 - MORE, 42]);
  });

  it('never holds more records than can be read, however many are opened and asked for', () => {
    const opened = [
      CROWD,
      ...Array.from({ length: 8 }, (_, number) =>
        around(`group/${FOCUS}-${number}`, holders('subject', 9, `group/${FOCUS}-${number}`)),
      ),
    ];
    const more = Object.fromEntries(graphOf(FOCUS, opened).rests.map(({ id }) => [id, 10 * MORE]));
    const { nodes, edges, rests, full } = graphOf(FOCUS, opened, more);
    expect(nodes.length).toBe(NODES_MAX);
    expect(full).toBe(true);
    expect(rests.some(({ room }) => room)).toBe(false);
    const known = new Set(nodes);
    expect(edges.every(({ from, to }) => known.has(from) && known.has(to))).toBe(true);
  });

  it('links policies that cover every type with their application', () => {
    const policy = 'policy/billing/all';
    const graph = graphOf(policy, [around(policy, [])]);
    const { nodes, edges } = withWholeApplications(graph, new Map([[policy, 'billing']]));
    expect(nodes).toEqual([policy, 'application/billing']);
    expect(edges).toEqual([{ from: policy, to: 'application/billing', relation: 'everyType' }]);
  });
});
