import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../json/json.js';
import { CONDITION_LIMITS } from '../syntax/limits.js';
import { Absent, Failure, type Outcome, OutOfSteps } from '../values/outcome.js';
import { Scope } from '../values/scope.js';
import { compileCondition } from './compile.js';

function scopeOf(context: JsonObject): Scope {
  const request = {
    subject: { type: 'user', id: 'alice', properties: { level: 3 } },
    resource: { type: 'app/doc', name: 'd', properties: { amount: 5 } },
    action: { name: 'read' },
    context,
  };
  const facts = { type: 'doc', application: 'app', id: undefined, name: 'd' };
  return new Scope(request, facts, 0, { level: 1, team: 'a' }, undefined);
}

const evaluate = (source: string, context: JsonObject = {}): Outcome =>
  compileCondition(source).evaluate(scopeOf(context));

/** `absent ATTRIBUTE`, `fails`, or the value. */
function shown(outcome: Outcome): unknown {
  if (outcome instanceof Absent) return `absent ${outcome.attribute}`;
  return outcome instanceof Failure ? 'fails' : outcome;
}

describe('a condition on numbers', () => {
  it.each([
    ['integer literals equal numbers of JSON', 'context.n == 5 && 5 == context.n && context.n in [4, 5]', true],
    ['literals with a fraction do too', 'context.n == 5.0 && context.n < 5.5', true],
    ['unsigned literals do too', 'context.n == 5u', true],
    ['hexadecimal literals do too', 'context.n == 0x5', true],
    ['arithmetic mixes them', 'context.n + 1 == 6 && context.n * 2.5 == 12.5 && context.n - 7 == -2', true],
    ['numbers of JSON divide with a fraction', 'context.n / 2 == 2.5', true],
    ['integers divide to integers', '5 / 2 == 2 && -5 / 2 == -2 && size([1, 2, 3]) / 2 == 1', true],
    ['integers in lists stay integers', '[5].all(x, x / 2 == 2)', true],
    ['the residual has the sign of the dividend', '-5 % 3 == -2 && context.n % 2 == 1', true],
    ['division by zero fails', 'context.n / context.zero > 0', 'fails'],
    ['the residual by zero fails', 'context.n % context.zero > 0', 'fails'],
    ['a sum too large for a number fails', 'context.huge * context.huge > 0', 'fails'],
    ['a sum that is no longer exact fails', 'context.huge + 1 > 0', 'fails'],
    ['a product that is no longer exact fails', 'context.huge * 1.5 > 0', 'fails'],
    ['a text of a number that is not kept fails', 'double("175928847299117061") > 0', 'fails'],
    ['a text of a number that is too small to be kept fails', 'double("1e-400") == 0', 'fails'],
    ['an integer that is no longer exact fails', '9007199254740991 + size(context.list) > 0', 'fails'],
    ['int() cuts off', 'int(2.9) == 2 && int(-2.9) == -2 && int("12") == 12', true],
    ['int() of other text fails', 'int(context.text) == 0', 'fails'],
    ['double() reads text', 'double("2.5e1") == 25.0', true],
    ['double() of infinity fails', 'double("inf" + context.empty) > 1.0', 'fails'],
  ])('%s', (_, source, outcome) => {
    const context = { n: 5, zero: 0, huge: Number.MAX_SAFE_INTEGER, list: [1], text: '1x', empty: '' };
    expect(shown(evaluate(source, context))).toBe(outcome);
  });
});

