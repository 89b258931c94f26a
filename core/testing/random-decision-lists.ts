import type { PartialRequest } from '../src/conditions/residual/partial-request.js';
import type { PolicyGuard } from '../src/conditions/residual/residuals.js';
import type { Json, JsonObject } from '../src/json/json.js';
import type { Modifiers } from '../src/records/policy.js';

const NUMBERS = [1, 2, 2.5, 10];
const TEXTS = ['a', 'ab', 'b', 'abc', 'alice'];
const PATTERNS = ['^a', 'b$', '^a[bc]+$', 'a|b', '(?i)^AB', '^\\w+\\b', '[^a]', 'a{2,}', '^$'];
const ADDRESSES = ['10.0.0.0/8', '10.1.0.0/16', '10.0.0.1', '2001:db8::/32'];
const INSTANTS = ['2026-03-02T08:30:00Z', '2026-06-01T00:00:00Z'];
export const FROM = Date.UTC(2026, 0, 5);
/** Attributes, of which some are joined with others by one name so that conditions meet. */
const ATTRIBUTES = [
  'context.a',
  'context.b',
  'context.m.x',
  'context.m.y',
  'subject.properties.p',
  'subject.id',
  'resource.properties.owner',
  'resource.name',
];
const LISTS = ['context.list', 'resource.properties.list'];
const RECORDED_IDS = ['alice', 'bob'];

export interface RandomCandidate {
  readonly effect: 'ALLOW' | 'DENY';
  readonly priority: number;
  readonly guard: PolicyGuard;
  readonly placeUnknown: boolean;
}

/** A value that a request sends. */
export interface SentRequest {
  readonly context: JsonObject;
  readonly subject: JsonObject;
  readonly resource: JsonObject;
  readonly subjectId: string;
  readonly name: string;
  readonly roles: readonly string[];
  readonly now: number;
}

/** A small generator of pseudo-random numbers (mulberry32): drawing from fast-check takes longer than what is tested. */
export class Draw {
  /** The attributes that conditions read, often few, so that they have something to do with each other. */
  readonly attributes: readonly string[];
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
    this.attributes = this.often(60) ? [this.of(ATTRIBUTES), this.of(ATTRIBUTES)] : ATTRIBUTES;
  }

  of<T>(list: readonly T[]): T {
    return list[this.whole(list.length)] as T;
  }

  whole(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  }

  often(percent: number): boolean {
    return this.whole(100) < percent;
  }
}

function leaf(draw: Draw): string {
  const attribute = draw.of(draw.attributes);
  const other = draw.of(draw.attributes);
  const text = JSON.stringify(draw.of(TEXTS));
  const number = draw.of(NUMBERS);
  const list = draw.of(LISTS);
  const compare = draw.of(['==', '!=', '<', '<=', '>', '>=']);
  const forms = [
    `${attribute} ${compare} ${text}`,
    `${attribute} == ${text}`,
    `${attribute} in [${text}, ${JSON.stringify(draw.of(TEXTS))}, ${number}]`,
    `${attribute}.${draw.of(['startsWith', 'endsWith', 'contains'])}(${text})`,
    `${attribute}.matches(${JSON.stringify(draw.of(PATTERNS))})`,
    `${attribute} == ${other}`,
    `${attribute} ${draw.of(['<', '<='])} ${other}`,
    `size(${attribute}) ${compare} ${draw.whole(4)}`,
    `subject.in_group(${JSON.stringify(draw.of(['g', 'h']))})`,
    `subject.has_role(${JSON.stringify(draw.of(['r', 's', 't', 'u']))})${draw.often(10) ? ' != false' : ''}`,
    `${text} in ${list}`,
    `${attribute} in ${list}`,
    `${list}.exists(one, one == ${text})`,
    `[${text}, "b"].exists(one, ${attribute.startsWith('context') ? attribute : 'context.a'}.startsWith(one))`,
    `ip_in(context.ip, ${JSON.stringify(draw.of(ADDRESSES))})`,
    `timestamp(context.time) ${draw.of(['<', '>='])} timestamp(${JSON.stringify(draw.of(INSTANTS))})`,
    `timestamp(context.time).getHours() ${draw.of(['<', '>=', '=='])} ${draw.of([0, 8, 9, 17])}`,
    `since(${JSON.stringify(draw.of(INSTANTS))}) < duration("${draw.of(['1h', '48h'])}")`,
    `type(${attribute}) == string`,
    'has(context.time)',
  ];
  const context = attribute.startsWith('context') || attribute.startsWith('subject.properties');
  if (context)
    forms.push(
      attribute,
      `${attribute} ${compare} ${number}`,
      `${attribute} ${compare} ${number}`,
      `has(${attribute})`,
      `(${attribute} > ${number} && ${attribute} < ${draw.of(NUMBERS)})`,
      `(${attribute} > ${number} && ${attribute} < ${draw.of(NUMBERS)})`,
      `${attribute} == ${draw.of(['true', 'null', '["a"]'])}`,
      `${attribute} * 2 < ${number}`,
      `(${attribute} == ${number}) == ${draw.of(['true', 'has(context.b)'])}`,
    );
  return draw.of(forms);
}

