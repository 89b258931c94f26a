import type { Modifiers } from '../../records/policy.js';
import { ADDRESS_STEPS, type IpRange, inRange, parseIp, parseIpRange } from '../../values/ip-range.js';
import { Absent, both, Failure, type Outcome, OutOfSteps } from '../values/outcome.js';
import { presentMoment } from '../values/present-moment.js';
import type { Scope } from '../values/scope.js';
import { inTimeWindow } from '../values/time-window.js';
import { ZONE_STEPS } from '../values/zone.js';
import { compileCondition } from './compile.js';

/** One of the things that must hold for a policy to apply. */
export interface GuardPart {
  evaluate(scope: Scope): Outcome;
  /** Why the policy does not apply if this is false. */
  unmet: string;
}

/**
 * The condition and the modifiers of a policy, all of which must hold, and its `unless`, which must not. If any of them
 * is false, the policy does not apply; otherwise an absent attribute settles what it does; otherwise a failure leaves
 * it open. The order of the parts, and of what is in them, does not matter (`outcome.ts`).
 */
export class Guard {
  readonly #parts: readonly GuardPart[];

  constructor(condition: string | undefined, modifiers: Modifiers | undefined, unless?: Modifiers) {
    const parts = partsOf(modifiers);
    const exempting = partsOf(unless);
    if (exempting.length > 0) parts.push(notAll(exempting));
    if (condition !== undefined) parts.push({ ...compileCondition(condition), unmet: 'its condition is false' });
    this.#parts = parts;
  }

  evaluate(scope: Scope): Outcome {
    let outcome: Outcome = true;
    for (const part of this.#parts) {
      outcome = both(outcome, part.evaluate(scope));
      if (outcome === false) return false;
    }
    return outcome;
  }

  /** Why the guard is false, if there are enough steps left to find out. */
  whyNot(scope: Scope): string {
    const unmet: GuardPart[] = [];
    try {
      for (const part of this.#parts) if (part.evaluate(scope) === false) unmet.push(part);
    } catch (error) {
      if (!(error instanceof OutOfSteps)) throw error;
    }
    return unmet.length === 0
      ? 'something that it requires does not hold'
      : unmet.map((part) => part.unmet).join(', and ');
  }
}

/** Returns the parts that modifiers require, by their names. */
export function modifierParts(modifiers: Modifiers | undefined): [name: keyof Modifiers, part: GuardPart][] {
  const parts: [keyof Modifiers, GuardPart][] = [];
  if (modifiers?.mfa_required === true) parts.push(['mfa_required', MFA]);
  if (modifiers?.ip_ranges !== undefined) parts.push(['ip_ranges', ipRanges(modifiers.ip_ranges)]);
  if (modifiers?.time_windows !== undefined) parts.push(['time_windows', timeWindows(modifiers.time_windows)]);
  return parts;
}

function partsOf(modifiers: Modifiers | undefined): GuardPart[] {
  return modifierParts(modifiers).map(([, part]) => part);
}

/** False where all of the parts hold; an absent attribute counts as a part that does not (docs/semantics.md 4.10). */
function notAll(parts: readonly GuardPart[]): GuardPart {
  return {
    unmet: 'everything in its unless holds',
    evaluate: (scope) => {
      let failure: Failure | undefined;
      for (const part of parts) {
        const outcome = part.evaluate(scope);
        if (outcome === false || outcome instanceof Absent) return true;
        if (outcome instanceof Failure) failure ??= outcome;
      }
      return failure ?? false;
    },
  };
}

/** The steps for checking one time window. */
const WINDOW_STEPS = 16;

const MFA: GuardPart = {
  unmet: 'it requires multi-factor authentication and context.mfa is false',
  evaluate: (scope) => {
    scope.charge(1);
    const mfa = contextMember(scope, 'mfa');
    if (mfa === undefined) return new Absent('context.mfa');
    return typeof mfa === 'boolean' ? mfa : new Failure('context.mfa must be true or false');
  },
};

function ipRanges(texts: readonly string[]): GuardPart {
  const ranges = texts.map(parseIpRange).filter((range): range is IpRange => range !== undefined);
  return {
    unmet: 'context.ip is outside its ip_ranges',
    evaluate: (scope) => {
      scope.charge(ADDRESS_STEPS + texts.length);
      const ip = contextMember(scope, 'ip');
      if (ip === undefined) return new Absent('context.ip');
      const address = typeof ip === 'string' ? parseIp(ip) : undefined;
      if (address === undefined) return new Failure('context.ip must be an IPv4 or IPv6 address');
      if (ranges.length < texts.length)
        return new Failure('its ip_ranges contain a text that is not a range of addresses');
      return ranges.some((range) => inRange(address, range));
    },
  };
}

function timeWindows(windows: NonNullable<Modifiers['time_windows']>): GuardPart {
  const steps = windows.length * WINDOW_STEPS + new Set(windows.map(({ zone }) => zone)).size * ZONE_STEPS;
  return {
    unmet: 'the time is outside its time_windows',
    evaluate: (scope) => {
      scope.charge(steps);
      const ms = presentMoment(scope);
      if (ms instanceof Failure) return ms;
      const inside = windows.map((window) => inTimeWindow(ms, window));
      if (inside.includes(true)) return true;
      return inside.includes(undefined) ? new Failure('its time_windows name an unknown time zone') : false;
    },
  };
}

function contextMember({ context }: Scope, name: string) {
  return Object.hasOwn(context, name) ? context[name] : undefined;
}
