import { MACROS, partsOf } from '../../conditions/reads/reads.js';
import { type Atom, outcomeOf, runPart } from '../../conditions/residual/atom.js';
import { type Attribute, AttributePool } from '../../conditions/residual/attribute.js';
import { parsedCondition } from '../../conditions/residual/partial-evaluator.js';
import type { PartialRequest } from '../../conditions/residual/partial-request.js';
import { readValue, scopeOf } from '../../conditions/residual/read-value.js';
import type { Residuals } from '../../conditions/residual/residuals.js';
import { rewritten } from '../../conditions/residual/rewritten.js';
import { attributePath, isLocalName, type Read, readsIn } from '../../conditions/residual/syntax.js';
import { type Ast, ConditionFault } from '../../conditions/syntax/parse.js';
import { OutOfSteps, type Trouble } from '../../conditions/values/outcome.js';
import { isMap, isTrouble, keysOf, type Value } from '../../conditions/values/value.js';
import { Unsayable } from './not-filterable.js';
import { NAME, type RowColumn, type RowColumns } from './row-columns.js';
import { ALWAYS, and, inSet, NEVER, not, or, passes, type RowCondition } from './row-condition.js';
import { always, FormulaOutcomes, negated, type RowOutcomes, UNSAYABLE, whether } from './row-outcomes.js';
import { MISSING, ORDERED_APART, oneOf, PRESENT, type Scalar } from './value-set.js';

const REMEDY =
  'Write it with comparisons, in, startsWith(), endsWith(), contains(), has() or exists() over what is known, or ask for decisions on rows';
/** Stands for any item of a list that will be known: an attribute of the request. */
const ANY_ITEM = Symbol('any item');
const ANY_ITEM_TEXT = 'context.item';
const NO_REQUEST = new Map<never, never>();
/** Half of a character, which no column holds. */
const HALF_CHARACTER = /\p{Surrogate}/u;

/** A side of a comparison: known, or a column. */
type Operand = Known | { readonly column: RowColumn };

/** A side that is known: a value, or else the trouble that it makes; or nothing yet but that it will be known. */
type Known =
  | { readonly value: Value; readonly trouble?: undefined; readonly later?: undefined }
  | { readonly trouble: Trouble; readonly later?: undefined }
  | Later;

interface Later {
  readonly later: true;
  readonly trouble?: undefined;
}

const LATER: Later = { later: true };

/** Says for which rows clauses of conditions are true, false, absent or failed. */
export class ClauseOutcomes {
  readonly #attributes = new AttributePool();
  readonly #formulas = new FormulaOutcomes((atom) => this.#clause(atom));

  /**
   * `placed` are the rows where the subject holds a role that it holds on resources. `unsayable` answers for a clause that
   * columns cannot say, or throws. With `beforehand`, whatever rows do not choose will be known when somebody asks, and
   * only whether clauses can be said is worked out.
   */
  constructor(
    private readonly residuals: Residuals,
    private readonly columns: RowColumns,
    private readonly placed: (role: string) => RowCondition,
    private readonly unsayable: (error: Unsayable, atom: Atom) => RowOutcomes,
    private readonly beforehand = false,
  ) {}

  get of(): FormulaOutcomes {
    return this.#formulas;
  }

  #clause(atom: Atom): RowOutcomes {
    try {
      return this.#exactly(atom);
    } catch (error) {
      if (error instanceof Unsayable) return this.unsayable(error, atom);
      throw error;
    }
  }

  #exactly({ source, text, attributes, known }: Atom): RowOutcomes {
    if (this.beforehand && !attributes.some((one) => isOfRows(one, this.columns))) return UNSAYABLE;
    const [attribute] = attributes;
    if (attribute?.kind === 'role' && attributes.length === 1 && 'ast' in source && isRoleQuestion(source.ast)) {
      const held = or(attribute.role.anyOf.map(this.placed));
      return whether(held, ALWAYS);
    }
    if (!('ast' in source)) throw new Unsayable(text, 'it depends on more than the row', REMEDY);
    const { residuals, columns, beforehand } = this;
    const clause = new Clause(residuals, columns, this.#attributes, this.#formulas, text, known, beforehand);
    try {
      return clause.outcomes(source.ast);
    } catch (error) {
      const isFault = error instanceof ConditionFault || error instanceof OutOfSteps || error instanceof RangeError;
      if (isFault) throw new Unsayable(text, 'a part of it that is known fails', REMEDY);
      throw error;
    }
  }
}

