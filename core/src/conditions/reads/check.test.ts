import { describe, expect, it } from 'vitest';
import { checkCondition } from './check.js';

const TYPES = { amount: 'number', owner: 'string', tags: 'list', meta: 'map', open: 'boolean', extra: 'any' } as const;

describe('the check of a condition', () => {
  it.each([
    ['resource.properties.amount < 10000 && resource.properties.owner == subject.id'],
    ['"red" in resource.properties.tags && resource.properties.meta.level > 2 && resource.properties.open'],
    ['resource.properties.extra == 1 || resource.properties.extra == "one"'],
    ['resource.properties.tags.exists(t, t == "red" || t == 5)'],
    ['has(resource.properties.amount) ? resource.properties.amount > 1.5 : context.anything.at.all'],
    ['resource.properties.owner == null'],
  ])('finds nothing wrong with %s', (source) => {
    expect(checkCondition(source, TYPES).error).toBeUndefined();
  });

  it.each([
    ['resource.properties.amuont < 1', 'the resource type declares no property "amuont": did you mean "amount"?', 20],
    ['has(resource.properties.zzz)', 'the resource type declares no property "zzz": there are "amount", "owner"', 0],
    ['resource.properties["amuont"] < 1', 'did you mean "amount"?', 0],
    ['resource.properties.amount == "5"', '"==" does not take resource.properties.amount (a number) and a string', 0],
    ['resource.properties.amount > "5"', '">" does not take', 0],
    ['resource.properties.owner + 1 == "a1"', '"+" does not take resource.properties.owner (a string) and a number', 0],
    ['resource.properties.owner in [1, 2]', '"in" does not take', 0],
    ['"x" in resource.properties.owner', '"in" does not take', 0],
    [
      'resource.properties.amount.startsWith("1")',
      'startsWith() does not take resource.properties.amount (a number)',
      0,
    ],
    ['resource.properties.owner.name == ""', 'resource.properties.owner is a string, which has no member "name"', 26],
    ['!resource.properties.amount', '"!" does not take', 0],
    ['resource.properties.tags[0].x == 1 && resource.properties.tags["a"] == 1', 'has no member "a"', 38],
  ])('finds the mismatch in %s', (source, detail, offset) => {
    const { error } = checkCondition(source, TYPES);
    expect(error?.detail).toContain(detail);
    expect(error?.offset).toBe(offset);
  });

  it.each([
    ['subject.role == "x"', '"subject" has no "role": there are "type", "id", "properties"'],
    ['resource.nmae == "x"', 'did you mean "name"?'],
    ['resorce.name == "x"', 'there is no variable "resorce": did you mean "resource"?'],
    ['context.a.strtsWith("x")', 'there is no function "strtsWith": did you mean "startsWith"?'],
    ['startsWith(context.a, "x")', 'startsWith is called as value.startsWith(…)'],
    ['context.a.has("x")', 'there is no function "has"'],
    ['has(context["a-b"])', 'has() takes a selection'],
    ['subject.in_group(context.group)', 'in_group() takes the path of a group in plain quotes, like "finance"'],
    ['subject.in_group("fin" + "ance")', 'in_group() takes the path of a group in plain quotes'],
    ['subject.in_group(("finance"))', 'in_group() takes the path of a group in plain quotes'],
    ['subject.in_group(r"finance")', 'in_group() takes the path of a group in plain quotes'],
    ['subject.in_group("fin\\u0061nce")', 'in_group() takes the path of a group in plain quotes'],
    ['subject.in_group("")', 'in_group() takes the path of a group in plain quotes'],
    ['subject.has_role()', 'has_role() takes the path of a role in plain quotes, like "billing/accountant"'],
    ['subject.has_role("a", "b")', 'has_role() takes the path of a role in plain quotes'],
    ['in_group("finance")', 'in_group is called as subject.in_group("GROUP")'],
    ['context.a.has_role("x")', 'has_role is called as subject.has_role("APPLICATION/ROLE")'],
    ['[1].exists(subject, subject.in_group("x"))', 'in_group is called as subject.in_group("GROUP")'],
    ['subject.in_grup("x")', 'there is no function "in_grup": did you mean "in_group"?'],
    ['resource.ancestors(r"a/b").size() == 1', 'ancestors() takes the path of a resource type in quotes'],
    ['ip_in(context.ip, "10.0.0.0/33")', 'ip_in() takes an IP address or CIDR range like "10.0.0.0/8" as its second'],
    ['ip_in(context.ip, 10)', 'ip_in() does not take context.ip (any value) and a number'],
    ['since(context.a) > 90', '">" does not take a duration and a number'],
    ['subject.id', 'it gives a string, and must give true or false'],
    ['context.a ? 1 : 2', 'gives a number'],
    ['context.a.matches("(?=x)")', 'not valid RE2: invalid or unsupported Perl syntax: `(?=`'],
    ['context.a.matches("a(")', 'missing closing )'],
    ['context.a.matches("(x{99}){99}{99}")', 'not valid RE2'],
    ['context.a.matches("x{999}y{999}")', 'repeats 1998 times in all: at most 1000'],
    [`context.a.matches("${'x'.repeat(300)}")`, 'has 300 characters: at most 256'],
    ['timestamp("2026-13-01T00:00:00Z") > timestamp(0)', 'timestamp() takes an RFC 3339'],
    ['duration("1 hour") > duration("1s")', 'duration() takes text like'],
    ['timestamp(context.t).getHours("Mars/Olympus") == 1', 'the time zone is not one of'],
    ['1 / 0 == 1', 'division by zero'],
    ['b"bytes" == context.a', 'bytes are not available'],
    ['context.a == 9007199254740993', '9007199254740993 is larger than a JSON number holds exactly'],
    ['context.a == 9007199254740993.0', '9007199254740993.0 is larger than a JSON number holds exactly'],
    ['context.a < 1e400', 'invalid number'],
    ['{1: "a"} == context.a', 'the keys of a map are strings'],
    ['[1].all(x + 1, true)', 'does not parse: all(var, predicate) invalid predicate iteration variable'],
    ['[1].all(x, x)', 'all() does not take x (a number)'],
    ['1.all(x, true)', 'all() does not take a number'],
    ['context.a &&', 'does not parse: it ends too early'],
    ['context.a == 1 2', 'does not parse: unexpected "2"'],
    ['context.a == @', 'does not parse: unexpected "@"'],
    ['context.a in [1, 2', 'does not parse: it ends too early: is a "]" missing?'],
    ['(context.a == 1', 'does not parse: it ends too early: is a ")" missing?'],
    ['context.a ? true', 'does not parse: it ends too early: is a ":" missing?'],
    ['context.a == "x', 'does not parse: unterminated string'],
    ['context.a = 1', 'does not parse: write == to compare'],
    ['context.a === 1', 'does not parse: write == to compare'],
    ['context.a =< 1', 'does not parse: write <= for "=<"'],
    ['context.a => 1', 'does not parse: write >= for "=>"'],
    ['context.a <> 1', 'does not parse: write != for "<>"'],
    ['context.a and context.b', 'does not parse: write && for "and"'],
    ['context.a OR context.b', 'does not parse: write || for "or"'],
    ['not context.a', 'does not parse: write ! for "not"'],
    ['context.a contains "x"', 'does not parse: write TEXT.contains("…") or TEXT.matches("…")'],
    ['if (context.a) true', 'does not parse: write CONDITION ? THEN : ELSE for "if"'],
    [`context.a == ${'('.repeat(60)}1${')'.repeat(60)}`, 'is too large: exceeded the levels of nesting (48)'],
    [`context.a == [${'1,'.repeat(501)}]`, 'is too large: exceeded the items of a list (500)'],
    [`${'1 + '.repeat(600)}1 > context.a`, 'is too large: exceeded the parts of an expression (1000)'],
    [`"${'x'.repeat(3000)}".matches("y{999}")`, 'takes too much work on what is written here'],
    [`context.a == "${'x'.repeat(5000)}"`, 'has 5015 characters: at most 4096 are allowed'],
  ])('refuses %s', (source, detail) => {
    expect(checkCondition(source, undefined).error?.detail).toContain(detail);
  });

  it('names some of the many properties that a type declares', () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`property-${at}`, 'any' as const]));
    expect(checkCondition('resource.properties.zzz == 1', many).error?.detail).toMatch(
      /there are "property-0", .*"property-9" and 4990 more$/,
    );
  });

  it('takes a condition however many were checked before it in this process', () => {
    const costly = `"${'x'.repeat(4000)}".size() == 4000`;
    for (let checked = 0; checked < 11_000; checked++) checkCondition(costly, undefined);
    expect(checkCondition(costly, undefined).error).toBeUndefined();
  });

  it('takes a condition as deep as its limits allow', () => {
    expect(checkCondition(`${'!'.repeat(990)}context.a`, undefined).error).toBeUndefined();
    expect(checkCondition(`context.a > 0${' + 1'.repeat(490)}`, undefined).error).toBeUndefined();
    expect(checkCondition(`context.a${' || context.a'.repeat(240)}`, undefined).error).toBeUndefined();
  });
});

