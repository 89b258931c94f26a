import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../json/json.js';
import type { Modifiers } from '../../records/policy.js';
import { Absent, Failure, type Outcome } from '../values/outcome.js';
import { Scope } from '../values/scope.js';
import { Guard } from './guard.js';

const scopeOf = (context: JsonObject) =>
  new Scope(
    { subject: { type: 'user', id: 'u' }, resource: { type: 'doc', name: 'd' }, action: { name: 'read' }, context },
    { type: 'doc', application: 'app', id: undefined, name: 'd' },
    Date.parse('2026-01-15T12:00:00Z'),
    undefined,
    undefined,
  );

const nameOf = (outcome: Outcome) =>
  outcome instanceof Absent ? `absent ${outcome.attribute}` : outcome instanceof Failure ? 'fails' : outcome;

const MODIFIERS: Modifiers = {
  mfa_required: true,
  ip_ranges: ['10.0.0.0/8'],
  time_windows: [{ start: '09:00', end: '17:00', zone: 'UTC' }],
};

describe('a guard', () => {
  it.each([
    ['all holds', { mfa: true, ip: '10.0.0.1', n: 1 }, true],
    [
      'now counts where the request has no time',
      { mfa: true, ip: '10.0.0.1', n: 1, time: '2026-01-15T18:00:00Z' },
      false,
    ],
    ['the condition is false', { mfa: true, ip: '10.0.0.1', n: 0 }, false],
    ['multi-factor authentication is false', { mfa: false, ip: '10.0.0.1', n: 1 }, false],
    ['the address is outside', { mfa: true, ip: '11.0.0.1', n: 1 }, false],
    ['one is absent', { mfa: true, n: 1 }, 'absent context.ip'],
    ['one fails', { mfa: 1, ip: '10.0.0.1', n: 1 }, 'fails'],
    ['the time is malformed', { mfa: true, ip: '10.0.0.1', n: 1, time: 'noon' }, 'fails'],
    ['the address is malformed', { mfa: true, ip: '10.0.0.1:80', n: 1 }, 'fails'],
    ['null is no address', { mfa: true, ip: null, n: 1 }, 'fails'],
  ])('%s', (_, context, outcome) => {
    expect(nameOf(new Guard('context.n > 0', MODIFIERS).evaluate(scopeOf(context)))).toBe(outcome);
  });

  it('is false before absent before failing, whichever part says so', () => {
    const mfa = { true: true, false: false, absent: undefined, fails: 'yes' };
    const ip = { true: '10.0.0.1', false: '11.0.0.1', absent: undefined, fails: 'x' };
    const n = { true: 1, false: 0, absent: undefined, fails: 'x' };
    const kind = fc.constantFrom('true', 'false', 'absent', 'fails' as const) as fc.Arbitrary<keyof typeof mfa>;
    fc.assert(
      fc.property(kind, kind, kind, (a, b, c) => {
        const context = JSON.parse(JSON.stringify({ mfa: mfa[a], ip: ip[b], n: n[c] }));
        const wanted = ['false', 'absent', 'fails', 'true'].find((one) => [a, b, c].includes(one as keyof typeof mfa));
        const outcome = new Guard('context.n > 0', MODIFIERS).evaluate(scopeOf(context));
        expect(String(nameOf(outcome)).split(' ')[0]).toBe(wanted);
      }),
    );
  });

  it.each([
    ['all parts hold', { mfa: true, ip: '10.0.0.1' }, false],
    ['one does not', { mfa: false, ip: '10.0.0.1' }, true],
    ['one is absent', { ip: '10.0.0.1' }, true],
    ['one fails beside one that holds', { mfa: 'yes', ip: '10.0.0.1' }, 'fails'],
    ['one fails beside one that does not hold', { mfa: 'yes', ip: '11.0.0.1' }, true],
    ['one fails beside one that is absent', { mfa: 'yes' }, true],
  ])('with unless is met unless %s', (_, context, outcome) => {
    const unless = { mfa_required: true as const, ip_ranges: ['10.0.0.0/8'] };
    expect(nameOf(new Guard(undefined, undefined, unless).evaluate(scopeOf(context)))).toBe(outcome);
    expect(nameOf(new Guard(undefined, undefined, {}).evaluate(scopeOf(context)))).toBe(true);
  });

  it('says that everything in its unless holds', () => {
    const guard = new Guard('context.n > 0', undefined, { mfa_required: true });
    expect(guard.whyNot(scopeOf({ mfa: true, n: 1 }))).toBe('everything in its unless holds');
  });

  it('says all that is not met', () => {
    const context = { mfa: false, ip: '11.0.0.1', n: 0, time: '2026-01-15T18:00:00Z' };
    expect(new Guard('context.n > 0', MODIFIERS).whyNot(scopeOf(context))).toBe(
      'it requires multi-factor authentication and context.mfa is false, and context.ip is outside its ip_ranges, ' +
        'and the time is outside its time_windows, and its condition is false',
    );
  });
});
