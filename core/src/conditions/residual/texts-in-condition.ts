import type { Ast } from '../syntax/parse.js';
import { parsedCondition } from './partial-evaluator.js';
import { type Field, partsOf, readsIn } from './syntax.js';

const NONE: ReadonlySet<string> = new Set();

/** Whether a condition reads this. */
export function conditionReads(condition: string | undefined, field: Field): boolean {
  return readingIn(condition, field) !== undefined;
}

/** The texts that a condition writes out, if it reads this: each may be one that no record has. */
export function textsInCondition(condition: string | undefined, field: Field): ReadonlySet<string> {
  const ast = readingIn(condition, field);
  if (ast === undefined) return NONE;
  const texts = new Set<string>();
  const visit = (part: Ast) => {
    if (part.op === 'value' && typeof part.args === 'string') texts.add(part.args);
    for (const inner of partsOf(part)) visit(inner);
  };
  visit(ast);
  return texts;
}

/** The condition if it reads this. */
function readingIn(condition: string | undefined, field: Field): Ast | undefined {
  // Most conditions read nothing of the kind.
  const [root = ''] = field.split('.');
  const ast = condition?.includes(root) ? parsedCondition(condition) : undefined;
  return ast && readsIn(ast).some((read) => read.kind === 'field' && read.field === field) ? ast : undefined;
}
