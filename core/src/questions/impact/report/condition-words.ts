import { attributePath } from '../../../conditions/reads/reads.js';
import { type Ast, ConditionFault, parseCondition } from '../../../conditions/syntax/parse.js';
import { amount, listed, type Phrase, phrase } from './phrase.js';

/** Words for a part of a condition: what a request is made with, or what must be the case. */
interface Words {
  readonly kind: 'with' | 'if';
  readonly words: Phrase;
}

/**
 * A condition in words, with its text behind: "with a second factor (context.mfa)", "if its amount is below 10,000
 * (resource.properties.amount < 10000)". Parts for which there are no words stand there as they are.
 */
export function conditionWords(condition: string): Phrase {
  const words = wordsForCondition(condition);
  return words === undefined ? phrase('if ', { name: condition }) : phrase(words, ' (', { name: condition }, ')');
}

/** The words of `conditionWords` alone; undefined for a condition without any. */
export function wordsForCondition(condition: string): Phrase | undefined {
  const parts = conjunctsOf(condition);
  const worded = parts.map(
    ({ ast, text }) => (ast && wordsOf(ast)) ?? { kind: 'if' as const, words: [{ name: text }] },
  );
  const plain = worded.every(({ words }) => words.length === 1 && typeof words[0] === 'object');
  if (plain) return undefined;
  // Alternatives beside other parts come last, with a word that binds them.
  const isBound = (at: number) => parts.length > 1 && parts[at]?.ast?.op === '||';
  const bound = worded.map(({ kind, words }, at) => ({
    ...{ kind, last: isBound(at) },
    words: isBound(at) && words.length > 1 ? phrase('either ', words) : words,
  }));
  const of = (kind: Words['kind']) =>
    bound
      .filter((one) => one.kind === kind)
      .sort((left, right) => Number(left.last) - Number(right.last))
      .map(({ words }) => words);
  const [manner, cases] = [of('with'), of('if')];
  return phrase(
    listed(manner, manner.length),
    manner.length > 0 && cases.length > 0 ? ' and ' : '',
    cases.length > 0 ? phrase('if ', listed(cases, cases.length)) : '',
  );
}

function conjunctsOf(condition: string): { ast: Ast | undefined; text: string }[] {
  let ast: Ast;
  try {
    ast = parseCondition(condition);
  } catch (error) {
    if (!(error instanceof ConditionFault)) throw error;
    return [{ ast: undefined, text: condition }];
  }
  const flat = (one: Ast): Ast[] => (one.op === '&&' ? one.args.flatMap(flat) : [one]);
  const parts = flat(ast);
  const text = (one: Ast) => {
    const own = condition.slice(one.start, one.end);
    return parts.length > 1 && (one.op === '||' || one.op === '?:') && !own.startsWith('(') ? `(${own})` : own;
  };
  return parts.map((one) => ({ ast: one, text: text(one) }));
}

/** Operators as they read, and turned round. */
const COMPARED: { readonly [op: string]: string } = {
  '<': 'is below',
  '<=': 'is at most',
  '>': 'is above',
  '>=': 'is at least',
  '==': 'is',
  '!=': 'is not',
};
const TURNED: { readonly [op: string]: string } = {
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
  '==': '==',
  '!=': '!=',
};

function wordsOf(ast: Ast): Words | undefined {
  switch (ast.op) {
    case '||': {
      const parts = alternatives(ast).map(wordsOf);
      const kinds = new Set(parts.map((part) => part?.kind));
      if (kinds.size !== 1 || kinds.has(undefined)) return undefined;
      const [kind] = kinds as Set<Words['kind']>;
      const words = parts.map((part) => (part as Words).words);
      return kind === undefined ? undefined : { kind, words: listed(words, words.length, 'or') };
    }
    case '!_':
      return negated(ast.args);
    case '.':
    case '[]': {
      const path = attributePath(ast);
      if (path === 'context.mfa') return { kind: 'with', words: ['with a second factor'] };
      const label = path === undefined ? undefined : labelOf(path);
      return label && { kind: 'if', words: phrase(label, ' is true') };
    }
    case 'call':
      return callWords(ast.args[0], ast.args[1], '');
    case 'rcall':
      return principalWords(ast, '');
    case 'in':
      return listWords(ast.args[0], ast.args[1]);
    default:
      return COMPARED[ast.op] === undefined ? undefined : comparisonWords(ast.op, ...(ast.args as [Ast, Ast]));
  }
}

