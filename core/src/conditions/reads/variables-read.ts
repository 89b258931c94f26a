import { type Ast, ConditionFault, parseCondition } from '../syntax/parse.js';
import { partsOf } from './reads.js';

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

function collect(ast: Ast, found: Set<string>): void {
  if (ast.op === 'id') found.add(ast.args);
  for (const part of partsOf(ast)) collect(part, found);
}