/** Whether rows choose an attribute, by themselves or by where they lie. */
function isOfRows(attribute: Attribute, columns: RowColumns): boolean {
  if (attribute.kind === 'resourceName' || attribute.kind === 'role') return true;
  if (attribute.kind !== 'property' || attribute.root !== 'resource') return false;
  return attribute.name === undefined || columns.has(attribute.name);
}

function isRoleQuestion(ast: Ast): boolean {
  return ast.op === 'rcall' && ast.args[0] === 'has_role';
}

/** One clause, with what is known of the request. */
class Clause {
  constructor(
    private readonly residuals: Residuals,
    private readonly columns: RowColumns,
    private readonly attributes: AttributePool,
    private readonly formulas: FormulaOutcomes,
    private readonly text: string,
    private readonly known: PartialRequest,
    private readonly beforehand: boolean,
  ) {}

  outcomes(ast: Ast): RowOutcomes {
    const column = this.#column(ast);
    if (column !== undefined) return this.#truth(column);
    const chosen = this.#chosen(ast);
    if (chosen !== undefined) return this.formulas.of(this.residuals.residualOfPart(chosen, this.known));
    switch (ast.op) {
      case '==':
        return this.#equality(this.#operand(ast.args[0]), this.#operand(ast.args[1]));
      case '<':
      case '<=':
        return this.#order(ast.op === '<' ? 'lt' : 'le', this.#operand(ast.args[0]), this.#operand(ast.args[1]));
      case 'in':
        return this.#membership(ast.args[0], ast.args[1]);
      case 'call':
        if (ast.args[0] === 'has') return this.#has(ast.args[1][0] as Ast);
        break;
      case 'rcall':
        return this.#method(ast.args[0], ast.args[1], ast.args[2]);
    }
    throw this.#unsayable();
  }

  /** A comparison of what a test chooses with what is known: the test chooses between two comparisons. */
  #chosen(ast: Ast): Ast | undefined {
    if (ast.op !== '==' && ast.op !== '<' && ast.op !== '<=') return undefined;
    const at = ast.args.findIndex(({ op }) => op === '?:');
    const [choice, other] = [ast.args[at], ast.args[1 - at]];
    if (choice?.op !== '?:' || other === undefined || !this.#isKnownWell(other)) return undefined;
    const [test, ...branches] = choice.args;
    const compared = branches.map((one) => rewritten(ast, ast.op, at === 0 ? [one, other] : [other, one]));
    return rewritten(ast, '?:', [test, ...compared]);
  }

  /** Whether a part has a value; beforehand, whether that is all that it may lack. */
  #isKnownWell(ast: Ast): boolean {
    if (readsIn(ast).some((read) => this.#isChosenByRows(read))) return false;
    const operand = this.#operand(ast);
    if ('column' in operand || operand.trouble !== undefined) return false;
    return !operand.later || attributePath(ast)?.members.length === 0;
  }

  #isChosenByRows(read: Read): boolean {
    const { attribute } = readValue(read, this.known, this.attributes);
    return attribute !== undefined && !this.#willBeKnown(attribute);
  }

