import type { Ast } from './parse.js';

/** A comparison of `subject.type` with literals: which types it names, and whether it holds for them or for all others. */
export interface SubjectTypeTest {
  names: readonly { text: string; offset: number }[];
  holds: boolean;
}

/** Reads `subject.type == "user"`, `!=`, or `in` a list of literals; undefined for anything else. */
export function subjectTypeTest(ast: Ast): SubjectTypeTest | undefined {
  if (ast.op !== '==' && ast.op !== '!=' && ast.op !== 'in') return undefined;
  const [left, right] = ast.args;
  if (ast.op === 'in') {
    if (!isSubjectType(left) || right.op !== 'list') return undefined;
    const names = right.args.map(literal);
    return names.every((name) => name !== undefined) ? { names, holds: true } : undefined;
  }
  const name = isSubjectType(left) ? literal(right) : isSubjectType(right) ? literal(left) : undefined;
  return name && { names: [name], holds: ast.op === '==' };
}

/** The types that a subject can only have where one of these parts (`holds`), or none of them, is true. */
export function typesAsked(parts: readonly Ast[], holds: boolean): ReadonlySet<string> | undefined {
  let asked: ReadonlySet<string> | undefined;
  for (const part of parts) {
    const test = subjectTypeTest(part);
    if (test?.holds !== holds) continue;
    const names = new Set(test.names.map(({ text }) => text));
    asked = asked === undefined ? names : new Set([...asked].filter((name) => names.has(name)));
  }
  return asked;
}

function isSubjectType(ast: Ast): boolean {
  return ast.op === '.' && ast.args[1] === 'type' && ast.args[0].op === 'id' && ast.args[0].args === 'subject';
}

function literal(ast: Ast): { text: string; offset: number } | undefined {
  return ast.op === 'value' && typeof ast.args === 'string' ? { text: ast.args, offset: ast.start } : undefined;
}
