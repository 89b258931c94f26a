import { parseIpRange } from '../../values/ip-range.js';
import { partsOf } from '../reads/reads.js';
import { type Ast, ConditionFault } from '../syntax/parse.js';
import { parseMoment } from '../values/moment.js';
import { OutOfSteps } from '../values/outcome.js';
import { isTrouble, Moment, type Result, Span, TypeName, type Value } from '../values/value.js';
import { localTime } from '../values/zone.js';
import { type Atom, runPart } from './atom.js';
import type { Attribute, AttributePool } from './attribute.js';
import type { Question } from './domain/question.js';
import type { PartialRequest } from './partial-request.js';
import { readValue, scopeOf } from './read-value.js';
import { attributePath, hasLocals, isLocalName, readsIn } from './syntax.js';

/** An attribute, or a member of its value. */
export interface Site {
  readonly attribute: Attribute;
  readonly members: readonly string[];
}

/** Sites whose values are compared with each other; with `in` the first is looked for in the second. */
export type Join = readonly [Site, Site, 'equal' | 'order' | 'in'];

/** The questions on which the outcome of an atom depends, and nothing else; perhaps on more if `complete` is false. */
export interface AtomQuestions {
  readonly questions: readonly (readonly [Site, Question])[];
  readonly joins: readonly Join[];
  readonly complete: boolean;
}

type Locals = ReadonlyMap<string, Value>;
const NO_LOCALS: Locals = new Map();

/** Takes an atom apart into questions about single values. */
export function questionsOf(atom: Atom, pool: AttributePool): AtomQuestions {
  const dissection = new Dissection(atom.known, pool);
  const { source } = atom;
  if ('ast' in source) {
    if (!dissection.boolean(source.ast, NO_LOCALS)) {
      dissection.hints(source.ast);
      for (const attribute of atom.attributes) dissection.ask({ attribute, members: [] }, { ask: 'kind' });
      return { ...dissection, complete: false };
    }
    return { ...dissection, complete: true };
  }
  const [attribute] = atom.attributes as [Attribute];
  const site = { attribute, members: [] };
  for (const text of source.ranges ?? []) {
    const range = parseIpRange(text);
    if (range !== undefined) dissection.ask(site, { ask: 'ip', range });
  }
  for (const window of source.windows ?? []) dissection.ask(site, { ask: 'window', window });
  return { ...dissection, complete: true };
}

/** An operand: a value known for every request, or what is made of the value at a site. */
type Term =
  | { readonly constant: Result }
  | { readonly site: Site; readonly made: 'value' | 'size' | 'moment' | 'type' }
  | { readonly site: Site; readonly made: 'hour'; readonly zone: string }
  | { readonly since: Moment; readonly site: Site };

class Dissection {
  readonly questions: (readonly [Site, Question])[] = [];
  readonly joins: Join[] = [];
  readonly #known: PartialRequest;
  readonly #pool: AttributePool;

  constructor(known: PartialRequest, pool: AttributePool) {
    this.#known = known;
    this.#pool = pool;
  }

  ask(site: Site, question: Question): void {
    this.questions.push([site, question]);
  }

  /** Whether all that the outcome of a part depends on has been found. */
  boolean(ast: Ast, locals: Locals): boolean {
    if (this.#constant(ast, locals) !== undefined) return true;
    const site = this.#site(ast);
    if (site !== undefined) return this.#asked(site, { ask: 'kind' });
    switch (ast.op) {
      case '&&':
      case '||':
      case '?:':
        return ast.args.every((part) => this.boolean(part, locals));
      case '!_':
        return this.boolean(ast.args, locals);
      case '==':
      case '!=':
      case '<':
      case '<=':
      case '>':
      case '>=':
        return this.#comparison(ast.op, ast.args[0], ast.args[1], locals);
      case 'in':
        return this.#membership(ast.args[0], ast.args[1], locals);
      case 'call':
        return this.#call(ast.args[0], ast.args[1], locals);
      case 'rcall':
        return this.#method(ast.args[0], ast.args[1], ast.args[2], locals);
      default:
        return false;
    }
  }

  /** Adds values that are worth a try for a part that is not understood: its literals, and what is known beside them. */
  hints(ast: Ast): void {
    const values: Value[] = [];
    const sites: Site[] = [];
    const visit = (part: Ast) => {
      const constant = hasLocals(part) ? undefined : this.#constant(part, NO_LOCALS);
      if (constant !== undefined && !isTrouble(constant.constant)) values.push(constant.constant);
      const site = this.#site(part);
      if (site !== undefined) sites.push(site);
      else for (const inner of partsOf(part)) visit(inner);
    };
    visit(ast);
    const numbers = values.filter((value) => typeof value === 'number');
    for (const first of numbers.slice(0, 8))
      for (const second of numbers.slice(0, 8))
        values.push(first + second, first - second, first * second, second === 0 ? 0 : first / second);
    for (const site of sites) for (const value of values.slice(0, 64)) this.#equals(site, value);
  }

  #asked(site: Site, question: Question): true {
    this.ask(site, question);
    return true;
  }