function alternatives(ast: Ast): Ast[] {
  return ast.op === '||' ? ast.args.flatMap(alternatives) : [ast];
}

function negated(ast: Ast): Words | undefined {
  const path = attributePath(ast);
  if (path === 'context.mfa') return { kind: 'with', words: ['without a second factor'] };
  const label = path === undefined ? undefined : labelOf(path);
  if (label !== undefined) return { kind: 'if', words: phrase(label, ' is false') };
  if (ast.op === 'call') return callWords(ast.args[0], ast.args[1], 'not ');
  return ast.op === 'rcall' ? principalWords(ast, 'not ') : undefined;
}

function callWords(name: string, args: readonly Ast[], not: string): Words | undefined {
  const [first, second] = args;
  if (first === undefined) return undefined;
  const path = attributePath(first);
  if (name === 'has' && path !== undefined) {
    const label = labelOf(path);
    return label && { kind: 'if', words: phrase(label, ` is ${not}given`) };
  }
  if (name === 'ip_in' && path === 'context.ip' && second?.op === 'value')
    return { kind: 'with', words: phrase(`${not}from the network `, { name: String(second.args) }) };
  if (name === 'time_windows' && not === '' && args.every(({ op }) => op === 'value'))
    return {
      kind: 'with',
      words: listed(
        args.map((one) => windowWords(String(one.args))),
        args.length,
        'or',
      ),
    };
  return undefined;
}

const DAYS: { readonly [day: string]: string } = {
  mon: 'Monday',
  tue: 'Tuesday',
  wed: 'Wednesday',
  thu: 'Thursday',
  fri: 'Friday',
  sat: 'Saturday',
  sun: 'Sunday',
};

/** Three or more days in a row as `Monday to Friday`, others one by one. */
function daysWords(days: readonly string[]): Phrase {
  const week = Object.values(DAYS);
  const [first = '', last = ''] = [days[0], days.at(-1)];
  const isRun = days.every((day, at) => day === week[week.indexOf(first) + at]);
  if (days.length > 2 && isRun) return [`${first} to ${last}`];
  return listed(
    days.map((day): Phrase => [day]),
    7,
  );
}

/** `mon,tue 08:00-18:00 Europe/Berlin` as `on Monday and Tuesday between 08:00 and 18:00 (Europe/Berlin)`. */
function windowWords(text: string): Phrase {
  const [, days = '', start = '', end = '', zone = ''] = /^(?:(\S+) )?(\d\d:\d\d)-(\d\d:\d\d) (\S+)$/.exec(text) ?? [];
  if (start === '') return [{ name: text }];
  const named = days.split(',').flatMap((day) => DAYS[day] ?? []);
  return phrase(
    named.length === 0 ? '' : phrase('on ', daysWords(named), ' '),
    `between ${start} and ${end} (${zone})`,
  );
}

function principalWords(ast: Ast & { op: 'rcall' }, not: string): Words | undefined {
  const [name, receiver, args] = ast.args;
  const [first, second] = args;
  // Several ranges: ["10.0.0.0/8", "192.168.0.0/16"].exists(range, ip_in(context.ip, range)).
  if (name === 'exists' && receiver.op === 'list' && second?.op === 'call' && second.args[0] === 'ip_in') {
    const ranges = receiver.args.flatMap((one): Phrase[] => (one.op === 'value' ? [[{ name: String(one.args) }]] : []));
    const [ip, range] = second.args[1];
    const plain = ip !== undefined && attributePath(ip) === 'context.ip' && range?.op === 'id' && first?.op === 'id';
    if (!plain || range.args !== first.args || ranges.length !== receiver.args.length) return undefined;
    return { kind: 'with', words: phrase(`${not}from the networks `, listed(ranges, ranges.length, 'or')) };
  }
  if (receiver.op !== 'id' || receiver.args !== 'subject' || first?.op !== 'value') return undefined;
  if (name === 'in_group')
    return { kind: 'if', words: phrase(`they are ${not}in `, { name: `group/${String(first.args)}` }) };
  if (name === 'has_role')
    return {
      kind: 'if',
      words: phrase(not === '' ? 'they hold ' : 'they do not hold ', { name: `role/${String(first.args)}` }),
    };
  return undefined;
}

