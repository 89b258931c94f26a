import { ConditionFault, parseCondition } from './parse.js';

/** The variables whose names stand in a condition, in the order of the alphabet; none where it does not parse. */
export function variablesRead(source: string): string[] {
  try {
    const found = new Set<string>();
    collect(parseCondition(source), found);
    return [...found].sort();
  } catch (error) {
    if (error instanceof ConditionFault) return [];
    throw error;
  }
}

/** A node has an `op` and `args`, which hold nodes at any depth. */
function collect(part: unknown, found: Set<string>): void {
  if (Array.isArray(part)) for (const one of part) collect(one, found);
  else if (typeof part === 'object' && part !== null && 'op' in part && 'args' in part) {
    if (part.op === 'id' && typeof part.args === 'string') found.add(part.args);
    else collect(part.args, found);
  }
}
