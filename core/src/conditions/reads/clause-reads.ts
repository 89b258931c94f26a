import { isAncestorMethod } from '../evaluate/ancestors.js';
import { buildPart, memberLabel } from '../evaluate/build.js';
import { isSubjectQuestion } from '../evaluate/subject-questions.js';
import type { Ast } from '../syntax/parse.js';
import { Absent, Failure } from '../values/outcome.js';
import { presentMoment } from '../values/present-moment.js';
import type { Scope } from '../values/scope.js';
import { isTrouble, Moment, type Value, type ValueMap } from '../values/value.js';
import { attributePath, MACROS, partsOf } from './reads.js';

/** Something that a clause reads: an attribute, or one of an ancestor of the resource. */
export interface ClauseRead {
  readonly label: string;
  /** Its value, or the attribute that is absent; undefined where reading it fails. Throws nothing but `OutOfSteps`. */
  valueIn(scope: Scope): Value | Absent | undefined;
}

/** The read of `since()` and time windows: `context.time`, or else now. */
export const TIME_READ: ClauseRead = {
  label: 'time',
  valueIn: (scope) => {
    const ms = presentMoment(scope);
    return ms instanceof Failure ? undefined : new Moment(ms);
  },
};

/** A member of the context. */
export function memberRead(name: string): ClauseRead {
  const label = `context.${name}`;
  return {
    label,
    valueIn: ({ context }) => (Object.hasOwn(context, name) ? context[name] : new Absent(label)),
  };
}

const NONE: ReadonlySet<string> = new Set();

/** Returns what a part of a condition reads, each once, in the order of the text; not what macros read of their items. */
export function clauseReads(ast: Ast): ClauseRead[] {
  const found = new Map<string, ClauseRead>();
  collect(ast, NONE, found);
  return [...found.values()];
}

function collect(ast: Ast, locals: ReadonlySet<string>, found: Map<string, ClauseRead>): void {
  const label = attributePath(ast, locals) ?? ofAncestor(ast, locals);
  if (label !== undefined) {
    if (!found.has(label)) found.set(label, readOf(label, ast));
    return;
  }
  if (ast.op === 'call' && ast.args[0] === 'since') found.set(TIME_READ.label, TIME_READ);
  const key = ast.op === 'in' ? memberAsked(ast, locals) : undefined;
  if (key !== undefined) {
    found.set(key.label, key);
    return;
  }
  if (ast.op !== 'rcall') {
    for (const part of partsOf(ast)) collect(part, locals, found);
    return;
  }
  const [name, receiver, args] = ast.args;
  const isVariable = receiver.op === 'id' && attributePath(receiver, locals) !== undefined;
  // The text of such a clause says all that can be said of it.
  if (isVariable && (isSubjectQuestion(name) || isAncestorMethod(name))) return;
  const variable = MACROS.has(name) && args.length > 1 && args[0]?.op === 'id' ? args[0].args : undefined;
  if (receiver.op !== 'id' || isVariable) collect(receiver, locals, found);
  const inside = variable === undefined ? locals : new Set(locals).add(variable);
  for (const part of variable === undefined ? args : args.slice(1)) collect(part, inside, found);
}

/** Matches what is certainly a map. The whole is shown of anything else that `in` looks into. */
const MAPS = /^(?:context|(?:subject|resource|action)\.properties)$/;

/** The member that is asked for by its name: `"mfa" in context`. */
function memberAsked({ args: [key, map] }: Ast & { op: 'in' }, locals: ReadonlySet<string>): ClauseRead | undefined {
  const base = attributePath(map, locals);
  if (key.op !== 'value' || typeof key.args !== 'string' || base === undefined || !MAPS.test(base)) return undefined;
  const name = key.args;
  const whole = readOf(base, map);
  const label = memberLabel(base, name);
  return {
    label,
    valueIn: (scope) => {
      const members = whole.valueIn(scope) as ValueMap;
      return Object.hasOwn(members, name) ? members[name] : new Absent(label);
    },
  };
}

/** The path of an attribute like `resource.ancestor("docs/folder").properties.owner`. */
function ofAncestor(ast: Ast, locals: ReadonlySet<string>): string | undefined {
  let base = ast;
  while (base.op === '.') base = base.args[0];
  if (base === ast || base.op !== 'rcall' || !isAncestorMethod(base.args[0])) return undefined;
  if (attributePath(base.args[1], locals) !== 'resource') return undefined;
  return ast.input.slice(ast.start, ast.end).replace(/\s+/g, ' ');
}

function readOf(label: string, ast: Ast): ClauseRead {
  return {
    label,
    valueIn: (scope) => {
      const { run, size } = buildPart(ast);
      scope.charge(size);
      const value = run(scope);
      return value instanceof Absent ? value : isTrouble(value) ? undefined : value;
    },
  };
}
