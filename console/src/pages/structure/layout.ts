/** Something to place, and the column group that it belongs to. */
export interface Placed {
  id: string;
  rank: number;
}

export interface Point {
  x: number;
  y: number;
}

export const NODE = { width: 220, height: 64 };
const GAP = { x: 90, y: 16 };
/** Between rows, for arrows and what stands at them. */
const GAP_DOWN = 44;
const SWEEPS = 6;

/**
 * Places nodes in columns, from left to right by rank. Links within a rank (a group in a group, a resource in another) spread
 * it over several columns. In each column, nodes stand near the middle of what they are linked with. The same input gives
 * the same places.
 */
export function layout(nodes: readonly Placed[], links: readonly (readonly [string, string])[]): Map<string, Point> {
  const columns = columnsOf(nodes, links);
  const ids = new Set(nodes.map(({ id }) => id));
  const neighbours = new Map<string, string[]>(nodes.map(({ id }) => [id, []]));
  for (const [from, to] of throughColumns(columns, links)) {
    neighbours.set(from, [...(neighbours.get(from) ?? []), to]);
    neighbours.set(to, [...(neighbours.get(to) ?? []), from]);
  }
  const position = new Map<string, number>();
  const place = (column: string[]) => {
    for (const [index, id] of column.entries()) position.set(id, index - (column.length - 1) / 2);
  };
  for (const column of columns) place(column);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const ordered = sweep % 2 === 0 ? columns : columns.toReversed();
    for (const column of ordered) {
      const middle = new Map(column.map((id) => [id, middleOf(id, neighbours, position)]));
      column.sort((a, b) => (middle.get(a) ?? 0) - (middle.get(b) ?? 0));
      place(column);
    }
  }
  const points = new Map<string, Point>();
  for (const [index, column] of columns.entries())
    for (const id of column)
      if (ids.has(id))
        points.set(id, { x: index * (NODE.width + GAP.x), y: (position.get(id) ?? 0) * (NODE.height + GAP.y) });
  return points;
}

/** The same from top to bottom: columns become rows. A way of many steps is then no wider than its branches. */
export function turned(points: ReadonlyMap<string, Point>): Map<string, Point> {
  const [across, down] = [
    (NODE.width + GAP.y) / (NODE.height + GAP.y),
    (NODE.height + GAP_DOWN) / (NODE.width + GAP.x),
  ];
  return new Map([...points].map(([id, { x, y }]) => [id, { x: y * across, y: x * down }]));
}

function middleOf(id: string, neighbours: Map<string, string[]>, position: Map<string, number>): number {
  const linked = neighbours.get(id) ?? [];
  if (linked.length === 0) return position.get(id) ?? 0;
  return linked.reduce((sum, other) => sum + (position.get(other) ?? 0), 0) / linked.length;
}

/**
 * The links from one column to the next. One that leaves columns out gets a place in each of them, so that no node stands in
 * its way; these places are added to `columns`.
 */
function throughColumns(columns: string[][], links: readonly (readonly [string, string])[]): [string, string][] {
  const columnOf = new Map(columns.flatMap((column, index) => column.map((id) => [id, index] as const)));
  return links.flatMap(([from, to]) => {
    const [first = 0, last = 0] = [columnOf.get(from), columnOf.get(to)].toSorted((a = 0, b = 0) => a - b);
    const between = Array.from({ length: Math.max(0, last - first - 1) }, (_, step) => {
      const place = `${from} ${to} ${first + 1 + step}`;
      columns[first + 1 + step]?.push(place);
      return place;
    });
    const way = columnOf.get(from) === first ? [from, ...between, to] : [to, ...between, from];
    return way.slice(1).map((id, index): [string, string] => [way[index] ?? id, id]);
  });
}

function columnsOf(nodes: readonly Placed[], links: readonly (readonly [string, string])[]): string[][] {
  const rank = new Map(nodes.map(({ id, rank }) => [id, rank]));
  const before = new Map<string, string[]>();
  for (const [from, to] of links)
    if (rank.get(from) === rank.get(to)) before.set(to, [...(before.get(to) ?? []), from]);
  const depths = new Map<string, number>();
  const path = new Set<string>();
  const depthOf = (id: string): number => {
    const known = depths.get(id);
    if (known !== undefined) return known;
    // Records may refer to each other in a circle: the link that closes it counts for nothing.
    if (path.has(id)) return -1;
    path.add(id);
    const depth = Math.max(-1, ...(before.get(id) ?? []).map(depthOf)) + 1;
    path.delete(id);
    depths.set(id, depth);
    return depth;
  };
  const columns = new Map<number, string[]>();
  for (const { id, rank } of nodes) {
    const column = rank * nodes.length + depthOf(id);
    columns.set(column, [...(columns.get(column) ?? []), id]);
  }
  return [...columns].toSorted(([a], [b]) => a - b).map(([, column]) => column);
}

interface Side {
  /** How long the frame is. */
  frame: number;
  /** The beginning of the picture, and its length. */
  from: number;
  size: number;
  /** The middle of the frame, as far as that leaves no room empty at an end. */
  middle: number;
  zoom: number;
  /** The room at the beginning and the end of the frame that stays free. */
  margins: readonly [first: number, last: number];
}

/** How far a picture is moved along one side of its frame: one that fits stands in the middle. */
export function offsetOf({ frame, from, size, middle, zoom, margins }: Side): number {
  const first = margins[0] - from * zoom;
  const last = frame - margins[1] - (from + size) * zoom;
  return last >= first ? (first + last) / 2 : Math.min(first, Math.max(last, frame / 2 - middle * zoom));
}