function listWords(item: Ast, list: Ast): Words | undefined {
  const [path, within] = [attributePath(item), attributePath(list)];
  if (path === 'subject.id' && within !== undefined) {
    const label = labelOf(within);
    return label && { kind: 'if', words: phrase('they are among ', label) };
  }
  const label = path === undefined ? undefined : labelOf(path);
  if (label === undefined || list.op !== 'list') return undefined;
  const values = list.args.flatMap((one) => valueWords(one) ?? []);
  if (values.length !== list.args.length || values.length === 0) return undefined;
  return {
    kind: 'if',
    words: phrase(
      label,
      ' is ',
      listed(
        values.map((one): Phrase => [one]),
        values.length,
        'or',
      ),
    ),
  };
}

function comparisonWords(op: string, left: Ast, right: Ast): Words | undefined {
  const [path, other] = [attributePath(left), attributePath(right)];
  if (path === undefined) return other === undefined ? undefined : comparisonWords(TURNED[op] ?? op, right, left);
  if (path === 'subject.id' && other !== undefined && other !== 'subject.id')
    return comparisonWords(TURNED[op] ?? op, right, left);
  const own = /^resource\.properties\.(?:owner|owner_id|created_by|author)$/.test(path);
  if (own && other === 'subject.id' && op === '==') return { kind: 'if', words: ['it is their own'] };
  if (own && other === 'subject.id' && op === '!=') return { kind: 'if', words: ['it is not their own'] };
  const label = labelOf(path);
  if (label === undefined) return undefined;
  if (path === 'context.mfa' && right.op === 'value' && (op === '==' || op === '!=')) {
    const second = (right.args === true) === (op === '==');
    return typeof right.args === 'boolean' ? { kind: 'with', words: [second ? WITH : WITHOUT] } : undefined;
  }
  if (other === 'subject.id') return { kind: 'if', words: phrase(label, ` ${COMPARED[op]} they themselves`) };
  const value = other === undefined ? valueWords(right) : undefined;
  const compared = other === undefined ? (value === undefined ? undefined : [value]) : labelOf(other);
  return compared && { kind: 'if', words: phrase(label, ` ${COMPARED[op]} `, compared) };
}

const WITH = 'with a second factor';
const WITHOUT = 'without a second factor';

/** An attribute as readers call it: `its amount`, `their level`, `the device of the request`. */
function labelOf(path: string): Phrase | undefined {
  const [, root, name] = /^(subject|resource|action)\.properties\.([A-Za-z_]\w*)$/.exec(path) ?? [];
  if (name !== undefined) return phrase(`${OWNERS[root ?? '']} `, { name });
  const [, sent] = /^context\.([A-Za-z_]\w*)$/.exec(path) ?? [];
  return sent === undefined ? undefined : phrase("the request's ", { name: sent });
}

const OWNERS: { readonly [root: string]: string } = { subject: 'their', resource: 'its', action: "the action's" };

/** A literal: numbers with separators, texts in quotes. */
function valueWords(ast: Ast): string | undefined {
  if (ast.op === '-_') {
    const value = valueWords(ast.args);
    return value === undefined ? undefined : `-${value}`;
  }
  if (ast.op !== 'value') return undefined;
  const value: unknown = ast.args;
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'bigint' && typeof value !== 'number') return undefined;
  const text = String(value);
  return Number.isSafeInteger(Number(text)) ? amount(Number(text)) : text;
}
