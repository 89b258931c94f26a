import { expect, test } from 'vitest';
import type { PartialRequest } from './partial-request.js';
import { type PolicyGuard, Residuals } from './residuals.js';

const pairs: PartialRequest = {
  subject: {
    type: 'user',
    id: 'alice',
    recorded: {
      level: 3,
      region: 'eu',
      teams: ['payroll', 'audit'],
      odd: { constructor: { valueOf: 1 } },
    },
    sent: false,
  },
  action: { name: 'read', sent: false },
  resource: {
    type: 'invoice',
    application: 'billing',
    names: { id: 'INV-1', name: 'INV-1' },
    recorded: { amount: 120.5, owner: 'alice' },
    sent: false,
  },
  principals: {
    inGroup: (path) => path === 'finance',
    hasRole: (path) => (path === 'auditor' ? 'absent' : path === 'editor'),
  },
  span: { from: Date.UTC(2026, 0, 1), until: Number.POSITIVE_INFINITY },
};
const recorded = new Set(['alice', 'bob']);
const subjectId = { admits: (id: string) => !recorded.has(id) };
const names = {
  names: true as const,
  admitsName: (name: string) => name !== 'INV-1',
  admitsId: (id: string) => id !== 'INV-1',
};
const free: PartialRequest = {
  ...pairs,
  subject: { ...pairs.subject, id: subjectId, recorded: {}, sent: true },
  action: { name: 'read', sent: true },
  resource: { ...pairs.resource, names, recorded: {}, sent: true },
};

const guardOf = (guard: string | PolicyGuard): PolicyGuard =>
  typeof guard === 'string' ? { condition: guard } : guard;

function change(before: string | PolicyGuard, after: string | PolicyGuard, known = free) {
  const residuals = new Residuals();
  const list = (guard: string | PolicyGuard) =>
    residuals.listOf([{ effect: 'ALLOW', priority: 0, residual: residuals.residualOf(guardOf(guard), known) }]);
  return residuals.compare(list(before), list(after)).change;
}

test.each<[string, string]>([
  ['subject.properties.level >= 2', 'true'],
  ['subject.properties.level > 3', 'false'],
  ['subject.properties.nothing', 'false'],
  ['since(subject.properties.nothing) < duration("1h")', 'false'],
  ['!(since(subject.properties.nothing) < duration("1h"))', 'false'],
  ['subject.properties.nothing.startsWith(context.x)', 'false'],
  ['subject.in_group("finance") && subject.has_role("editor")', 'true'],
  ['subject.has_role("auditor")', 'false'],
  ['resource.properties.owner == subject.id', 'true'],
  ['context.amount < resource.properties.amount', 'context.amount < 120.5'],
  ['context.amount > 5 && resource.properties.amount > 5', 'context.amount > 5'],
  ['5 <= context.amount || resource.properties.amount < 5', 'context.amount >= 5'],
  ['!(context.state == "open")', 'context.state != "open"'],
  ['context.team in subject.properties.teams', 'context.team in ["payroll", "audit"]'],
  ['context.a && (context.b || context.c)', 'context.a && (context.b || context.c)'],
  ['has(context.device) && !context.device.startsWith("x")', '!context.device.startsWith("x")'],
  ['context.mfa ? subject.properties.level > 3 : context.x == 1', 'context.x == 1 && !context.mfa'],
  ['(context.m || context.t != "prod" || !has(context.t)) && context.t != "prod"', 'context.t != "prod"'],
  ['context.a || context.a && context.b', 'context.a'],
  ['context.a && (context.a || context.b)', 'context.a'],
  ['!(!context.a) && true', 'context.a'],
  ['context.a && context.b || context.a && !context.b', 'context.a && context.b || context.a && !context.b'],
  ['has(context.a) && context.a == 1 || context.a == 1', 'context.a == 1'],
  ['context.n < 5 && context.n < 10', 'context.n < 5'],
  ['context.s == "x" || context.s in ["x", "y"]', 'context.s in ["x", "y"]'],
  ['context.a ? context.b : context.b', 'context.a ? context.b : context.b'],
  [
    'has(context.a) && context.a && context.b || !has(context.a) && context.b',
    'context.b && !has(context.a) || context.a && context.b',
  ],
  ['context.ip == "x" || !(context.ip == "x")', 'context.ip == "x" || context.ip != "x"'],
  ['{"a": subject.properties.region} in context.list', '{"a": "eu"} in context.list'],
  ['{"valueOf": subject.properties.level} == context.m', '{"valueOf": 3} == context.m'],
  [
    'context.m == subject.properties.odd && 2u > context.n',
    'context.m == {"constructor": {"valueOf": 1}} && context.n < 2',
  ],
])('what remains of %s is %s', (condition, text) => {
  const residuals = new Residuals();
  expect(residuals.textOf(residuals.residualOf({ condition }, pairs))).toBe(text);
});

