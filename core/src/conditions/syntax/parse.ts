import { type ASTNode, Environment, ParseError } from '@marcbachmann/cel-js';
import { CONDITION_LIMITS } from './limits.js';
import { syntaxWords } from './syntax-words.js';

/** A node of a parsed CEL expression. Macros appear as the calls that they were written as. */
export type Ast = ASTNode;

/** A syntax error in a condition; `offset` counts characters from its start. */
export class ConditionFault extends Error {
  constructor(
    readonly detail: string,
    readonly offset?: number,
  ) {
    super(detail);
  }
}

/**
 * The library's parser, but not its evaluator: that one has no bound on cost, tells an absent attribute from a failure
 * only by the order in which it meets them, and takes a key named `constructor` for a class.
 */
const environment = new Environment({
  limits: {
    maxDepth: CONDITION_LIMITS.depth,
    maxAstNodes: CONDITION_LIMITS.nodes,
    maxListElements: CONDITION_LIMITS.items,
    maxMapEntries: CONDITION_LIMITS.items,
    maxCallArguments: CONDITION_LIMITS.callArguments,
  },
});

/** Parses a condition. Throws `ConditionFault`. */
export function parseCondition(source: string): Ast {
  const { length } = CONDITION_LIMITS;
  if (source.length > length)
    throw new ConditionFault(`has ${source.length} characters: at most ${length} are allowed`);
  try {
    return environment.parse(source).ast;
  } catch (error) {
    if (!(error instanceof ParseError)) throw new ConditionFault('does not parse');
    throw new ConditionFault(wording(error, source), error.range?.start);
  }
}

function wording(error: ParseError, source: string): string {
  if (error.code !== 'limit_exceeded') return `does not parse: ${syntaxWords(error, source)}`;
  const exceeded = error.summary.replace(/max[A-Z]\w+/, (limit) => LIMIT_WORDS[limit] ?? limit);
  return `is too large: ${exceeded.charAt(0).toLowerCase()}${exceeded.slice(1)}`;
}

const LIMIT_WORDS: Readonly<Record<string, string>> = {
  maxDepth: 'the levels of nesting',
  maxAstNodes: 'the parts of an expression',
  maxListElements: 'the items of a list',
  maxMapEntries: 'the entries of a map',
  maxCallArguments: 'the arguments of a call',
};