describe('a condition on other values', () => {
  it.each([
    ['strings are ordered', '"a" < "b" && "B" < "a"', true],
    ['lists and maps are equal by content', '[1, {"a": [2]}] == context.list && {"a": 1, "b": 2} == context.map', true],
    ['maps of other keys are not', '{"a": 1} == context.map', false],
    ['kinds differ quietly', 'context.text == 1 || context.text == null || context.list == "x"', false],
    ['lists add up', 'size([1] + context.list) == 3', true],
    ['indexes count from zero', 'context.list[0] == 1 && context.map["b"] == 2', true],
    ['indexes may be computed', 'context.list[size(context.list) - 2] == 1 && context.map[context.key] == 2', true],
    ['a negative index fails', 'context.list[-1] == 1', 'fails'],
    ['an absent key is an absent attribute', 'context.map[subject.id] == 1', 'absent context.map[subject.id]'],
    ['null is there', 'has(context.nothing) && context.nothing == null', true],
    ['null is not ordered', 'context.nothing < 1', 'fails'],
    ['size counts code points', 'size("a😀") == 2 && "a😀".size() == 2 && size(context.map) == 2', true],
    ['text functions', '"Straße".lowerAscii() == "straße" && "a-b".split("-").join("+") == "a+b"', true],
    [
      'more text functions',
      '" x ".trim() == "x" && "abc".substring(1, 2) == "b" && "abca".lastIndexOf("a") == 3',
      true,
    ],
    ['a substring outside fails', '"abc".substring(2, 9) == ""', 'fails'],
    ['types', 'type(1) == double && type(context.text) == string && type([]) == list', true],
    [
      'macros over maps take the keys',
      'context.map.exists(k, k == "b") && context.map.all(k, context.map[k] > 0)',
      true,
    ],
    ['exists_one', '[1, 2, 2].exists_one(x, x == 1) && ![1, 2, 2].exists_one(x, x == 2)', true],
    ['map with a test', 'context.numbers.map(x, x > 1, x * 10) == [20, 30]', true],
    ['macros nest', 'context.numbers.all(x, context.numbers.exists(y, y >= x))', true],
    ['a variable of a macro hides a name', '[1].all(subject, subject == 1) && subject.id == "alice"', true],
    [
      'whole variables',
      '"id" in subject && subject == {"type": "user", "id": "alice", "properties": subject.properties}',
      true,
    ],
    ['merged properties', 'subject.properties == {"level": 3, "team": "a"} && subject.properties.size() == 2', true],
  ])('%s', (_, source, outcome) => {
    const context = {
      list: [1, { a: [2] }],
      map: { a: 1, b: 2 },
      key: 'b',
      text: 'x',
      nothing: null,
      numbers: [1, 2, 3],
    };
    expect(shown(evaluate(source, context))).toBe(outcome);
  });
});

describe('a condition on time', () => {
  it.each([
    ['difference', 'timestamp(context.t) - timestamp("2026-03-01T00:00:00Z") == duration("36h")', true],
    ['sum', 'timestamp(context.t) + duration("30m") == timestamp("2026-03-02T12:30:00Z")', true],
    ['fields in UTC', 'timestamp(context.t).getMonth() == 2 && timestamp(context.t).getDate() == 2', true],
    [
      'fields in a zone',
      'timestamp(context.t).getHours("Asia/Kolkata") == 17 && timestamp(context.t).getMinutes("Asia/Kolkata") == 30',
      true,
    ],
    ['fields at an offset', 'timestamp(context.t).getHours("-03:00") == 9', true],
    ['day of the year', 'timestamp(context.t).getDayOfYear() == 60 && timestamp(context.t).getDayOfWeek() == 1', true],
    ['milliseconds', 'timestamp("2026-03-02T12:00:00.250Z").getMilliseconds() == 250', true],
    ['parts of a duration', 'duration("90m").getHours() == 1 && duration("-1.5s").getMilliseconds() == -1500', true],
    [
      'seconds of the epoch',
      'timestamp(0) == timestamp("1970-01-01T00:00:00Z") && int(timestamp(context.t)) == 1772452800',
      true,
    ],
    ['text', 'string(timestamp(context.t)) == "2026-03-02T12:00:00.000Z"', true],
    [
      'a moment after the calendar fails',
      'timestamp(context.huge) - timestamp(context.huge) < duration("1h")',
      'fails',
    ],
    ['a moment before it does too', '!(timestamp("0001-01-01T00:00:00Z") - duration("1s") > timestamp(0))', 'fails'],
    ['a sum beyond it does too', 'duration("1h") + timestamp("9999-12-31T23:59:59Z") > timestamp(0)', 'fails'],
    ['a text that is no moment fails', 'timestamp(context.bad) > timestamp(0)', 'fails'],
    ['a zone that is none fails', 'timestamp(context.t).getHours(context.bad) == 1', 'fails'],
  ])('%s', (_, source, outcome) => {
    expect(shown(evaluate(source, { t: '2026-03-02T12:00:00Z', bad: 'yesterday', huge: 1e308 }))).toBe(outcome);
  });
});

describe('names that every object has', () => {
  const context = JSON.parse('{"__proto__": {"x": 1}, "constructor": 2}') as JsonObject;

  it.each([
    ['context.toString == 1', {}, 'absent context.toString'],
    ['context.constructor == 1', {}, 'absent context.constructor'],
    ['context.__proto__ == 1', {}, 'absent context.__proto__'],
    ['has(context.hasOwnProperty)', {}, false],
    ['subject.properties.toString == 1', {}, 'absent subject.properties.toString'],
    ['has(resource.properties.constructor) || has(subject.properties.__proto__)', {}, false],
    ['"valueOf" in context', {}, false],
    ['context.constructor == 2 && context.__proto__.x == 1', context, true],
    ['context.exists(k, k == "__proto__")', context, true],
    ['{"__proto__": 1}.size() == 1 && {"constructor": 1} == {"constructor": 1}', {}, true],
    ['context == {"__proto__": {"x": 1}, "constructor": 2}', context, true],
    ['context.x == 1', context, 'absent context.x'],
  ])('%s', (source, given, outcome) => {
    expect(shown(evaluate(source, given))).toBe(outcome);
  });
});