test.each<[string | PolicyGuard, string | PolicyGuard, string]>([
  ['context.amount < 5', 'context.amount < 10', 'gained'],
  ['context.amount < 10', 'context.amount < 5', 'lost'],
  ['context.amount < 10', 'context.amount > 5', 'mixed'],
  ['context.amount < 10 && context.amount > 5', 'context.amount > 5 && 10 > context.amount', 'same'],
  ['context.amount < 5 || context.amount >= 5', 'type(context.amount) == double', 'same'],
  ['context.name.startsWith("ab")', 'context.name.startsWith("a")', 'gained'],
  ['context.name.endsWith("ab")', 'context.name.endsWith("b")', 'gained'],
  ['context.name == "abc"', 'context.name.contains("b")', 'gained'],
  ['context.name.matches("^a")', 'context.name.startsWith("a")', 'same'],
  ['context.name.matches("^INV-[0-9]+$")', 'context.name.startsWith("INV-")', 'gained'],
  ['context.name.matches("(?i)^inv")', 'context.name.matches("^(?:i|I)(?:n|N)(?:v|V)")', 'same'],
  ['context.name.matches("\\\\bcat\\\\b")', 'context.name.contains("cat")', 'gained'],
  ['context.name < "b"', 'context.name <= "b"', 'gained'],
  ['context.name in ["a", "b"]', 'context.name == "b" || context.name == "a"', 'same'],
  ['["a", "b"].exists(one, one == context.name)', 'context.name in ["b", "a"]', 'same'],
  ['has(context.x) && context.x', 'context.x', 'same'],
  ['!has(context.x) || context.x', 'context.x', 'lost'],
  ['context.x == true', 'context.x', 'same'],
  ['size(context.name) > 3', 'size(context.name) >= 4', 'same'],
  ['"a" in context.groups', '"a" in context.groups || "b" in context.groups', 'gained'],
  ['context.a.b == 1', 'has(context.a) && context.a.b == 1', 'same'],
  ['context.a.b == 1', 'context.a.b == 1 && context.a.c', 'lost'],
  ['resource.properties.owner == subject.id', 'subject.id == resource.properties.owner', 'same'],
  ['resource.properties.owner == subject.id', 'resource.properties.owner == subject.id || context.mfa', 'gained'],
  ['resource.properties.owner != subject.id', 'resource.properties.owner == subject.id', 'mixed'],
  ['subject.id in resource.properties.owners', 'subject.id in resource.properties.owners && context.mfa', 'lost'],
  ['subject.id == "alice"', 'false', 'same'],
  ['subject.id == "carol"', 'false', 'lost'],
  ['resource.name.startsWith("x")', 'resource.name.startsWith("xy")', 'lost'],
  ['resource.name == "INV-1"', 'false', 'same'],
  ['resource.id == "INV-1"', 'false', 'lost'],
  [
    'resource.properties.low < resource.properties.high',
    'resource.properties.low <= resource.properties.high',
    'gained',
  ],
  ['ip_in(context.ip, "10.0.0.0/8")', { modifiers: { ip_ranges: ['10.0.0.0/8'] } }, 'same'],
  ['ip_in(context.ip, "10.0.0.0/8")', { modifiers: { ip_ranges: ['10.0.0.0/9', '10.128.0.0/9'] } }, 'same'],
  [
    { modifiers: { ip_ranges: ['10.0.0.0/9'] } },
    { modifiers: { ip_ranges: ['10.0.0.0/8', '2001:db8::/32'] } },
    'gained',
  ],
  ['context.mfa', { modifiers: { mfa_required: true } }, 'same'],
  [
    { modifiers: { time_windows: [{ start: '09:00', end: '17:00', zone: 'UTC' }] } },
    {
      modifiers: {
        time_windows: [
          { start: '09:00', end: '12:00', zone: 'UTC' },
          { start: '12:00', end: '17:00', zone: 'UTC' },
        ],
      },
    },
    'same',
  ],
  [
    { modifiers: { time_windows: [{ days: ['mon'], start: '09:00', end: '17:00', zone: 'Europe/Berlin' }] } },
    { modifiers: { time_windows: [{ start: '08:00', end: '17:00', zone: 'Europe/Berlin' }] } },
    'gained',
  ],
  [
    'timestamp(context.time) < timestamp("2026-06-01T00:00:00Z")',
    'timestamp(context.time) < timestamp("2026-07-01T00:00:00Z")',
    'gained',
  ],
  ['timestamp(context.time).getHours() < 9', 'timestamp(context.time).getHours() <= 8', 'same'],
  ['timestamp(context.time).getHours() < 9', 'timestamp(context.time).getHours() < 8.5', 'same'],
  ['timestamp(context.time).getHours() < 9', 'timestamp(context.time).getHours() < 10', 'gained'],
  ['timestamp(context.time).getHours("Europe/Berlin") == 0', 'timestamp(context.time).getHours("UTC") == 0', 'mixed'],
  ['timestamp(context.time).getHours() < 24', 'timestamp(context.time).getHours() >= 0', 'same'],
  [
    'timestamp(context.time).getHours() >= 9 && timestamp(context.time).getHours() < 17',
    { modifiers: { time_windows: [{ start: '09:00', end: '17:00', zone: 'UTC' }] } },
    'mixed',
  ],
  ['since("2026-01-01T00:00:00Z") < duration("24h")', 'since("2026-01-01T00:00:00Z") < duration("48h")', 'gained'],
  [
    'context.list.exists(one, cel.bind(one, one + 1, one > 2))',
    'context.list.exists(one, cel.bind(one, one + 1, one > 2))',
    'same',
  ],
  [
    {
      condition: 'timestamp(context.time) > timestamp(0)',
      modifiers: { time_windows: [{ start: '09:00', end: '17:00', zone: 'UTC' }] },
    },
    { modifiers: { time_windows: [{ start: '09:00', end: '17:00', zone: 'UTC' }] } },
    'gained',
  ],
  ['size(subject.id) == 0', 'false', 'same'],
  ['context.a * 2 < 10', 'context.a * 2 < 10', 'same'],
  ['context.a * 2 < 10', 'context.a * 2 < 10 && context.mfa', 'lost'],
  ['context.a * 2 < 10', 'context.a < 5', 'unknown'],
])('%j and then %j: %s', (before, after, expected) => {
  expect(change(before, after)).toBe(expected);
});

test('a division whose operands are written in other ways is another one', () => {
  const three: PartialRequest = { ...free, subject: { ...free.subject, recorded: { n: 3 } } };
  expect(change('size(context.name) / subject.properties.n == 1', 'size(context.name) / 3 == 1', three)).not.toBe(
    'same',
  );
});
