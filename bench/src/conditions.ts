import { compileCondition } from '@authz-service/core/conditions/evaluate/compile';
import { checkCondition } from '@authz-service/core/conditions/reads/check';
import { CONDITION_LIMITS } from '@authz-service/core/conditions/syntax/limits';
import { OutOfSteps } from '@authz-service/core/conditions/values/outcome';
import { Scope } from '@authz-service/core/conditions/values/scope';
import type { JsonObject } from '@authz-service/core/json/json';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at);
const list = numbers(2000);
const texts = list.map((at) => `text-${at}`);
const text = 'a'.repeat(50_000);
const map = Object.fromEntries(numbers(2000).map((at) => [`key-${at}`, at]));

/** Conditions that make much of a step, each evaluated again and again until the steps of a decision are used up. */
const HEAVY: readonly [what: string, condition: string, context: JsonObject][] = [
  ['nested `all`', 'context.list.all(a, context.list.all(b, a + b >= 0))', { list }],
  ['macros with nothing in them', 'context.list.all(a, context.list.all(b, true))', { list }],
  ['selections', 'context.list.all(a, context.m.a.b.c.d.e == 1)', { list, m: { a: { b: { c: { d: { e: 1 } } } } } }],
  [
    'members of a large map',
    'context.list.all(a, context.map["key-1999"] == 1999 && has(context.map.a) == false)',
    { list, map },
  ],
  ['keys of a large map', 'context.list.all(a, context.map.exists(k, k == "key-0"))', { list, map }],
  ['trouble at each item', 'context.list.all(a, a.b.c > a.d)', { list }],
  ['numbers without an order', 'context.list.all(a, a < context.t || a > context.t)', { list, t: 'x' }],
  ['absent attributes', 'context.list.all(a, context.none > 1 && context.nothing.at.all)', { list }],
  ['lists built', 'context.list.all(a, [a, a, a, a].size() == 4)', { list }],
  ['maps built', 'context.list.all(a, {"a": a, "b": a, "c": a}.a == a)', { list }],
  ['`map`', 'context.list.map(a, a + 1).size() > 0', { list }],
  ['`filter` in `map`', 'context.list.map(a, context.list.filter(b, b > a).size()).size() > 0', { list }],
  ['`map` with a test', 'context.list.map(a, true, context.list.map(b, true, b * 2).size()).size() > 0', { list }],
  ['lists joined', 'cel.bind(a, context.list + context.list, (a + a + a + a).size() > 0)', { list }],
  ['membership of numbers', 'context.list.all(a, !(-1 in context.list))', { list }],
  ['membership of texts', 'context.list.all(a, !("text-x999" in context.texts))', { list, texts }],
  ['membership of lists', 'context.list.all(a, !([1] in context.lists))', { list, lists: list.map((at) => [at, at]) }],
  ['equality of lists', 'context.list == context.same', { list, same: [...list] }],
  ['equality of maps', 'context.map == context.same', { map, same: { ...map } }],
  ['equality of texts', 'context.list.all(a, context.t == context.u)', { list, t: `${text}y`, u: `${text}y`.slice() }],
  ['order of texts', 'context.list.all(a, context.t < context.u)', { list, t: `${text}y`, u: `${text}z` }],
  [
    'texts joined',
    'context.list.all(a, (context.t + context.u).size() > 0)',
    { list, t: 'x'.repeat(500), u: 'y'.repeat(500) },
  ],
  [
    'texts joined and compared',
    'context.list.all(a, context.t + "b" < context.t + "c")',
    { list, t: 'x'.repeat(30_000) },
  ],
  ['`size` of texts', 'context.list.all(a, context.t.size() > 0)', { list, t: text }],
  ['`contains` of a short text', 'context.list.all(a, !context.t.contains("aaaab"))', { list, t: text }],
  [
    '`contains` of a long text',
    `context.list.all(a, !context.t.contains(context.u))`,
    { list, t: 'a'.repeat(5000), u: `${'a'.repeat(500)}b${'a'.repeat(500)}` },
  ],
  [
    '`lastIndexOf`',
    'context.list.all(a, context.t.lastIndexOf(context.u) < 0)',
    { list, t: 'a'.repeat(2000), u: `${'a'.repeat(500)}b` },
  ],
  [
    '`startsWith`, `endsWith`',
    'context.list.all(a, context.t.startsWith(context.t) && context.t.endsWith("b") == false)',
    { list, t: text },
  ],
  ['`lowerAscii`', 'context.list.all(a, context.t.lowerAscii() != "")', { list, t: 'aB'.repeat(1000) }],
  ['`trim`', 'context.list.all(a, context.t.trim() == "")', { list, t: ' '.repeat(5000) }],
  ['`split` into letters', 'context.list.all(a, context.t.split("").size() > 0)', { list, t: 'abcdefgh'.repeat(100) }],
  [
    '`split` and `join`',
    'context.list.all(a, (context.t + string(a)).split("-").join("+") != "")',
    { list, t: 'a-b-'.repeat(100) },
  ],
  ['`join` of nothing', 'context.list.all(a, context.e.join() == "")', { list, e: list.map(() => '') }],
  ['`substring`', 'context.list.all(a, context.t.substring(1, 40) != "")', { list, t: text }],
  ['`matches`', 'context.list.all(a, !context.t.matches("(x+x+)+y"))', { list, t: 'x'.repeat(500) }],
  [
    '`matches`, many states',
    'context.list.all(a, !context.t.matches("(a|aa|aaa){1,90}b"))',
    { list, t: 'a'.repeat(100) },
  ],
  [
    '`matches`, classes',
    'context.list.all(a, !context.t.matches("(?i)(\\\\p{L}|\\\\d|[^a-f])+0$"))',
    { list, t: 'äé1'.repeat(100) },
  ],
  ['`matches` of short texts', 'context.list.all(a, !"x".matches("^(a|b)$"))', { list }],
  ['`matches`, patterns made up', 'context.list.all(a, !"x".matches("(y{1,99}){9}" + string(a)))', { list }],
  ['`string` of numbers', 'context.list.all(a, string(a * 1.0001e-200) != "")', { list }],
  ['`double`', 'context.list.all(a, double("1.23456789012345678901234567890123e-200") > 0.0)', { list }],
  [
    '`double` of a variable',
    'context.list.all(a, double(context.n) > 0.0)',
    { list, n: '1.23456789012345678901234567890123e-200' },
  ],
  ['`int`', 'context.list.all(a, int(context.n) > 0)', { list, n: '12345678901234' }],
  ['`%`', 'context.list.all(a, 1e308 % (a * 1e-300 + 1e-300) >= 0.0)', { list }],
  [
    '`timestamp` of texts',
    'context.list.all(a, timestamp(context.t) > timestamp(a))',
    { list, t: '2024-02-29T12:34:56.789+05:45' },
  ],
  ['`string` of timestamps', 'context.list.all(a, string(timestamp(a)) != "")', { list }],
  [
    '`duration`',
    'context.list.all(a, duration(context.t) > duration("1h"))',
    { list, t: '1h1m1s1ms1us1ns1h1m1s1ms1us1ns1h1m1s1ms1us1ns1h1m1s1ms1us1ns1h' },
  ],
  ['fields of timestamps', 'context.list.all(a, timestamp(a).getDayOfYear() >= 0)', { list }],
  ['fields in a zone', 'context.list.all(a, timestamp(a * 1000).getHours("Europe/Paris") >= 0)', { list }],
  [
    'fields in zones made up',
    'context.list.all(a, timestamp(a).getHours(context.zones[a]) >= 0)',
    { list, zones: zonesMadeUp() },
  ],
  ['`type`, `dyn`', 'context.list.all(a, type(dyn(a)) == double)', { list }],
  ['`cel.bind`', 'context.list.all(a, cel.bind(b, a, cel.bind(c, b, c >= 0)))', { list }],
  ['choices', 'context.list.all(a, a > 1000 ? a != 5 : a != 3000)', { list }],
  ['all of `subject`', 'context.list.all(a, subject.properties == subject.properties && size(resource) > 0)', { list }],
];

