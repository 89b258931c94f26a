import { isExact } from '../../json/exact-number.js';
import type { Path } from '../../records/address.js';
import { namesInCondition } from '../../records/condition-names.js';
import { slipOf } from '../../text/nearest.js';
import { typeNames } from '../functions/functions.js';
import { type Ast, ConditionFault } from '../syntax/parse.js';
import { subjectTypeTest, typesAsked } from '../syntax/subject-type-tests.js';
import { type Trouble, worse } from '../values/outcome.js';
import {
  ANY,
  BOOL,
  either,
  INT,
  inWords,
  listOf,
  MAP,
  mayBe,
  NULL,
  NUMBER,
  STRING,
  type StaticType,
  TYPE,
} from '../values/static-type.js';
import { isTrouble, TypeName, type Value } from '../values/value.js';
import { ancestors, isAncestorMethod } from './ancestors.js';
import { call } from './calls.js';
import { type Body, collect, existsOne, itemType, quantifier } from './macros.js';
import { constantNode, folded, type Node, type Run, refused, sizeOf } from './node.js';
import { arithmetic, choice, comparison, equality, logical, membership, negative, not } from './operators.js';
import { NO_SCHEMAS, type SchemaTypes } from './schema-types.js';
import { doubt, has, index, judgeKey, select, suggestion } from './select.js';
import { isSubjectQuestion, subjectQuestion } from './subject-questions.js';
import { subjectVariable, variables } from './variables.js';

const declaredNames = ['subject', 'resource', 'action', 'context'];

/**
 * Turns a parsed expression into closures, and checks its types on the way. `resourceProperties` is what is known of
 * `resource.properties`, and `schemas` what is known of subjects and context. Throws `ConditionFault`.
 */
export function build(ast: Ast, resourceProperties: StaticType, schemas = NO_SCHEMAS): Node {
  const node = new Builder(variables(resourceProperties, schemas), schemas).build(ast);
  if (mayBe(node.type, 'boolean')) return node;
  throw new ConditionFault(`it gives ${inWords(node.type.kind)}, and must give true or false`);
}

/** Builds a part of a condition that stands in no macro's body; it may give any value. Throws `ConditionFault`. */
export function buildPart(ast: Ast): Node {
  return new Builder(variables(MAP), NO_SCHEMAS).build(ast);
}

class Builder {
  readonly #names: Map<string, Node>;
  #slots = 0;
  #namesIn: ReturnType<typeof namesInCondition> | undefined;

  constructor(
    names: ReadonlyMap<string, Node>,
    private readonly schemas: SchemaTypes,
  ) {
    this.#names = new Map(names);
  }

  build(ast: Ast): Node {
    const offset = ast.start;
    switch (ast.op) {
      case 'value':
        return literal(ast.args, offset, sourceOf(ast));
      case 'id':
        return this.#name(ast.args, offset);
      case '.':
        return select(this.build(ast.args[0]), ast.args[1], selectionLabel(ast), ast.pos);
      case '[]':
        return this.#index(ast.args[0], ast.args[1], offset, sourceOf(ast));
      case '+':
      case '-':
      case '*':
      case '/':
      case '%': {
        const parts = this.#all(ast.args);
        return folded(arithmetic(ast.op, parts[0] as Node, parts[1] as Node, offset), parts);
      }
      case '<':
      case '<=':
      case '>':
      case '>=': {
        const [left, right] = this.#all(ast.args);
        return comparison(ast.op, left as Node, right as Node, offset);
      }
      case '==':
      case '!=': {
        this.#judgeTypeTest(ast);
        const [left, right] = this.#all(ast.args);
        return equality(ast.op, left as Node, right as Node, offset);
      }
      case 'in': {
        this.#judgeTypeTest(ast);
        const [left, right] = this.#all(ast.args);
        if (typeof left?.constant === 'string') judgeKey(right as Node, left.constant, left.offset);
        return membership(left as Node, right as Node, offset);
      }
      case '&&':
      case '||': {
        const parts = chain(ast, ast.op);
        return this.#where(typesAsked(parts, ast.op === '&&'), () => logical(ast.op, this.#all(parts), offset));
      }
      case '!_':
        return not(this.build(ast.args), offset);
      case '-_': {
        const part = this.build(ast.args);
        return folded(negative(part, offset), [part]);
      }
      case '?:': {
        const [asked] = ast.args;
        const test = this.build(asked);
        const yes = this.#where(typesAsked([asked], true), () => this.build(ast.args[1]));
        const no = this.#where(typesAsked([asked], false), () => this.build(ast.args[2]));
        return choice(test, yes, no, either(yes.type, no.type), offset);
      }
      case 'list':
        return this.#list(ast.args, offset);
      case 'map':
        return this.#map(ast.args, offset);
      case 'call':
        return this.#call(ast.args[0], ast.args[1], offset);
      case 'rcall':
        return this.#method(ast.args[0], ast.args[1], ast.args[2], offset);
      default:
        throw new ConditionFault(`"${ast.op}" is not available in conditions`, offset);
    }
  }

