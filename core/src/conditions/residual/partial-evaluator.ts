import { decodeSegment, isResourcePath, type Path, typeOfResource } from '../../records/address.js';
import type { Modifiers, TimeWindow } from '../../records/policy.js';
import { build } from '../evaluate/build.js';
import { Guard } from '../evaluate/guard.js';
import { partsOf } from '../reads/reads.js';
import { type Ast, ConditionFault, parseCondition } from '../syntax/parse.js';
import { OutOfSteps } from '../values/outcome.js';
import { MAP } from '../values/static-type.js';
import { isTrouble, type Value } from '../values/value.js';
import { type Atom, type AtomSource, outcomeOf, runPart } from './atom.js';
import { type Attribute, AttributePool } from './attribute.js';
import { comparisonForm } from './comparison-form.js';
import { isJson } from './domain/is-json.js';
import { type Formula, FormulaPool } from './formula.js';
import type { ChosenRole, PartialPrincipals, PartialRequest } from './partial-request.js';
import { markPlainAncestors } from './plain-ancestors.js';
import { type ReadValue, readValue, scopeOf } from './read-value.js';
import { render, renderSides, type ValueOf } from './render.js';
import type { PolicyGuard } from './residuals.js';
import { keyOf, type Read, readsIn } from './syntax.js';

/** A condition that has been parsed, or undefined if every evaluation of it fails. */
export function parsedCondition(source: string): Ast | undefined {
  if (parsed.has(source)) return parsed.get(source);
  let ast: Ast | undefined;
  try {
    ast = parseCondition(source);
    build(ast, MAP);
    markPlainAncestors(ast);
  } catch (error) {
    if (!(error instanceof ConditionFault) && !(error instanceof RangeError)) throw error;
    ast = undefined;
  }
  if (parsed.size >= PARSED_MAX) parsed.clear();
  parsed.set(source, ast);
  return ast;
}

const PARSED_MAX = 1000;
const parsed = new Map<string, Ast | undefined>();

const MFA = 'context.mfa';
/** Each role is a choice of its own. */
export const ANY_CHOSEN: PartialPrincipals = { inGroup: () => false, hasRole: (path) => ({ anyOf: [path] }) };
const NO_REQUEST = new Map<Attribute, never>();

/** Fills in what is known: formulas and atoms of one `Residuals`. */
export class PartialEvaluator {
  readonly formulas = new FormulaPool();
  readonly attributes = new AttributePool();
  readonly #atoms = new Map<string, Atom>();

  /** A guard's formula; all of its parts are combined as `Guard` does. */
  guard({ condition, modifiers, unless }: PolicyGuard, known: PartialRequest): Formula {
    const parts = this.#modifiers(modifiers, known);
    const exempting = this.#modifiers(unless, known);
    const { formulas } = this;
    if (exempting.length > 0) parts.push(formulas.not(formulas.and(exempting.map((part) => formulas.held(part)))));
    if (condition !== undefined) parts.push(this.#condition(condition, known));
    return formulas.and(parts);
  }

  /** The answers to reads as text, equal only if they are: what remains of a guard depends on nothing else. */
  keyOf(reads: readonly Read[], known: PartialRequest): string {
    return reads.map((read) => answerKey(readValue(read, known, this.attributes))).join('\n');
  }

  #condition(source: string, known: PartialRequest): Formula {
    const ast = parsedCondition(source);
    return ast === undefined ? this.formulas.constant('failed') : this.part(ast, known);
  }

