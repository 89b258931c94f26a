/** Whether two JSON values are the same, whatever the order of their members; an undefined member counts as absent. */
export function equalJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) || Array.isArray(right)) {
    return (
      Array.isArray(left) &&
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => equalJson(item, right[index]))
    );
  }
  const one = left as Record<string, unknown>;
  const other = right as Record<string, unknown>;
  for (const key in one) if (!equalJson(one[key], own(other, key))) return false;
  for (const key in other) if (other[key] !== undefined && own(one, key) === undefined) return false;
  return true;
}

function own(object: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