  #site(ast: Ast): Site | undefined {
    const path = attributePath(ast);
    const read = path?.read ?? rolesRead(ast);
    if (read === undefined) return undefined;
    const { attribute } = readValue(read, this.#known, this.#pool);
    return attribute === undefined ? undefined : { attribute, members: path?.members ?? [] };
  }

  /** The value of a part that depends on nothing that requests choose. */
  #constant(ast: Ast, locals: Locals): { constant: Result } | undefined {
    if (ast.op === 'id' && locals.has(ast.args)) return { constant: locals.get(ast.args) as Value };
    if (hasLocals(ast)) return undefined;
    if (readsIn(ast).some((read) => readValue(read, this.#known, this.#pool).attribute !== undefined)) return undefined;
    try {
      return { constant: runPart(ast, scopeOf(this.#known, new Map())) };
    } catch (error) {
      if (error instanceof OutOfSteps || error instanceof RangeError || error instanceof ConditionFault)
        return undefined;
      throw error;
    }
  }

  #term(ast: Ast, locals: Locals): Term | undefined {
    const constant = this.#constant(ast, locals);
    if (constant !== undefined) return constant;
    const site = this.#site(ast);
    if (site !== undefined) return { site, made: 'value' };
    const [name, of, more] = calledOn(ast);
    const inside = of && this.#site(of);
    if (name === 'since' && of !== undefined && inside === undefined) {
      const start = this.#constant(of, locals)?.constant;
      const ms = typeof start === 'string' ? parseMoment(start) : undefined;
      const moment = start instanceof Moment ? start : ms === undefined ? undefined : new Moment(ms);
      return moment && { since: moment, site: { attribute: this.#pool.property('context', 'time'), members: [] } };
    }
    if (name === 'getHours' && of !== undefined && inside === undefined) return this.#hour(ast, of, locals);
    if (inside === undefined || more) return undefined;
    if (name === 'size') return { site: inside, made: 'size' };
    if (name === 'timestamp') return { site: inside, made: 'moment' };
    return name === 'type' ? { site: inside, made: 'type' } : undefined;
  }

  /** The hour of a timestamp that is made of a site, by the clocks of UTC or of a zone that is written out. */
  #hour(ast: Ast, of: Ast, locals: Locals): Term | undefined {
    const moment = this.#term(of, locals);
    if (moment === undefined || !('made' in moment) || moment.made !== 'moment' || ast.op !== 'rcall') return undefined;
    const [zone] = ast.args[2];
    const named = zone === undefined ? 'UTC' : this.#constant(zone, locals)?.constant;
    if (typeof named !== 'string' || localTime(0, named) === undefined) return undefined;
    return { site: moment.site, made: 'hour', zone: named };
  }

  #comparison(op: string, left: Ast, right: Ast, locals: Locals): boolean {
    const first = this.#term(left, locals);
    const second = this.#term(right, locals);
    if (first === undefined || second === undefined) return this.#truths(op, left, right, locals);
    if ('constant' in first) return 'constant' in second || this.#withConstant(op, second, first.constant);
    if ('constant' in second) return this.#withConstant(op, first, second.constant);
    if ('since' in first || 'since' in second || first.made !== 'value' || second.made !== 'value') return false;
    this.joins.push([first.site, second.site, op === '==' || op === '!=' ? 'equal' : 'order']);
    return true;
  }

  /** `(a < b) == true`: both sides are true, false, absent or failed. */
  #truths(op: string, left: Ast, right: Ast, locals: Locals): boolean {
    if (op !== '==' && op !== '!=') return false;
    const settles = [left, right].every((part) => this.#constant(part, locals) !== undefined || TRUTHS.has(part.op));
    return settles && this.boolean(left, locals) && this.boolean(right, locals);
  }

  #withConstant(op: string, term: Exclude<Term, { constant: Result }>, constant: Result): boolean {
    if ('since' in term) {
      const ms = constant instanceof Span ? term.since.ms + constant.ms : term.since.ms;
      return this.#asked(term.site, { ask: 'present', ms });
    }
    const { site } = term;
    if (isTrouble(constant))
      return this.#asked(site, term.made === 'moment' ? { ask: 'moment', ms: 0 } : { ask: 'kind' });
    const value = constant as Value;
    switch (term.made) {
      case 'value':
        if (typeof value === 'string')
          return this.#asked(site, { ask: op === '==' || op === '!=' ? 'equals' : 'before', text: value });
        return this.#equals(site, value);
      case 'size':
        return this.#asked(site, { ask: 'size', size: typeof value === 'number' ? value : 0 });
      case 'moment':
        return this.#asked(site, { ask: 'moment', ms: value instanceof Moment ? value.ms : 0 });
      case 'hour': {
        const hour = typeof value === 'number' ? Math.min(Math.max(Math.floor(value), 0), 23) : 0;
        const [start, end] = [`${hour}:00`.padStart(5, '0'), `${(hour + 1) % 24}:00`.padStart(5, '0')];
        return this.#asked(site, { ask: 'hours', window: { start, end, zone: term.zone } });
      }
      case 'type':
        return this.#asked(site, { ask: 'kind' });
    }
  }

  #equals(site: Site, value: Value): true {
    if (typeof value === 'string') return this.#asked(site, { ask: 'equals', text: value });
    if (typeof value === 'number') return this.#asked(site, { ask: 'number', number: value });
    const scalar = value === null || typeof value !== 'object';
    const notJson = value instanceof Moment || value instanceof Span || value instanceof TypeName;
    return this.#asked(site, scalar || notJson ? { ask: 'kind' } : { ask: 'value', value });
  }

  #membership(left: Ast, right: Ast, locals: Locals): boolean {
    const whole = attributePath(right);
    if (whole?.read.kind === 'property' && whole.read.name === undefined) {
      // A key of all properties or of the context is a member like any other.
      const key = this.#constant(left, locals)?.constant;
      const written = left.op === 'value' && typeof key === 'string';
      const answer = written ? readValue({ ...whole.read, name: key }, this.#known, this.#pool) : undefined;
      return (
        answer?.attribute !== undefined && this.#asked({ attribute: answer.attribute, members: [] }, { ask: 'kind' })
      );
    }
    const value = this.#term(left, locals);
    const list = this.#term(right, locals);
    if (value === undefined || list === undefined || 'since' in value || 'since' in list) return false;
    if ('constant' in list) {
      if ('constant' in value) return true;
      if (value.made !== 'value') return false;
      if (isTrouble(list.constant) || typeof list.constant !== 'object' || list.constant === null)
        return this.#asked(value.site, { ask: 'kind' });
      this.ask(value.site, { ask: 'kind' });
      const items = Array.isArray(list.constant) ? (list.constant as readonly Value[]) : Object.keys(list.constant);
      for (const item of items) this.#equals(value.site, item);
      return true;
    }
    if (list.made !== 'value') return false;
    if ('constant' in value)
      return this.#asked(
        list.site,
        isTrouble(value.constant) ? { ask: 'kind' } : { ask: 'member', value: value.constant },
      );
    if (value.made !== 'value') return false;
    this.joins.push([value.site, list.site, 'in']);
    return true;
  }

  #call(name: string, args: readonly Ast[], locals: Locals): boolean {
    const [first, second] = args;
    if (first === undefined) return false;
    if (name === 'has' && first.op === '.') {
      const site = this.#site(first);
      return site !== undefined && this.#asked(site, { ask: 'kind' });
    }
    if (name !== 'ip_in' || second === undefined) return false;
    const site = this.#site(first);
    const text = this.#constant(second, locals)?.constant;
    if (site === undefined || text === undefined) return false;
    const range = typeof text === 'string' ? parseIpRange(text) : undefined;
    return this.#asked(site, range === undefined ? { ask: 'kind' } : { ask: 'ip', range });
  }