  #all(asts: readonly Ast[]): Node[] {
    return asts.map((ast) => this.build(ast));
  }

  /** Builds what counts only for subjects of these types. */
  #where(types: ReadonlySet<string> | undefined, build: () => Node): Node {
    const subject = this.#names.get('subject');
    if (types === undefined || subject?.members === undefined) return build();
    this.#names.set('subject', subjectVariable(this.schemas.subjectProperties(types)));
    try {
      return build();
    } finally {
      this.#names.set('subject', subject);
    }
  }

  /** A type of subjects that nobody declares may be meant, but not one that looks like a slip for a declared one. */
  #judgeTypeTest(ast: Ast): void {
    const { subjectTypes } = this.schemas;
    if (subjectTypes.size === 0) return;
    for (const { text, offset } of subjectTypeTest(ast)?.names ?? []) {
      const meant = subjectTypes.has(text) ? undefined : slipOf(text, subjectTypes);
      if (meant !== undefined)
        throw new ConditionFault(`nobody declares a subject type "${text}": ${doubt(meant)}`, offset);
    }
  }

  #name(name: string, offset: number): Node {
    const found = this.#names.get(name);
    if (found !== undefined) return { ...found, offset };
    if (typeNames.includes(name) || name === 'int')
      return constantNode(new TypeName(name === 'int' ? 'double' : name), TYPE, offset);
    throw new ConditionFault(`there is no variable "${name}": ${suggestion(name, declaredNames)}`, offset);
  }

  #index(base: Ast, key: Ast, offset: number, source: string): Node {
    const from = this.build(base);
    const at = this.build(key);
    return typeof at.constant === 'string'
      ? select(from, at.constant, memberLabel(from.label, at.constant), offset)
      : index(from, at, source, offset);
  }

  #list(asts: readonly Ast[], offset: number): Node {
    const parts = this.#all(asts);
    const types = parts.map((part) => part.type);
    const type = listOf(types.length === 0 ? ANY : types.reduce(either));
    const run: Run = (scope) => {
      const list: Value[] = [];
      let trouble: Trouble | undefined;
      for (const part of parts) {
        const value = part.run(scope);
        if (isTrouble(value)) trouble = worse(trouble, value);
        else list.push(value);
      }
      return trouble ?? list;
    };
    return folded({ type, run, label: '', offset, size: sizeOf(parts) }, parts);
  }

  #map(entries: readonly (readonly [Ast, Ast])[], offset: number): Node {
    const keys = entries.map(([key]) => this.build(key));
    const values = entries.map(([, value]) => this.build(value));
    for (const key of keys)
      if (!mayBe(key.type, 'string')) throw new ConditionFault('the keys of a map are strings', key.offset);
    const run: Run = (scope) => {
      scope.charge(keys.length * 8);
      const map: { [key: string]: Value } = Object.create(null);
      let trouble: Trouble | undefined;
      for (const [at, key] of keys.entries()) {
        const name = key.run(scope);
        const value = (values[at] as Node).run(scope);
        if (typeof name !== 'string') trouble = worse(trouble, refused('A map', [key], [name]));
        if (isTrouble(value)) trouble = worse(trouble, value);
        else if (typeof name === 'string') map[name] = value;
      }
      return trouble ?? map;
    };
    return folded({ type: MAP, run, label: '', offset, size: sizeOf([...keys, ...values]) }, [...keys, ...values]);
  }

  #call(name: string, args: readonly Ast[], offset: number): Node {
    if (name !== 'has') return call(name, this.#all(args), false, offset);
    const [selection] = args;
    if (args.length === 1 && selection?.op === '.')
      return has(this.build(selection.args[0]), selection.args[1], offset);
    throw new ConditionFault(
      'has() takes a selection like context.mfa; for another key write "key" in context',
      offset,
    );
  }

  #method(name: string, receiver: Ast, args: readonly Ast[], offset: number): Node {
    if (name === 'bind' && receiver.op === 'id' && receiver.args === 'cel' && args.length === 3)
      return this.#bind(args[0] as Ast, args[1] as Ast, args[2] as Ast);
    if (isAncestorMethod(name) && this.#isRoot('resource', receiver)) {
      const path = args[0] && this.#plainName(args[0]);
      return ancestors(name, path, args.length, args[0]?.start ?? offset);
    }
    if (isSubjectQuestion(name) && this.#isRoot('subject', receiver)) {
      const path = args[0] && this.#plainName(args[0]);
      return subjectQuestion(name, path, args.length, args[0]?.start ?? offset);
    }
    const range = this.build(receiver);
    if (isMacro(name, args.length)) return this.#macro(name, range, args, offset);
    return call(name, [range, ...this.#all(args)], true, offset);
  }

  /** Whether a part is this variable of every condition, and not one of a macro around it. */
  #isRoot(name: string, ast: Ast): boolean {
    return ast.op === 'id' && ast.args === name && this.#names.get(name)?.members !== undefined;
  }

  /** The path of a record, where it is written so that it is found as a reference. */
  #plainName(ast: Ast): Path | undefined {
    this.#namesIn ??= namesInCondition(ast.input);
    const name = this.#namesIn.find(({ start, end }) => start - 1 === ast.start && end + 1 === ast.end);
    return name?.target.slice(name.kind.length + 1);
  }

  #macro(name: Macro, range: Node, [variable, first, second]: readonly Ast[], offset: number): Node {
    const type = itemType(range, name, offset);
    const body = (ast: Ast) => this.#body(identifier(variable as Ast), type, ast);
    const start = body(first as Ast);
    switch (name) {
      case 'all':
      case 'exists':
        return quantifier(name, range, start, offset);
      case 'exists_one':
        return existsOne(range, start, offset);
      case 'filter':
        return collect('filter', range, start, undefined, offset, type);
      case 'map': {
        if (second === undefined) return collect('map', range, undefined, start, offset, start.node.type);
        const result = body(second);
        return collect('map', range, start, result, offset, result.node.type);
      }
    }
  }

  /** `cel.bind(name, value, body)`: trouble of the value comes up where the body reads it. */
  #bind(variable: Ast, value: Ast, body: Ast): Node {
    const bound = this.build(value);
    const { node, slot } = this.#body(identifier(variable), bound.type, body);
    const run: Run = (scope) => {
      scope.locals[slot] = bound.run(scope);
      return node.run(scope);
    };
    return { ...node, run, size: sizeOf([bound, node]), constant: undefined };
  }

  /** Builds with one more name in sight; slots nest as the names do. */
  #body(name: string, type: StaticType, ast: Ast): Body {
    const slot = this.#slots++;
    const hidden = this.#names.get(name);
    this.#names.set(name, {
      type,
      run: (scope) => scope.locals[slot] as Value,
      label: name,
      offset: 0,
      size: 1,
    });
    try {
      return { node: this.build(ast), slot };
    } finally {
      this.#slots--;
      if (hidden === undefined) this.#names.delete(name);
      else this.#names.set(name, hidden);
    }
  }
}