describe('trouble in a condition', () => {
  /** Sources that give each outcome under the context below. */
  const parts = { true: 'context.yes', false: 'context.no', absent: 'context.gone', fails: 'context.text < 1' };
  const context = { yes: true, no: false, text: 'x' };
  const anyParts = fc.array(fc.constantFrom(...(Object.keys(parts) as (keyof typeof parts)[])), {
    minLength: 1,
    maxLength: 5,
  });
  const kindOf = (outcome: Outcome) => String(shown(outcome)).split(' ')[0];

  it('is settled by false in a conjunction, then by an absent attribute, in any order and grouping', () => {
    fc.assert(
      fc.property(anyParts, fc.nat(4), (kinds, at) => {
        const texts = kinds.map((kind) => parts[kind]);
        const grouped = [
          ...texts.slice(0, at),
          texts.slice(at).length > 0 ? `(${texts.slice(at).join(' && ')})` : 'true',
        ];
        const wanted = ['false', 'absent', 'fails', 'true'].find((kind) => (kinds as string[]).includes(kind));
        expect(kindOf(evaluate(texts.join(' && '), context))).toBe(wanted);
        expect(kindOf(evaluate(grouped.join(' && '), context))).toBe(wanted);
        expect(kindOf(evaluate(`!(${texts.map((text) => `!(${text})`).join(' || ')})`, context))).toBe(wanted);
        const list = kinds.map((kind) => ({ true: true, false: false, absent: null, fails: 'x' })[kind]);
        const all = evaluate('context.list.all(v, v == null ? context.gone : v)', { ...context, list });
        expect(kindOf(all)).toBe(wanted);
      }),
    );
  });

  it('is settled by true in a disjunction, then by an absent attribute, in any order', () => {
    fc.assert(
      fc.property(anyParts, (kinds) => {
        const wanted = ['true', 'absent', 'fails', 'false'].find((kind) => (kinds as string[]).includes(kind));
        expect(kindOf(evaluate(kinds.map((kind) => parts[kind]).join(' || '), context))).toBe(wanted);
        const list = kinds.map((kind) => ({ true: true, false: false, absent: null, fails: 'x' })[kind]);
        const exists = evaluate('context.list.exists(v, v == null ? context.gone : v)', { ...context, list });
        expect(kindOf(exists)).toBe(wanted);
      }),
    );
  });

  it.each([
    ['an operator with both', 'context.text + 1 < context.gone', 'absent context.gone'],
    ['a call with both', 'context.list[9].contains(context.gone)', 'absent context.gone'],
    ['a list with both', '[context.text - 1, context.gone] == []', 'absent context.gone'],
    ['the first of two absent ones is named', 'context.b == context.a', 'absent context.b'],
    ['a member of an absent map names the map', 'context.a.b.c == 1', 'absent context.a'],
    ['a choice by an absent attribute', 'context.gone ? true : true', 'absent context.gone'],
    ['a choice by no boolean', 'context.text ? true : true', 'fails'],
    ['a member of a string', 'context.text.length == 1', 'fails'],
    ['has() below an absent map', 'has(context.a.b)', 'absent context.a'],
    ['has() below a string', 'has(context.text.b)', 'fails'],
    ['filter', 'context.list.filter(x, x > 1).size() == 1', 'fails'],
    ['exists_one', 'context.list.exists_one(x, x == 2 || x > 9)', 'fails'],
    ['a bound name that is not read', 'cel.bind(x, context.gone, true)', true],
    ['a bound name that is read', 'cel.bind(x, context.gone, x == 1)', 'absent context.gone'],
    ['a value that is no boolean', 'context.text', 'fails'],
    ['a condition that does not compile', 'context.', 'fails'],
  ])('%s', (_, source, outcome) => {
    expect(shown(evaluate(source, { ...context, list: [1, 2, 'x'] }))).toBe(outcome);
  });

  it('is told without the values of attributes', () => {
    const failure = evaluate('context.secret < 1', { secret: 'hunter2' });
    expect(failure).toEqual(new Failure('"<" does not take context.secret (a string) and a number'));
    const pattern = evaluate('"a".matches(context.secret)', { secret: 'hunter2(' });
    expect((pattern as Failure).cause).toBe('the pattern of matches() is not valid RE2: missing closing )');
  });
});

