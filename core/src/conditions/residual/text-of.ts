import type { Atom } from './atom.js';
import type { Formula, FormulaPool } from './formula.js';
import type { ResidualCandidate } from './residuals.js';

/** A text and how tightly its outermost operator binds: disjunctions 1, choices 0, conjunctions 2, all else 3. */
interface Text {
  readonly text: string;
  readonly binding: number;
}

const TRUE: Text = { text: 'true', binding: 3 };
const FALSE: Text = { text: 'false', binding: 3 };

/** When a formula is true, as Service CEL. */
export function formulaText(formula: Formula): string {
  return whenTrue(formula).text;
}

/** A formula that is true when a list allows: what one ALLOW requires, and what every DENY before it leaves. */
export function whenAllowed(candidates: readonly ResidualCandidate[], pool: FormulaPool): Formula {
  const denies: Formula[] = [];
  const ways: Formula[] = [];
  for (const { effect, residual } of candidates) {
    if (effect === 'DENY') denies.push(pool.not(residual));
    else ways.push(pool.and([residual, ...denies]));
  }
  return pool.or(ways);
}

function whenTrue(formula: Formula): Text {
  const { op, parts, constant, atom } = formula;
  if (atom !== undefined) return affirmed(atom);
  const [first, second, third] = parts as [Formula, Formula, Formula];
  switch (op) {
    case 'constant':
      return constant === 'true' ? TRUE : FALSE;
    case 'and':
      return all(parts.map(whenTrue));
    case 'or':
      return any(parts.map(whenTrue));
    case 'not':
      return whenFalse(first);
    case 'if':
      return either(first, whenTrue(second), whenTrue(third));
    default:
      return whenTrue(first);
  }
}

function whenFalse(formula: Formula): Text {
  const { op, parts, constant, atom } = formula;
  if (atom !== undefined) return denied(atom);
  const [first, second, third] = parts as [Formula, Formula, Formula];
  switch (op) {
    case 'constant':
      return constant === 'false' ? TRUE : FALSE;
    case 'and':
      return any(parts.map(whenFalse));
    case 'or':
      return all(parts.map(whenFalse));
    case 'not':
      return whenTrue(first);
    case 'if':
      return either(first, whenFalse(second), whenFalse(third));
    case 'held':
      return unheld(first);
    default:
      return whenFalse(first);
  }
}

/** When a modifier of `unless` does not hold: also where what it reads is absent. */
function unheld(formula: Formula): Text {
  const reads = formula.atom?.attributes.find(({ kind }) => kind === 'property');
  if (reads?.kind !== 'property' || reads.name === undefined || formula.atom === undefined) return whenFalse(formula);
  return { text: `!(has(${reads.root}.${reads.name}) && ${affirmed(formula.atom).text})`, binding: 3 };
}

function either(test: Formula, yes: Text, no: Text): Text {
  if (yes === FALSE) return all([whenFalse(test), no]);
  if (no === FALSE) return all([whenTrue(test), yes]);
  if (hasConstants(test)) return any([all([whenTrue(test), yes]), all([whenFalse(test), no])]);
  return { text: `${within(whenTrue(test), 1)} ? ${within(yes, 1)} : ${within(no, 1)}`, binding: 0 };
}

/** Whether something in it is always absent or failed, so that it may be neither true nor false. */
function hasConstants({ constant, parts }: Formula): boolean {
  return constant !== undefined || parts.some(hasConstants);
}

function all(texts: readonly Text[]): Text {
  return chain(texts, ' && ', 2, FALSE, TRUE);
}

function any(texts: readonly Text[]): Text {
  return chain(texts, ' || ', 1, TRUE, FALSE);
}

function chain(texts: readonly Text[], operator: string, binding: number, settling: Text, neutral: Text): Text {
  const kept = new Map<string, Text>();
  for (const text of texts) {
    if (text === settling) return settling;
    if (text !== neutral) kept.set(text.text, text);
  }
  const [only] = kept.values();
  if (only === undefined) return neutral;
  if (kept.size === 1) return only;
  return { text: [...kept.values()].map((text) => within(text, binding)).join(operator), binding };
}

function within({ text, binding }: Text, around: number): string {
  return binding < around ? `(${text})` : text;
}

function affirmed({ text, source }: Atom): Text {
  const loose = 'ast' in source && source.ast.op === '?:';
  return { text, binding: loose ? 0 : 3 };
}

const OPPOSITE: { readonly [op: string]: string } = { '==': '!=', '<': '>=', '<=': '>' };

/** Comparisons are turned round; anything else is negated. */
function denied({ text, source, sides }: Atom): Text {
  const op = 'ast' in source ? source.ast.op : '';
  const opposite = OPPOSITE[op];
  if (opposite !== undefined && sides !== undefined) return { text: `${sides[0]} ${opposite} ${sides[1]}`, binding: 3 };
  const simple = /^[\w.]+(?:\([^()]*\))?$/.test(text);
  return { text: simple ? `!${text}` : `!(${text})`, binding: 3 };
}