function condition(draw: Draw, depth: number): string {
  const shape = draw.whole(depth > 0 ? 9 : 4);
  if (shape < 4) return leaf(draw);
  const part = () => condition(draw, depth - 1);
  if (shape === 4) return `!(${part()})`;
  if (shape === 5) return `((${part()}) ? (${part()}) : (${part()}))`;
  return `(${part()} ${shape < 7 ? '&&' : '||'} ${part()})`;
}

function modifiers(draw: Draw): Modifiers {
  const window = () => ({
    ...(draw.often(50) && { days: [draw.of(['mon', 'tue', 'sun'] as const)] }),
    start: draw.of(['00:00', '08:00', '09:30', '17:00']),
    end: draw.of(['00:00', '09:30', '12:00', '17:00']),
    zone: draw.of(['UTC', 'UTC', 'Europe/Berlin']),
  });
  return {
    ...(draw.often(50) && { mfa_required: true as const }),
    ...(draw.often(30) && { ip_ranges: [draw.of(ADDRESSES), draw.of(ADDRESSES)] }),
    ...(draw.often(30) && { time_windows: [window()] }),
  };
}

export function randomCandidate(draw: Draw): RandomCandidate {
  const effect = draw.often(60) ? 'ALLOW' : 'DENY';
  const guard: PolicyGuard = {
    ...(draw.often(85) && { condition: condition(draw, 2) }),
    ...(draw.often(15) && { modifiers: modifiers(draw) }),
    ...(effect === 'DENY' && draw.often(20) && { unless: modifiers(draw) }),
  };
  return { effect, priority: draw.whole(3), guard, placeUnknown: draw.often(8) };
}

/** Another list that has something to do with the first. */
export function changedList(draw: Draw, list: readonly RandomCandidate[]): RandomCandidate[] {
  const next = [...list];
  const at = draw.whole(next.length);
  const one = next[at] as RandomCandidate;
  const more = (op: string) => ({
    ...one,
    guard: { ...one.guard, condition: `(${one.guard.condition ?? 'true'}) ${op} ${leaf(draw)}` },
  });
  switch (draw.whole(7)) {
    case 0:
      next.splice(at, 1);
      break;
    case 1:
      next.push(randomCandidate(draw));
      break;
    case 2:
      next[at] = more('&&');
      break;
    case 3:
      next[at] = more('||');
      break;
    case 4:
      next[at] = { ...one, priority: draw.whole(3) };
      break;
    case 5:
      next[at] = randomCandidate(draw);
      break;
    default:
      next[at] = {
        ...one,
        guard: {
          ...one.guard,
          condition: (one.guard.condition ?? 'true').replaceAll('==', '!=').replaceAll('"ab"', '"a"'),
        },
      };
  }
  return next;
}

