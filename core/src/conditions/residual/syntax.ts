import { variables } from '../evaluate/variables.js';
import { typeNames } from '../functions/functions.js';
import { MACROS, partsOf, ROOTS } from '../reads/reads.js';
import type { Ast } from '../syntax/parse.js';
import { MAP } from '../values/static-type.js';
import { isPlainAncestors } from './plain-ancestors.js';

export { partsOf };

/** One thing that a part of a condition reads. */
export type Read =
  /** A member, or with an undefined name all members, of the context or of properties. */
  | {
      readonly kind: 'property';
      readonly root: 'context' | 'subject' | 'resource' | 'action';
      readonly name: string | undefined;
    }
  | { readonly kind: 'field'; readonly field: Field }
  | { readonly kind: 'group' | 'role'; readonly path: string }
  /** The ancestors of a type, and with `ids` perhaps their ids. */
  | { readonly kind: 'ancestors'; readonly path: string; readonly ids: boolean }
  /** The time of the request: `context.time`, or else that of the decision. */
  | { readonly kind: 'now' };

export type Field =
  | 'subject.type'
  | 'subject.id'
  | 'resource.type'
  | 'resource.application'
  | 'resource.id'
  | 'resource.name'
  | 'action.name';

/** All that conditions may read of subject, resource and action besides properties. */
const FIELDS: { readonly [root: string]: readonly string[] } = Object.fromEntries(
  [...variables(MAP)].map(([root, { members }]) => [root, [...(members?.keys() ?? [])].filter(isField)]),
);

function isField(member: string): boolean {
  return member !== 'properties';
}

const QUESTIONS: { readonly [method: string]: 'group' | 'role' | 'ancestors' } = {
  in_group: 'group',
  has_role: 'role',
  ancestor: 'ancestors',
  ancestors: 'ancestors',
};
const NO_NAMES: ReadonlySet<string> = new Set();

/** An attribute that is written out, like `context.device["os"]`: what it reads, and the members selected from that. */
export interface AttributePath {
  readonly read: Read;
  readonly members: readonly string[];
}

/** The attribute that a part of a condition is; undefined for anything else. */
export function attributePath(ast: Ast, hidden: ReadonlySet<string> = NO_NAMES): AttributePath | undefined {
  const names = namesOf(ast, hidden);
  if (names === undefined) return undefined;
  const [root, first, second, ...rest] = names as [string, ...string[]];
  if (root === 'context') return { read: { kind: 'property', root, name: first }, members: names.slice(2) };
  if (first === undefined) return undefined;
  const owner = root as 'subject' | 'resource' | 'action';
  if (first === 'properties') return { read: { kind: 'property', root: owner, name: second }, members: rest };
  if (!FIELDS[root]?.includes(first)) return undefined;
  return { read: { kind: 'field', field: `${root}.${first}` as Field }, members: names.slice(2) };
}

/** `subject`, `properties`, `region` of `subject.properties.region`. */
function namesOf(ast: Ast, hidden: ReadonlySet<string>): string[] | undefined {
  if (ast.op === 'id') return ROOTS.has(ast.args) && !hidden.has(ast.args) ? [ast.args] : undefined;
  const name = memberName(ast);
  if (name === undefined || (ast.op !== '.' && ast.op !== '[]')) return undefined;
  const base = namesOf(ast.args[0], hidden);
  return base === undefined ? undefined : [...base, name];
}

/** The name of the member that a part selects, if it is written out. */
export function memberName(ast: Ast): string | undefined {
  if (ast.op === '.') return ast.args[1];
  if (ast.op !== '[]' || ast.args[1].op !== 'value') return undefined;
  return typeof ast.args[1].args === 'string' ? ast.args[1].args : undefined;
}

const known = new WeakMap<Ast, readonly Read[]>();