describe('the attributes that a condition reads without has()', () => {
  it.each([
    ['context.a > 1', ['context.a']],
    ['context.a.b.c > 1 && subject.properties.x == 1', ['context.a.b.c', 'subject.properties.x']],
    ['context["a-b"] == 1', ['context["a-b"]']],
    ['subject.id == "x" && action.name == "y" && resource.type == "z" && context == {}', []],
    ['resource.id == "x" || has(resource.name)', ['resource.id']],
    ['has(context.a) && context.a > 1', []],
    ['context.a > 1 && has(context.a)', []],
    ['has(context.a) && (context.b || context.a > 1)', ['context.b']],
    ['!has(context.a) || context.a > 1', []],
    ['has(context.a) || context.a > 1', ['context.a']],
    ['!(has(context.a) && context.a > 1)', []],
    ['has(context.a) ? context.a > 1 : context.b', ['context.b']],
    ['!has(context.a) ? true : context.a > 1', []],
    ['"a" in context && context.a > 1', []],
    ['"a-b" in context && context["a-b"] > 1', []],
    ['has(context.a.b) && context.a.b > 1', ['context.a']],
    ['has(context.a) && has(context.a.b) && context.a.b > 1', []],
    ['has(context.a) && context.b', ['context.b']],
    ['context.list.all(x, x.ok && context.a)', ['context.a', 'context.list']],
    ['[1].all(context, context == 1)', []],
    [
      'size(context.a) + context.b[context.c] > [context.d][0] && {"k": context.e}.k',
      ['context.a', 'context.b', 'context.c', 'context.d', 'context.e'],
    ],
  ])('%s', (source, reads) => {
    expect(checkCondition(source, undefined)).toEqual({ reads });
  });
});