  #modifiers(modifiers: Modifiers | undefined, known: PartialRequest): Formula[] {
    const parts: Formula[] = [];
    if (modifiers?.mfa_required === true) parts.push(this.#condition(MFA, known));
    const ranges = modifiers?.ip_ranges;
    if (ranges !== undefined) {
      // A range that is none makes the whole part fail, which is left to the guard itself.
      const guard = new Guard(undefined, { ip_ranges: ranges });
      const ip = this.attributes.property('context', 'ip');
      parts.push(
        this.#modifier(
          `ip_ranges ${JSON.stringify(ranges)}`,
          { guard, ranges },
          { text: rangesText(ranges), sides: undefined },
          [ip],
          known,
        ),
      );
    }
    const windows = modifiers?.time_windows;
    if (windows !== undefined) {
      const guard = new Guard(undefined, { time_windows: windows });
      const time = this.attributes.property('context', 'time');
      const now = this.attributes.now(known.span);
      const text = `time_windows(${windows.map(windowText).join(', ')})`;
      parts.push(
        this.#modifier(
          `time_windows ${JSON.stringify(windows)} ${now.key}`,
          { guard, windows },
          { text, sides: undefined },
          [time, now],
          known,
        ),
      );
    }
    return parts;
  }

  /** A modifier reads the context alone, and the time. */
  #modifier(
    key: string,
    source: Extract<AtomSource, { guard: Guard }>,
    text: Pick<Atom, 'text' | 'sides'>,
    attributes: readonly Attribute[],
    known: PartialRequest,
  ): Formula {
    if (known.context === undefined) return this.#atom(key, source, text, attributes, known);
    return this.formulas.constant(outcomeOf(source.guard.evaluate(scopeOf(known, NO_REQUEST))));
  }

  /** A part of a condition that names no variable of a macro. */
  part(ast: Ast, known: PartialRequest): Formula {
    const { formulas } = this;
    switch (ast.op) {
      case '&&':
        return formulas.and(ast.args.map((part) => this.part(part, known)));
      case '||':
        return formulas.or(ast.args.map((part) => this.part(part, known)));
      case '!_':
        return formulas.not(this.part(ast.args, known));
      case '?:': {
        const [test, yes, no] = ast.args.map((part) => this.part(part, known)) as [Formula, Formula, Formula];
        return formulas.choice(test, yes, no);
      }
      default: {
        const chosen = chosenRole(ast, known);
        if (chosen !== undefined) return this.#chosen(chosen, known);
        const form = comparisonForm(ast);
        const leaf = this.#leaf(form.ast, known);
        return form.negated ? formulas.not(leaf) : leaf;
      }
    }
  }

  /** A role that requests choose is held by any of its names: each is a part of its own, the same wherever it matters. */
  #chosen({ anyOf, otherwise }: ChosenRole, known: PartialRequest): Formula {
    const names = anyOf.map((name) => {
      const ast = parsedCondition(`subject.has_role(${JSON.stringify(name)})`) as Ast;
      if (!isResourcePath(name)) return this.#leaf(ast, { ...known, principals: ANY_CHOSEN });
      const lies = { text: liesInText(name), sides: undefined };
      return this.#atom(`lies in ${name}`, { ast }, lies, [this.attributes.role({ anyOf: [name] })], {
        ...known,
        principals: ANY_CHOSEN,
      });
    });
    return this.formulas.or([...names, this.formulas.constant(otherwise ?? 'false')]);
  }

  #leaf(ast: Ast, known: PartialRequest): Formula {
    const answers = new Map<string, ReadValue>();
    for (const read of readsIn(ast)) answers.set(keyOf(read), readValue(read, known, this.attributes));
    const attributes = new Set<Attribute>();
    for (const { attribute } of answers.values()) if (attribute !== undefined) attributes.add(attribute);
    if (attributes.size === 0 || this.#absentAnyway(ast, known))
      return this.formulas.constant(constantOutcome(ast, known));
    const given: ValueOf = (part) => {
      const found = readsIn(part).map((read) => answers.get(keyOf(read)));
      if (found.length === 0 || found.some((answer) => answer === undefined || answer.attribute !== undefined))
        return undefined;
      return jsonOf(part, known);
    };
    const text = render(ast, given);
    const absent = [...answers].filter(([, answer]) => answer.attribute === undefined && answer.value === undefined);
    // Two parts that read the same in text may still differ in what is asked or absent.
    const asked = [...answers].filter(([name]) => /^(?:group|role|ancestors)\//.test(name));
    const key = [
      text,
      ...absent.map(([name]) => `no ${name}`),
      ...asked.map(([name, answer]) => `${name} ${answerKey(answer)}`),
    ];
    for (const { key: name } of attributes) key.push(name);
    // Whether a division drops the fraction is seen from how its operands are written, not from their values.
    if (text.includes('/')) key.push(...[...answers].map(([name, answer]) => `${name} ${answerKey(answer)}`));
    return this.#atom(key.join('\n'), { ast }, { text, sides: sidesOf(ast, given) }, [...attributes], known);
  }

  /**
   * Whether one of its operands is absent for every request where an operation on it takes all operands, so that the
   * operation is absent whatever the others are.
   */
  #absentAnyway(ast: Ast, known: PartialRequest): boolean {
    const reads = readsIn(ast);
    if (reads.length > 0 && reads.every((read) => readValue(read, known, this.attributes).attribute === undefined))
      return constantOutcome(ast, known) === 'absent';
    if (ast.op === 'rcall') return this.#absentAnyway(ast.args[1], known);
    const takesAll = STRICT.has(ast.op) || (ast.op === 'call' && ast.args[0] !== 'has');
    return takesAll && partsOf(ast).some((part) => this.#absentAnyway(part, known));
  }

  #atom(
    key: string,
    source: AtomSource,
    text: Pick<Atom, 'text' | 'sides'>,
    attributes: readonly Attribute[],
    known: PartialRequest,
  ): Formula {
    let atom = this.#atoms.get(key);
    if (atom === undefined) {
      atom = { id: this.#atoms.size, source, ...text, attributes, known };
      this.#atoms.set(key, atom);
    }
    return this.formulas.atom(atom);
  }
}