  #unsayable(why = 'columns cannot say this exactly'): Unsayable {
    return new Unsayable(this.text, why, REMEDY);
  }

  /** A condition that is a column by itself. */
  #truth(column: RowColumn): RowOutcomes {
    return column.type === 'boolean' ? this.#test(column, inSet(column.column, oneOf([true]))) : this.#fails(column);
  }

  #equality(left: Operand, right: Operand): RowOutcomes {
    if ('column' in left && 'column' in right) return this.#bothColumns('same', left.column, right.column);
    const [{ column }, known] = ('column' in left ? [left, right] : [right, left]) as [{ column: RowColumn }, Known];
    if (known.trouble !== undefined) return this.#troubled(column, known.trouble);
    if (known.later && column.type === 'list') throw this.#unsayable('lists are compared as wholes');
    if (known.later) return UNSAYABLE;
    const { value } = known;
    if (column.type === 'list' && Array.isArray(value)) throw this.#unsayable('lists are compared as wholes');
    if (value === null && column.without === 'null') return whether(inSet(column.column, MISSING), ALWAYS);
    const test = isScalarOf(column, value) ? inSet(column.column, oneOf([value as Scalar])) : NEVER;
    return this.#test(column, test);
  }

  #order(op: 'lt' | 'le', left: Operand, right: Operand): RowOutcomes {
    if ('column' in left && 'column' in right) {
      if (left.column.type !== 'number' || right.column.type !== 'number')
        throw this.#unsayable('only columns of numbers are put in order with each other');
      return this.#bothColumns(op, left.column, right.column);
    }
    // `1 < x` is true, false, absent and failed where `x <= 1` is false, true, absent and failed.
    if ('column' in right) return negated(this.#order(op === 'lt' ? 'le' : 'lt', right, left));
    if (!('column' in left)) throw this.#unsayable();
    const { column } = left;
    if (right.trouble !== undefined) return this.#troubled(column, right.trouble);
    if (right.later && column.type === 'boolean') throw this.#unsayable('truth values are put in order');
    if (right.later) return UNSAYABLE;
    const { value } = right;
    if (column.type === 'boolean' && typeof value === 'boolean') throw this.#unsayable('truth values are put in order');
    if ((column.type !== 'number' && column.type !== 'string') || typeof value !== column.type)
      return this.#fails(column);
    if (typeof value === 'string' && ORDERED_APART.test(value))
      throw this.#unsayable('databases put such characters in another order');
    return this.#ordered(column, passes({ op, column: column.column, value: value as Scalar }));
  }

  #bothColumns(op: 'same' | 'lt' | 'le', left: RowColumn, right: RowColumn): RowOutcomes {
    if (left.type === 'list' || right.type === 'list') throw this.#unsayable('lists are compared as wholes');
    if (left.without === 'null' || right.without === 'null')
      throw this.#unsayable('a parent is compared with a column');
    const there = and([presenceOf(left), presenceOf(right)]);
    if (left.column === right.column) return whether(op === 'lt' ? NEVER : there, there);
    if (left.type !== right.type) return whether(NEVER, there);
    const compared = (kind: 'same' | 'lt' | 'le', one: RowColumn, two: RowColumn) =>
      passes({ op: kind, column: one.column, other: two.column });
    if (op !== 'same' || left.type === 'string') return whether(compared(op, left, right), there);
    if (left.type === 'number') return whether(and([compared('le', left, right), compared('le', right, left)]), there);
    const both = (value: boolean) => and([left, right].map(({ column }) => inSet(column, oneOf([value]))));
    return whether(or([both(true), both(false)]), there);
  }

  #membership(item: Ast, whole: Ast): RowOutcomes {
    const path = attributePath(whole);
    const key = item.op === 'value' && typeof item.args === 'string' ? item.args : undefined;
    if (path?.read.kind === 'property' && path.read.root === 'resource' && path.read.name === undefined) {
      if (key === undefined) throw this.#unsayable('it looks for a property whose name is not written out');
      return this.#presence(key);
    }
    const [one, all] = [this.#operand(item), this.#operand(whole)];
    if ('column' in one && 'column' in all) throw this.#unsayable('a column is looked for in another one');
    if ('column' in all) {
      const known = one as Known;
      if (known.trouble !== undefined) return this.#troubled(all.column, known.trouble);
      if (known.later || all.column.type !== 'list') return this.#fails(all.column);
      return this.#test(
        all.column,
        passes({ op: 'hasAny', column: all.column.column, values: [this.#scalar(known.value)] }),
      );
    }
    const { column } = one as { column: RowColumn };
    if (all.trouble !== undefined) return this.#troubled(column, all.trouble);
    if (all.later) return UNSAYABLE;
    const { value } = all;
    const values = itemsIn(value);
    if (values === undefined || column.type === 'list') return this.#fails(column);
    if (!Array.isArray(value) && column.type !== 'string') return this.#fails(column);
    const listed = inSet(column.column, oneOf(values.filter((each) => isScalarOf(column, each)) as Scalar[]));
    if (column.without !== 'null') return this.#test(column, listed);
    if (!Array.isArray(value)) return whether(listed, presenceOf(column), 'failed');
    return whether(values.includes(null) ? or([listed, inSet(column.column, MISSING)]) : listed, ALWAYS);
  }

  #has(selected: Ast): RowOutcomes {
    const path = attributePath(selected);
    if (path?.read.kind === 'property' && path.read.root === 'resource' && path.members.length === 0)
      return this.#presence(path.read.name as string);
    throw this.#unsayable();
  }

  #presence(property: string): RowOutcomes {
    const column = this.columns.of(property, this.text);
    return whether(column.without === 'absent' ? presenceOf(column) : ALWAYS, ALWAYS);
  }

  #method(name: string, receiver: Ast, args: readonly Ast[]): RowOutcomes {
    const [first, body] = args;
    if ((name === 'exists' || name === 'all') && first?.op === 'id' && body !== undefined)
      return this.#quantified(name, receiver, first.args, body);
    if (name === 'bind' && first?.op === 'id' && args.length === 3) return this.#bound(first.args, args as Ast[]);
    if (name !== 'startsWith' && name !== 'endsWith' && name !== 'contains') throw this.#unsayable();
    const [text, part] = [this.#operand(receiver), this.#operand(first as Ast)];
    if (!('column' in text) || 'column' in part) throw this.#unsayable('a text is looked for that is a column');
    const { column } = text;
    if (part.trouble !== undefined) return this.#troubled(column, part.trouble);
    if (part.later) return UNSAYABLE;
    const { value } = part;
    if (column.type !== 'string' || typeof value !== 'string') return this.#fails(column);
    if (isHalfCharacter(value)) throw this.#unsayable('it looks for half a character');
    const test = value === '' ? presenceOf(column) : passes({ op: name, column: column.column, value });
    return this.#ordered(column, test);
  }

  #quantified(name: 'exists' | 'all', receiver: Ast, variable: string, body: Ast): RowOutcomes {
    const list = this.#operand(receiver);
    if ('column' in list) return this.#overColumn(name, list.column, variable, body);
    if (list.later) return this.#ofItem(variable, body);
    const items = list.trouble === undefined ? itemsIn(list.value) : undefined;
    if (items === undefined) throw this.#unsayable();
    const { formulas } = this.residuals;
    const each = items.map((item) => this.residuals.residualOfPart(this.#inserted(body, variable, item), this.known));
    return this.formulas.of(name === 'exists' ? formulas.or(each) : formulas.and(each));
  }

  /** The outcomes of a body for an item that will be known. */
  #ofItem(variable: string, body: Ast): RowOutcomes {
    const inserted = this.#inserted(body, variable, ANY_ITEM);
    return this.formulas.of(this.residuals.residualOfPart(inserted, this.known));
  }

  /** Items of a column are told apart by equality alone, since a list may hold anything. */
  #overColumn(name: 'exists' | 'all', column: RowColumn, variable: string, body: Ast): RowOutcomes {
    if (column.type !== 'list') return this.#fails(column);
    const values = this.#comparedWith(variable, body);
    if (values === undefined) throw this.#unsayable('items of a list are compared by more than == and in');
    if (values.length === 0) return name === 'exists' ? this.#test(column, NEVER) : this.#overNothing(column);
    const op = name === 'exists' ? 'hasAny' : 'hasOnly';
    return this.#test(column, passes({ op, column: column.column, values }));
  }

  #overNothing(column: RowColumn): RowOutcomes {
    return this.#test(column, passes({ op: 'hasOnly', column: column.column, values: [] }));
  }

  /** The values of which an item must be one; undefined where the body says something else. */
  #comparedWith(variable: string, body: Ast): readonly Scalar[] | undefined {
    if (body.op !== '==' && body.op !== 'in') return undefined;
    const [left, right] = body.args;
    const isItem = (part: Ast) => part.op === 'id' && part.args === variable;
    const other = isItem(left) ? right : body.op === '==' && isItem(right) ? left : undefined;
    if (other === undefined || namesVariable(other, variable)) return undefined;
    const operand = this.#operand(other);
    if ('column' in operand || operand.trouble !== undefined) return undefined;
    if (operand.later) return [];
    const { value } = operand;
    if (body.op === '==') return [this.#scalar(value)];
    return Array.isArray(value)
      ? [...new Set((value as readonly Value[]).map((item) => this.#scalar(item)))]
      : undefined;
  }

  #bound(variable: string, [, value, body]: Ast[]): RowOutcomes {
    const operand = this.#operand(value as Ast);
    if ('column' in operand || operand.trouble !== undefined) throw this.#unsayable();
    if (operand.later) return this.#ofItem(variable, body as Ast);
    const inserted = this.#inserted(body as Ast, variable, operand.value);
    return this.formulas.of(this.residuals.residualOfPart(inserted, this.known));
  }

  /** The body with a known value in place of a variable. */
  #inserted(body: Ast, variable: string, value: Value | typeof ANY_ITEM): Ast {
    const isAny = value === ANY_ITEM;
    if (!isAny && value !== null && typeof value === 'object')
      throw this.#unsayable('an item of a list is no plain value');
    const insert = (part: Ast): Ast => {
      if (part.op === 'id') {
        if (part.args !== variable) return part;
        return isAny ? (parsedCondition(ANY_ITEM_TEXT) as Ast) : rewritten(part, 'value', value);
      }
      // Whether a division drops the fraction is seen from how its operands are written.
      if (part.op === '/') throw this.#unsayable();
      if (part.op === 'rcall' && MACROS.has(part.args[0]) && namesVariable(part.args[2][0], variable))
        throw this.#unsayable(`it uses the name ${variable} twice`);
      return mapped(part, insert);
    };
    return insert(body);
  }

  #scalar(value: Value): Scalar {
    if (isHalfCharacter(value)) throw this.#unsayable('it looks for half a character');
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
    throw this.#unsayable('an item of a list is compared with what is no text, number or truth value');
  }

  #column(ast: Ast): RowColumn | undefined {
    const path = attributePath(ast);
    if (path === undefined) return undefined;
    const { read, members } = path;
    const { attribute } = readValue(read, this.known, this.attributes);
    if (attribute === undefined || this.#willBeKnown(attribute)) return undefined;
    if (read.kind === 'field' && read.field === 'resource.name') return NAME;
    if (read.kind !== 'property' || read.root !== 'resource' || read.name === undefined || members.length > 0)
      throw this.#unsayable();
    return this.columns.of(read.name, this.text);
  }

  #operand(ast: Ast): Operand {
    const column = this.#column(ast);
    if (column !== undefined) return { column };
    const reads = readsIn(ast);
    if (reads.some((read) => this.#isChosenByRows(read))) throw this.#unsayable();
    if (reads.some((read) => readValue(read, this.known, this.attributes).attribute !== undefined)) return LATER;
    const found = runPart(ast, scopeOf(this.known, NO_REQUEST));
    return isTrouble(found) ? { trouble: found } : { value: found };
  }

  #willBeKnown(attribute: Attribute): boolean {
    return this.beforehand && !isOfRows(attribute, this.columns);
  }

  /** A test by equality: of what is `null`, it is false. */
  #test(column: RowColumn, test: RowCondition): RowOutcomes {
    return whether(test, column.without === 'absent' ? presenceOf(column) : ALWAYS);
  }

  /** A test that fails for what is `null`. */
  #ordered(column: RowColumn, test: RowCondition): RowOutcomes {
    return whether(test, presenceOf(column), column.without === 'null' ? 'failed' : 'absent');
  }

  /** Fails for every value. */
  #fails(column: RowColumn): RowOutcomes {
    return this.#troubled(column, undefined);
  }

  /** The other side is absent, or has failed: absent wins. */
  #troubled(column: RowColumn, trouble: Trouble | undefined): RowOutcomes {
    if (trouble !== undefined && outcomeOf(trouble) === 'absent') return always('absent');
    const lacks = column.without === 'absent' ? not(presenceOf(column)) : NEVER;
    return { ...always('failed'), absent: lacks, failed: not(lacks) };
  }
}

