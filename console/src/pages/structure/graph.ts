import type { Address, Kind } from '@authz-service/sdk/wire';
import { kindOf } from '../../ui/address-parts.js';
import type { Edge, Neighbourhood, Relation } from './edge.js';

/** More would not be read. */
export const NODES_MAX = 60;
/** The links of one relation of one record that the picture shows at first; and how many more when asked. */
const SHOWN_MAX = 8;
export const MORE = 16;

/** A node that stands for links that are not shown. */
export interface Rest {
  id: string;
  /** Whose links they are. */
  of: Address;
  relation: Relation;
  /** Whether they lead to the record. */
  inward: boolean;
  kind: Kind;
  count: number;
  /** There are more than were counted. */
  atLeast: boolean;
  /** There is room for some of them. */
  room: boolean;
}

export interface Graph {
  nodes: Address[];
  edges: Edge[];
  rests: Rest[];
  /** Links were left out because the picture is full. */
  full: boolean;
}

const KIND_OF_RELATION: { readonly [R in Relation]: Kind } = {
  member: 'group_membership',
  holds: 'role_assignment',
  place: 'role_assignment',
  assigned: 'policy_assignment',
  includes: 'role',
  covers: 'policy',
  everyType: 'policy',
  parent: 'resource',
  type: 'resource',
};

/**
 * The picture of these neighbourhoods; the first one is that of the focus. `more` says of which rests how many more links
 * are to be shown. The same input gives the same picture.
 */
export function graphOf(
  focus: Address,
  opened: readonly Neighbourhood[],
  more: Readonly<Record<string, number>> = {},
): Graph {
  const nodes = new Set([focus]);
  const edges = new Map<string, Edge>();
  const rests: Rest[] = [];
  let full = false;
  for (const { center, edges: all, unread } of opened) {
    const groups = new Map<string, Edge[]>();
    for (const edge of all) {
      const id = groupOf(edge, center);
      groups.set(id, [...(groups.get(id) ?? []), edge]);
    }
    for (const [id, group] of groups) {
      const shownMax = SHOWN_MAX + (more[`${center} ${id}`] ?? 0);
      let shown = 0;
      let hidden = 0;
      for (const edge of group) {
        const fresh = [edge.from, edge.to].filter((end) => !nodes.has(end));
        const room = nodes.size + fresh.length <= NODES_MAX;
        full ||= !room;
        if (fresh.length > 0 && (shown >= shownMax || !room)) {
          hidden += 1;
          continue;
        }
        for (const end of fresh) nodes.add(end);
        shown += fresh.length > 0 ? 1 : 0;
        edges.set(keyOf(edge), edge);
      }
      const [first] = group;
      if (first === undefined) continue;
      const inward = first.to === center;
      const other = inward ? first.from : first.to;
      // What the record itself refers to is always read whole.
      const own = first.by === undefined && !inward;
      const atLeast = !own && unread.has(KIND_OF_RELATION[first.relation]);
      if (hidden === 0 && !atLeast) continue;
      rests.push({
        id: `${center} ${id}`,
        of: center,
        relation: first.relation,
        inward,
        kind: kindOf(other),
        count: hidden,
        atLeast,
        room: hidden > 0,
      });
    }
  }
  const room = nodes.size < NODES_MAX;
  return {
    nodes: [...nodes],
    edges: [...edges.values()],
    rests: rests.map((rest) => ({ ...rest, room: rest.room && room })),
    full,
  };
}

/** The picture with the applications of which these policies cover every type: no type of theirs is named. */
export function withWholeApplications(graph: Graph, applications: ReadonlyMap<Address, string>): Graph {
  const nodes = new Set(graph.nodes);
  const edges = [...graph.edges];
  for (const [policy, application] of applications) {
    const address = `application/${application}`;
    nodes.add(address);
    edges.push({ from: policy, to: address, relation: 'everyType' });
  }
  return { ...graph, nodes: [...nodes], edges };
}

export function keyOf({ from, to, relation, by = '' }: Edge): string {
  return `${from} ${relation} ${to} ${by}`;
}

/** Links of one relation, in one direction, to one kind. */
function groupOf({ from, to, relation }: Edge, center: Address): string {
  const inward = to === center;
  return `${relation} ${inward} ${kindOf(inward ? from : to)}`;
}