describe('the work of a condition', () => {
  const list = Array.from({ length: 2000 }, (_, at) => at);
  const many = Array.from({ length: 10_000 }, (_, at) => at);
  const long = 'a'.repeat(50_000);
  const half = 'a'.repeat(500);
  const nested = (depth: number) => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);

  it.each([
    ['nested macros', 'context.list.all(a, context.list.all(b, a + b >= 0))', { list }],
    ['macros over equality of lists', 'context.list.all(a, context.list == context.same)', { list, same: [...list] }],
    ['macros over membership', 'context.list.all(a, !(-1 in context.list))', { list }],
    [
      'lists that double',
      'cel.bind(a, context.list + context.list, cel.bind(b, a + a + a + a + a, size(b + b + b + b + b + b) > 0))',
      { list },
    ],
    [
      'long texts compared again and again',
      'context.list.all(a, context.t == context.u)',
      { list, t: `${'x'.repeat(99_999)}y`, u: `${'x'.repeat(99_999)}y` },
    ],
    [
      'patterns over long texts again and again',
      'context.list.all(a, !context.t.matches("b+c"))',
      { list, t: 'b'.repeat(50_000) },
    ],
    ['patterns that are made up', 'context.list.all(a, !"x".matches("(y{1,99}){9}" + string(a)))', { list }],
    ['zones asked again and again', 'context.list.all(a, timestamp(a).getHours("Europe/Paris") >= 0)', { list }],
    ['parts that are looked for from the end', 'context.t.lastIndexOf(context.u) > 0', { t: long, u: `${half}b` }],
    ['long parts that are looked for', 'context.t.contains(context.u)', { t: long, u: `${half}b${half}` }],
    ['long parts to split at', 'context.t.split(context.u).size() > 0', { t: long, u: `${half}b${half}` }],
    ['letters of changing case', 'context.list.all(a, context.t.lowerAscii() != "")', { list, t: 'aB'.repeat(500) }],
    ['numbers as texts', 'context.list.all(a, string(a + 0.1) != "")', { list }],
    ['texts as durations', 'context.list.all(a, duration("1h" + string(a) + "s") >= duration("1h"))', { list }],
    ['zones made up', 'context.list.all(a, timestamp(a).getHours("Etc/GMT+" + string(a)) >= 0)', { list }],
    ['residuals', 'context.list.all(a, 9e15 % (a + 0.1) >= 0.0)', { list }],
    [
      'the results of a map with a test',
      'context.list.map(a, true, [a + 1, a + 2, a + 3, a + 4, a + 5]) != []',
      { list: many },
    ],
    ['keys', 'context.list.all(a, size(context.map) > 0)', { list, map: Object.fromEntries(many.entries()) }],
    [
      'lists of nothing that are joined',
      'context.list.all(a, context.e.join() == "")',
      { list, e: many.map(() => '') },
    ],
  ])('runs out of steps: %s', (_, source, context) => {
    const condition = compileCondition(source);
    const scope = scopeOf(context as JsonObject);
    expect(() => condition.evaluate(scope)).toThrow(OutOfSteps);
    expect(scope.steps).toBeLessThanOrEqual(CONDITION_LIMITS.decisionSteps);
  });

  it.each([
    ['values nested without end', 'context.a == context.b', { a: nested(50_000), b: nested(50_000) }],
    [
      'strings that double',
      'cel.bind(a, context.t + context.t, cel.bind(b, a + a + a, size(b + b + b) > 0))',
      { t: 'x'.repeat(9000) },
    ],
  ])('ends in a failure: %s', (_, source, context) => {
    expect(shown(evaluate(source, context as JsonObject))).toBe('fails');
  });

  it('is counted for all conditions of a decision together', () => {
    const condition = compileCondition('context.list.all(a, a >= 0)');
    const scope = scopeOf({ list: Array.from({ length: 2_000 }, () => 1) });
    let rounds = 0;
    const whole = () => {
      for (;;) rounds += Number(condition.evaluate(scope) === true);
    };
    expect(whole).toThrow(OutOfSteps);
    expect(rounds).toBeGreaterThan(5);
    expect(rounds).toBeLessThanOrEqual(CONDITION_LIMITS.decisionSteps / 2_000);
    expect(() => compileCondition('subject.id == "alice"').evaluate(scope)).toThrow(OutOfSteps);
  });

  it('is counted for a condition without values of any length', () => {
    const condition = compileCondition('context.a == 1 && context.b == 2');
    const scope = scopeOf({ a: 1, b: 2 });
    condition.evaluate(scope);
    const once = scope.steps;
    condition.evaluate(scope);
    expect(once).toBeGreaterThan(5);
    expect(scope.steps).toBe(2 * once);
  });

  it('leaves room for a list of some ten thousand items', () => {
    const many = Array.from({ length: 20_000 }, (_, at) => `user-${at}`);
    expect(evaluate('context.many.exists(one, one == "user-19999") && "user-19998" in context.many', { many })).toBe(
      true,
    );
  });
});