function presenceOf({ column, without }: RowColumn): RowCondition {
  return without === 'never' ? ALWAYS : inSet(column, PRESENT);
}

/** The items of a list, or the keys of a map. */
function itemsIn(value: Value): readonly Value[] | undefined {
  if (Array.isArray(value)) return value as readonly Value[];
  return isMap(value) ? keysOf(value) : undefined;
}

function isScalarOf({ type }: RowColumn, value: Value): boolean {
  return typeof value === type && !isHalfCharacter(value);
}

function isHalfCharacter(value: Value): boolean {
  return typeof value === 'string' && HALF_CHARACTER.test(value);
}

function namesVariable(ast: Ast | undefined, variable: string): boolean {
  if (ast === undefined) return false;
  if (ast.op === 'id') return ast.args === variable && isLocalName(variable);
  return partsOf(ast).some((part) => namesVariable(part, variable));
}

/** A part whose own parts are replaced. */
function mapped(ast: Ast, change: (part: Ast) => Ast): Ast {
  const each = (args: unknown): unknown => {
    if (Array.isArray(args)) return args.map(each);
    return isPart(args) ? change(args) : args;
  };
  return ast.op === 'value' ? ast : rewritten(ast, ast.op, each(ast.args));
}

function isPart(value: unknown): value is Ast {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value;
}