/** Says that a resource lies in another, as conditions say it. */
function liesInText(resource: Path): string {
  const type = typeOfResource(resource);
  const name = decodeSegment(resource.slice(type.length + 1));
  return `resource.ancestors(${JSON.stringify(type)}).exists(r, r.name == ${JSON.stringify(name)})`;
}

/** Returns the role that requests choose for which a part asks, if it asks for nothing else. */
function chosenRole(ast: Ast, { principals }: PartialRequest): ChosenRole | undefined {
  const [read, more] = ast.op === 'rcall' && ast.args[0] === 'has_role' ? readsIn(ast) : [];
  const held = read?.kind === 'role' && more === undefined ? principals?.hasRole(read.path) : undefined;
  return typeof held === 'object' ? held : undefined;
}

function sidesOf(ast: Ast, known: ValueOf): readonly [string, string] | undefined {
  return ['==', '<', '<='].includes(ast.op) ? renderSides(partsOf(ast) as [Ast, Ast], known) : undefined;
}

/** Operations that are absent if an operand is. */
const STRICT: ReadonlySet<string> = new Set([
  '<',
  '<=',
  '>',
  '>=',
  '==',
  '!=',
  'in',
  '+',
  '-',
  '*',
  '/',
  '%',
  '-_',
  'list',
]);

function constantOutcome(ast: Ast, known: PartialRequest) {
  try {
    return outcomeOf(runPart(ast, scopeOf(known, NO_REQUEST)));
  } catch (error) {
    if (error instanceof OutOfSteps || error instanceof RangeError) return 'failed';
    throw error;
  }
}

/** The value of a part of which all is known, if it is one that JSON has. */
function jsonOf(ast: Ast, known: PartialRequest): Value | undefined {
  try {
    const value = runPart(ast, scopeOf(known, NO_REQUEST));
    return isTrouble(value) || !isJson(value) ? undefined : value;
  } catch (error) {
    if (error instanceof OutOfSteps || error instanceof RangeError || error instanceof ConditionFault) return undefined;
    throw error;
  }
}

function answerKey({ attribute, value }: ReadValue): string {
  return attribute === undefined ? (JSON.stringify(value) ?? '') : `?${attribute.key}`;
}

function rangesText(ranges: readonly string[]): string {
  const each = ranges.map((range) => `ip_in(context.ip, ${JSON.stringify(range)})`);
  return each.length === 1
    ? (each[0] as string)
    : `[${ranges.map((range) => JSON.stringify(range)).join(', ')}].exists(range, ip_in(context.ip, range))`;
}

function windowText({ days, start, end, zone }: TimeWindow): string {
  return `"${days === undefined ? '' : `${days.join(',')} `}${start}-${end} ${zone}"`;
}
