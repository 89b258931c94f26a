/** The declared fields of a record. */
export type Fields = Record<string, unknown>;

/** Three-way, field by field: `fought` are those that both sides set to something else, and `merged` has mine. */
export function mergeFields(before: Fields | undefined, mine: Fields, theirs: Fields) {
  const merged: Fields = {};
  const fought: string[] = [];
  for (const field of new Set([...Object.keys(theirs), ...Object.keys(mine)])) {
    const changedByMe = before === undefined || !isSame(mine[field], before[field]);
    const changedByThem = before === undefined || !isSame(theirs[field], before[field]);
    const value = changedByMe ? mine[field] : theirs[field];
    if (value !== undefined) merged[field] = value;
    if (changedByMe && changedByThem && !isSame(mine[field], theirs[field])) fought.push(field);
  }
  return { merged, fought };
}

/** Whether two values of JSON are the same, whatever the order of members. */
export function isSame(left: unknown, right: unknown): boolean {
  return ordered(left) === ordered(right);
}

function ordered(value: unknown): string {
  return (
    JSON.stringify(value, (_, held: unknown) =>
      typeof held === 'object' && held !== null && !Array.isArray(held)
        ? Object.fromEntries(Object.entries(held).sort(([left], [right]) => (left < right ? -1 : 1)))
        : held,
    ) ?? ''
  );
}
