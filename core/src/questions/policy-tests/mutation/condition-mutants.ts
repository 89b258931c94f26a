import { type Ast, parseCondition } from '../../../conditions/syntax/parse.js';
import type { Operator } from './mutant.js';

export interface ConditionMutant {
  operator: Operator;
  detail: string;
  /** The place of the change, in characters. */
  offset: number;
  /** Undefined where nothing is left of the condition. */
  condition: string | undefined;
}

const LOOSER: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '==': '!=',
  '!=': '==',
};

/** A condition with one clause less, one negation less, or one comparison that is another. */
export function conditionMutants(condition: string): ConditionMutant[] {
  const found: ConditionMutant[] = [];
  const text = (ast: Ast) => condition.slice(ast.start, ast.end);
  const spliced = (start: number, end: number, by: string) => condition.slice(0, start) + by + condition.slice(end);

  const visit = (ast: Ast): void => {
    if (ast.op === '&&' || ast.op === '||') {
      // What settles nothing in a chain is as good as not there.
      const neutral = ast.op === '&&' ? 'true' : 'false';
      for (const operand of operandsOf(ast, ast.op)) {
        const changed = spliced(operand.start, operand.end, neutral);
        add('drop-clause', `without the clause ${text(operand)}`, operand.start, changed);
        visit(operand);
      }
    } else if (ast.op === '!_') {
      add(
        'drop-negation',
        `with ${text(ast.args)} instead of ${text(ast)}`,
        ast.start,
        spliced(ast.start, ast.end, `(${text(ast.args)})`),
      );
      visit(ast.args);
    } else {
      const looser = LOOSER[ast.op];
      if (looser !== undefined) {
        const [left, right] = ast.args as [Ast, Ast];
        const between = condition.slice(left.end, right.start);
        const at = left.end + between.indexOf(ast.op);
        const changed = spliced(at, at + ast.op.length, looser);
        add('loosen-comparison', `with ${looser} instead of ${ast.op} in ${text(ast)}`, ast.start, changed);
      }
      for (const part of partsOf(ast)) visit(part);
    }
  };
  const add = (operator: Operator, detail: string, offset: number, changed: string | undefined) =>
    found.push({ operator, detail: detail.replace(/\s+/g, ' '), offset, condition: changed });

  const root = parseCondition(condition);
  if (root.op !== '&&' && root.op !== '||')
    add('drop-clause', `without the condition ${text(root)}`, root.start, undefined);
  visit(root);
  return found;
}

function operandsOf(ast: Ast, op: '&&' | '||'): Ast[] {
  return ast.op === op ? ast.args.flatMap((part) => operandsOf(part, op)) : [ast];
}

/** The parts of an expression in which there may be comparisons. */
function partsOf(ast: Ast): readonly Ast[] {
  switch (ast.op) {
    case '?:':
      return ast.args;
    case 'rcall':
      return ast.args[2];
    case 'call':
      return ast.args[0] === 'has' ? [] : ast.args[1];
    default:
      return [];
  }
}
