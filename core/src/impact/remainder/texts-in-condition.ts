import { parsedCondition } from './specialise.js';
import { type Field, partsOf, readsIn } from './syntax.js';

type Part = Parameters<typeof partsOf>[0];

const NONE: ReadonlySet<string> = new Set();

/** The texts that a condition writes out, if it reads this: each may be one that no record has. */
export function textsInCondition(condition: string | undefined, field: Field): ReadonlySet<string> {
  // Most conditions read nothing of the kind.
  const [root = ''] = field.split('.');
  const ast = condition?.includes(root) ? parsedCondition(condition) : undefined;
  if (ast === undefined || !readsIn(ast).some((read) => read.kind === 'field' && read.field === field)) return NONE;
  const texts = new Set<string>();
  const visit = (part: Part) => {
    if (part.op === 'value' && typeof part.args === 'string') texts.add(part.args);
    for (const inner of partsOf(part)) visit(inner);
  };
  visit(ast);
  return texts;
}
