/**
 * Conditions that say the same twice: as Service CEL, and as a term of SMT-LIB that gives its outcome. The terms are written
 * from docs/semantics.md section 4 and docs/conditions.md, never from the code that evaluates conditions.
 */
export interface Expression {
  readonly cel: string;
  readonly smt: string;
}

/** A variable of conditions: its name in Service CEL, and the constant that stands for it. */
export interface Variable {
  readonly cel: string;
  readonly smt: string;
  /** Whether requests give any value; otherwise it is a text that no record has. */
  readonly free: boolean;
}

const VARIABLES: readonly Variable[] = [
  { cel: 'context.a', smt: 'va', free: true },
  { cel: 'context.b', smt: 'vb', free: true },
  { cel: 'resource.properties.owner', smt: 'owner', free: true },
  { cel: 'subject.id', smt: 'id', free: false },
];
export const MFA: Variable = { cel: 'context.mfa', smt: 'mfa', free: true };
export const RECORDED_IDS = ['alice', 'bob'];

/** The values of JSON, lists and maps by number, and the outcomes of conditions. */
export const PRELUDE = `
(declare-datatypes ((Value 0)) (((none) (nul) (bool (b Bool)) (num (n Real)) (str (s String)) (other (o Int)))))
(declare-datatypes ((Outcome 0)) (((T) (F) (A) (X))))
(define-fun bit ((c Bool)) Outcome (ite c T F))
(define-fun inv ((x Outcome)) Outcome (ite (= x T) F (ite (= x F) T x)))
(define-fun conj ((x Outcome) (y Outcome)) Outcome
  (ite (or (= x F) (= y F)) F (ite (or (= x A) (= y A)) A (ite (or (= x X) (= y X)) X T))))
(define-fun disj ((x Outcome) (y Outcome)) Outcome (inv (conj (inv x) (inv y))))
(define-fun cond ((x Outcome) (y Outcome) (z Outcome)) Outcome (ite (= x T) y (ite (= x F) z x)))
(define-fun held ((x Outcome)) Outcome (ite (= x A) F x))
(define-fun truth ((v Value)) Outcome (ite (= v none) A (ite ((_ is bool) v) (bit (b v)) X)))
(define-fun same ((v Value) (w Value)) Outcome (ite (or (= v none) (= w none)) A (bit (= v w))))
(define-fun below ((v Value) (w Value)) Outcome
  (ite (or (= v none) (= w none)) A
  (ite (and ((_ is num) v) ((_ is num) w)) (bit (< (n v) (n w)))
  (ite (and ((_ is str) v) ((_ is str) w)) (bit (str.< (s v) (s w)))
  (ite (and ((_ is bool) v) ((_ is bool) w)) (bit (and (not (b v)) (b w))) X)))))
(define-fun text ((v Value) (c Bool)) Outcome (ite (= v none) A (ite ((_ is str) v) (bit c) X)))
${[...VARIABLES, MFA].map(({ smt }) => `(declare-const ${smt} Value)`).join('\n')}
(assert ((_ is str) id))
; Requests with an empty id are refused.
(assert (not (= id (str ""))))
${RECORDED_IDS.map((text) => `(assert (not (= id (str "${text}"))))`).join('\n')}
`;

/** A choice among some, by numbers below a bound. */
export type Choose = (below: number) => number;

const TEXTS = ['a', 'ab', 'abc', 'b', 'alice', 'x', ''];
const NUMBERS = ['1', '2', '2.5', '10'];
const PATTERNS: readonly (readonly [string, string])[] = [
  ['^a', '(re.++ (str.to_re "a") re.all)'],
  ['b$', '(re.++ re.all (str.to_re "b"))'],
  ['^a[bc]+$', '(re.++ (str.to_re "a") (re.+ (re.range "b" "c")))'],
  ['a|b', '(re.++ re.all (re.range "a" "b") re.all)'],
  ['^(ab)*$', '(re.* (str.to_re "ab"))'],
];