type Macro = 'all' | 'exists' | 'exists_one' | 'map' | 'filter';

function isMacro(name: string, args: number): name is Macro {
  if (name === 'map') return args === 2 || args === 3;
  return args === 2 && (name === 'all' || name === 'exists' || name === 'exists_one' || name === 'filter');
}

/** The parser has made sure that a macro's variable is a name. */
function identifier(ast: Ast): string {
  if (ast.op === 'id') return ast.args;
  throw new ConditionFault('a macro takes a plain name for its variable', ast.start);
}

function literal(value: unknown, offset: number, source: string): Node {
  if (value === null) return constantNode(null, NULL, offset);
  if (typeof value === 'boolean') return constantNode(value, BOOL, offset);
  if (typeof value === 'string') return constantNode(value, STRING, offset);
  if (typeof value === 'number') {
    if (!isExact(value)) throw new ConditionFault(`${source} is larger than a JSON number holds exactly`, offset);
    return constantNode(value, NUMBER, offset);
  }
  // The parser gives an integer as a bigint, and an unsigned one as an object around it.
  const whole: unknown = value?.valueOf();
  if (typeof whole !== 'bigint')
    throw new ConditionFault('bytes are not available in conditions: JSON holds none', offset);
  const number = Number(whole);
  if (!Number.isSafeInteger(number))
    throw new ConditionFault(`${source} is larger than a JSON number holds exactly`, offset);
  return constantNode(number, INT, offset);
}

/** The operands of a chain like `a && b && c`, which the parser nests to the left. */
function chain(ast: Ast, op: '&&' | '||'): Ast[] {
  const parts: Ast[] = [];
  let rest = ast;
  while (rest.op === op) {
    parts.push(rest.args[1]);
    rest = rest.args[0];
  }
  parts.push(rest);
  return parts.reverse();
}

function sourceOf(ast: Ast): string {
  const source = ast.input.slice(ast.start, ast.end);
  return source.length <= 80 ? source : `${source.slice(0, 79)}…`;
}

/** A selection is named as it is written, white space aside. */
function selectionLabel(ast: Ast): string {
  return sourceOf(ast).replace(/\s+/g, '');
}

export function memberLabel(base: string, name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? `${base}.${name}` : `${base}[${JSON.stringify(name)}]`;
}