export function randomKnown(draw: Draw): PartialRequest {
  const sent = draw.often(60);
  const unrecorded = sent && draw.often(50);
  const value = () => draw.of<Json>([1, 2, 'a', 'ab', true, 'alice']);
  const several = draw.often(50);
  const anyOf = ['s', 'u'];
  const roles: { readonly [path: string]: ReturnType<NonNullable<PartialRequest['principals']>['hasRole']> } = {
    r: several ? { anyOf, otherwise: 'absent' } : 'absent',
    s: { anyOf: ['s'] },
    t: several ? { anyOf } : true,
    u: { anyOf: ['u'] },
  };
  return {
    subject: {
      type: 'user',
      id: unrecorded ? { admits: (id) => !RECORDED_IDS.includes(id) } : 'alice',
      recorded: !unrecorded && draw.often(50) ? { p: value() } : {},
      sent,
    },
    action: { name: 'read', sent },
    resource: {
      type: 'invoice',
      application: 'billing',
      names: unrecorded
        ? { names: true, admitsName: (name) => !RECORDED_IDS.includes(name), admitsId: () => true }
        : { id: 'ab', name: 'ab' },
      recorded: !unrecorded && draw.often(50) ? { owner: value(), ...(draw.often(50) && { list: ['a', 'x'] }) } : {},
      sent,
    },
    principals: {
      inGroup: (path) => path === 'g',
      hasRole: (path) => roles[path] ?? false,
    },
    span: { from: FROM, until: draw.often(70) ? Number.POSITIVE_INFINITY : FROM + 3_600_000 },
  };
}

const absent = Symbol('absent');

function anyValue(draw: Draw): Json | typeof absent {
  const text = draw.of(TEXTS);
  switch (draw.whole(12)) {
    case 0:
      return absent;
    case 1:
      return draw.of<Json>([null, true, false]);
    case 2:
    case 3:
      return draw.of(NUMBERS) + draw.of([0, 0, -0.5, 0.5, 1e6]);
    case 4:
      return draw.of<Json>([[], ['a'], ['b', 'a'], ['abc'], [1], ['other'], {}, { a: 1 }, { x: 1, y: 'a' }]);
    case 5:
      return { x: draw.of<Json>([1, 2, 'a', true, null]), ...(draw.often(50) && { y: draw.of<Json>(['a', 'ab', 3]) }) };
    case 6:
      return draw.of(['10.0.0.1', '10.1.255.255', '11.0.0.0', '9.255.255.255', '2001:db8::1', '2001:db9::']);
    case 7:
      return draw.of([
        '2026-03-02T08:29:59.999Z',
        '2026-03-02T08:30:00Z',
        '2026-06-01T00:00:00Z',
        '2026-01-05T09:30:00Z',
        '2026-07-05T16:59:59Z',
      ]);
    default:
      return draw.of([
        text,
        text,
        `${text}x`,
        `x${text}`,
        text.slice(1),
        text.toUpperCase(),
        `${text}c`,
        'other',
        '',
        '\u0001',
        '😀',
      ]);
  }
}

export function randomRequest(draw: Draw, { subject, resource, span }: PartialRequest): SentRequest {
  const members = (names: readonly string[]) => {
    const map: JsonObject = {};
    for (const name of names) {
      const value = anyValue(draw);
      if (value !== absent) map[name] = value;
    }
    return map;
  };
  const free = (texts: readonly string[]) => draw.of(texts.filter((text) => !RECORDED_IDS.includes(text)));
  const texts = [...TEXTS, 'abx', 'xab', 'other', 'c', '0'];
  return {
    context: members(['a', 'b', 'm', 'list', 'ip', 'time', 'mfa']),
    subject: subject.sent && !Object.hasOwn(subject.recorded, 'p') ? members(['p']) : {},
    resource: resource.sent ? members(['owner', 'list'].filter((name) => !Object.hasOwn(resource.recorded, name))) : {},
    subjectId: free(texts),
    name: free(texts),
    roles: ['s', 'u'].filter(() => draw.often(50)),
    now: Number.isFinite(span.until) ? span.from + draw.whole(3_600_000) : span.from + draw.whole(400) * 9_000_000,
  };
}