/** A condition of at most this depth. */
export function expression(choose: Choose, depth: number): Expression {
  const shape = depth === 0 ? 0 : choose(8);
  if (shape < 3) return leaf(choose);
  const [first, second] = [expression(choose, depth - 1), expression(choose, depth - 1)];
  if (shape === 3) return { cel: `!(${first.cel})`, smt: `(inv ${first.smt})` };
  if (shape === 4) {
    const third = expression(choose, depth - 1);
    return {
      cel: `((${first.cel}) ? (${second.cel}) : (${third.cel}))`,
      smt: `(cond ${first.smt} ${second.smt} ${third.smt})`,
    };
  }
  return shape < 7
    ? { cel: `(${first.cel} && ${second.cel})`, smt: `(conj ${first.smt} ${second.smt})` }
    : { cel: `(${first.cel} || ${second.cel})`, smt: `(disj ${first.smt} ${second.smt})` };
}

function leaf(choose: Choose): Expression {
  const of = <E>(list: readonly E[]): E => list[choose(list.length)] as E;
  const any = of(VARIABLES);
  const free = of(VARIABLES.filter((variable) => variable.free));
  const other = of(VARIABLES);
  const text = of(TEXTS);
  const number = of(NUMBERS);
  const [pattern, language] = of(PATTERNS);
  const literal = `(str "${text}")`;
  const forms: readonly (() => Expression)[] = [
    () => ({ cel: `${any.cel} == "${text}"`, smt: `(same ${any.smt} ${literal})` }),
    () => ({ cel: `${any.cel} != "${text}"`, smt: `(inv (same ${any.smt} ${literal}))` }),
    () => ({ cel: `${any.cel} < "${text}"`, smt: `(below ${any.smt} ${literal})` }),
    () => ({ cel: `${any.cel} >= "${text}"`, smt: `(inv (below ${any.smt} ${literal}))` }),
    () => ({
      cel: `${any.cel}.startsWith("${text}")`,
      smt: `(text ${any.smt} (str.prefixof "${text}" (s ${any.smt})))`,
    }),
    () => ({ cel: `${any.cel}.endsWith("${text}")`, smt: `(text ${any.smt} (str.suffixof "${text}" (s ${any.smt})))` }),
    () => ({ cel: `${any.cel}.contains("${text}")`, smt: `(text ${any.smt} (str.contains (s ${any.smt}) "${text}"))` }),
    () => ({
      cel: `${any.cel}.matches("${pattern}")`,
      smt: `(text ${any.smt} (str.in_re (s ${any.smt}) ${language}))`,
    }),
    () => ({ cel: `${free.cel} == ${number}`, smt: `(same ${free.smt} (num ${decimal(number)}))` }),
    () => ({ cel: `${free.cel} < ${number}`, smt: `(below ${free.smt} (num ${decimal(number)}))` }),
    () => ({ cel: `${free.cel} <= ${number}`, smt: `(inv (below (num ${decimal(number)}) ${free.smt}))` }),
    () => ({ cel: `${number} < ${free.cel}`, smt: `(below (num ${decimal(number)}) ${free.smt})` }),
    () => ({ cel: free.cel, smt: `(truth ${free.smt})` }),
    () => ({ cel: `has(${free.cel})`, smt: `(bit (not (= ${free.smt} none)))` }),
    () => ({ cel: `${free.cel} == null`, smt: `(same ${free.smt} nul)` }),
    () => ({ cel: `${free.cel} == true`, smt: `(same ${free.smt} (bool true))` }),
    () => ({ cel: `${any.cel} == ${other.cel}`, smt: `(same ${any.smt} ${other.smt})` }),
    () => ({ cel: `${any.cel} < ${other.cel}`, smt: `(below ${any.smt} ${other.smt})` }),
    () => ({
      cel: `${free.cel} in ["${text}", ${number}, true]`,
      smt: `(ite (= ${free.smt} none) A (bit (or (= ${free.smt} ${literal}) (= ${free.smt} (num ${decimal(number)})) (= ${free.smt} (bool true)))))`,
    }),
  ];
  return of(forms)();
}

function decimal(number: string): string {
  return number.includes('.') ? number : `${number}.0`;
}