/** All that a part of a condition reads, each once. It must not stand in a macro's body. */
export function readsIn(ast: Ast): readonly Read[] {
  const before = known.get(ast);
  if (before !== undefined) return before;
  const found = new Map<string, Read>();
  collect(ast, NO_NAMES, (read) => {
    const key = keyOf(read);
    const other = found.get(key);
    if (other?.kind !== 'ancestors' || !other.ids) found.set(key, read);
  });
  const reads = [...found.values()];
  known.set(ast, reads);
  return reads;
}

export function keyOf(read: Read): string {
  switch (read.kind) {
    case 'property':
      return `${read.root}.${JSON.stringify(read.name)}`;
    case 'field':
      return read.field;
    case 'now':
      return 'now';
    default:
      return `${read.kind}/${read.path}`;
  }
}

function collect(ast: Ast, hidden: ReadonlySet<string>, add: (read: Read) => void): void {
  const path = attributePath(ast, hidden);
  if (path !== undefined) {
    add(path.read);
    return;
  }
  switch (ast.op) {
    case 'id':
      if (ROOTS.has(ast.args) && !hidden.has(ast.args)) for (const read of wholeOf(ast.args)) add(read);
      return;
    case 'in': {
      // A key that is looked up in a whole map reads that one member.
      const whole = attributePath(ast.args[1], hidden);
      const [key] = ast.args;
      if (whole?.read.kind === 'property' && whole.read.name === undefined && key.op === 'value') {
        if (typeof key.args === 'string') add({ ...whole.read, name: key.args });
        return;
      }
      break;
    }
    case 'call':
      if (ast.args[0] === 'since') {
        add({ kind: 'now' });
        add({ kind: 'property', root: 'context', name: 'time' });
      }
      break;
    case 'rcall': {
      const [name, receiver, args] = ast.args;
      const question = QUESTIONS[name];
      const [first] = args;
      if (question !== undefined && receiver.op === 'id' && !hidden.has(receiver.args) && first?.op === 'value') {
        const path = String(first.args);
        add(
          question === 'ancestors' ? { kind: question, path, ids: !isPlainAncestors(ast) } : { kind: question, path },
        );
        return;
      }
      if (MACROS.has(name) && args.length > 1 && first?.op === 'id') {
        // The value of cel.bind stands outside the sight of its name.
        const inside = new Set(hidden).add(first.args);
        if (name !== 'bind') collect(receiver, hidden, add);
        for (const [at, part] of args.slice(1).entries())
          collect(part, name === 'bind' && at === 0 ? hidden : inside, add);
        return;
      }
      break;
    }
  }
  for (const part of partsOf(ast)) collect(part, hidden, add);
}

function wholeOf(root: string): Read[] {
  const fields = (FIELDS[root] ?? []).map((name): Read => ({ kind: 'field', field: `${root}.${name}` as Field }));
  return [
    ...fields,
    { kind: 'property', root: root as 'subject' | 'resource' | 'action' | 'context', name: undefined },
  ];
}

/** Whether a name means nothing but the variable of a macro. */
export function isLocalName(name: string): boolean {
  return !ROOTS.has(name) && !typeNames.includes(name) && name !== 'int' && name !== 'cel';
}

/** Whether a part names a variable of a macro around it: one that is neither an attribute nor a type. */
export function hasLocals(ast: Ast, inside: ReadonlySet<string> = NO_NAMES): boolean {
  if (ast.op === 'id') return !inside.has(ast.args) && isLocalName(ast.args);
  if (ast.op === 'rcall' && MACROS.has(ast.args[0])) {
    const [variable] = ast.args[2];
    if (variable?.op === 'id') {
      const within = new Set(inside).add(variable.args);
      const outside = ast.args[0] === 'bind' ? ast.args[2][1] : ast.args[1];
      return partsOf(ast).some((part) => part !== variable && hasLocals(part, part === outside ? inside : within));
    }
  }
  return partsOf(ast).some((part) => hasLocals(part, inside));
}