  #method(name: string, receiver: Ast, args: readonly Ast[], locals: Locals): boolean {
    if (name === 'exists' || name === 'all' || name === 'exists_one') return this.#quantifier(receiver, args, locals);
    const ask = METHODS[name];
    const site = this.#site(receiver);
    const text = args[0] && this.#constant(args[0], locals)?.constant;
    if (ask === undefined || site === undefined || text === undefined || args.length !== 1) return false;
    return this.#asked(site, typeof text === 'string' ? { ask, text } : { ask: 'kind' });
  }

  /** Over the items of a known list: a body for each. */
  #quantifier(receiver: Ast, [variable, body]: readonly Ast[], locals: Locals): boolean {
    const list = this.#constant(receiver, locals)?.constant;
    if (
      variable?.op !== 'id' ||
      body === undefined ||
      !isLocalName(variable.args) ||
      !Array.isArray(list) ||
      list.length > LIST_MAX
    )
      return false;
    return (list as readonly Value[]).every((item) => this.boolean(body, new Map(locals).set(variable.args, item)));
  }
}

/** Longer lists are not looked into item by item. */
const LIST_MAX = 200;

const METHODS: { readonly [name: string]: 'starts' | 'ends' | 'contains' | 'matches' } = {
  startsWith: 'starts',
  endsWith: 'ends',
  contains: 'contains',
  matches: 'matches',
};
const TRUTHS: ReadonlySet<string> = new Set(['&&', '||', '!_', '==', '!=', '<', '<=', '>', '>=', 'in']);

function rolesRead(ast: Ast) {
  if (ast.op !== 'rcall' || ast.args[0] !== 'has_role') return undefined;
  return readsIn(ast).find((read) => read.kind === 'role');
}

/** The function or method of one argument, and its argument; the third says that there are more. */
function calledOn(ast: Ast): readonly [string | undefined, Ast | undefined, boolean] {
  if (ast.op === 'call') return [ast.args[0], ast.args[1][0], ast.args[1].length > 1];
  if (ast.op === 'rcall') return [ast.args[0], ast.args[1], ast.args[2].length > 0];
  return [undefined, undefined, false];
}