/** Names of one zone that all differ, as the system does not mind their case. */
function zonesMadeUp(): string[] {
  const name = 'america/argentina/comodrivadavia';
  return numbers(2000).map((at) =>
    [...name].map((letter, bit) => ((at >> bit) & 1 ? letter.toUpperCase() : letter)).join(''),
  );
}

export interface HeavyFigures {
  what: string;
  /** Milliseconds until the steps of one decision are used up: the least of many rounds, which other load disturbs least. */
  ms: number;
}

/** Measures decisions whose conditions use up their steps. */
export function measureConditions(): HeavyFigures[] {
  return HEAVY.map(([what, source, context]) => {
    const { error } = checkCondition(source, undefined);
    if (error !== undefined) throw new Error(`${source}: ${error.detail}`);
    const condition = compileCondition(source);
    const times = numbers(21).map(() => {
      const scope = scopeOf(context);
      const start = performance.now();
      try {
        for (;;) condition.evaluate(scope);
      } catch (error) {
        if (!(error instanceof OutOfSteps)) throw error;
      }
      return performance.now() - start;
    });
    return { what, ms: Math.min(...times) };
  });
}

function scopeOf(context: JsonObject): Scope {
  const properties = { level: 1, team: 'a' };
  const request = {
    subject: { type: 'user', id: 'alice', properties },
    resource: { type: 'doc', id: 'd', properties },
    action: { name: 'read' },
    context,
  };
  const facts = { type: 'doc', application: 'app', id: 'd', name: undefined };
  return new Scope(request, facts, 0, properties, properties);
}

export const DECISION_STEPS_MAX = CONDITION_LIMITS.decisionSteps;
