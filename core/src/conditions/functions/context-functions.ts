import { ADDRESS_STEPS, type IpRange, inRange, parseIp, parseIpRange } from '../../values/ip-range.js';
import { parseMoment } from '../values/moment.js';
import { Failure } from '../values/outcome.js';
import { presentMoment } from '../values/present-moment.js';
import type { Scope } from '../values/scope.js';
import { BOOL, DURATION } from '../values/static-type.js';
import { type Moment, type Result, Span } from '../values/value.js';
import type { Work } from '../values/work.js';
import type { Overload } from './functions.js';

const noAddress = () => new Failure('ip_in() takes an IPv4 or IPv6 address');
const noRange = () => new Failure('ip_in() takes an IP address or CIDR range like "10.0.0.0/8" as its second');

/** Compares as the modifier `ip_ranges` does (docs/semantics.md 4.13). */
const ipIn: Overload = {
  since: 2,
  takes: ['string', 'string'],
  gives: BOOL,
  run: (work, text: string, source: string) => {
    work.charge(ADDRESS_STEPS);
    const range = parseIpRange(source);
    return range === undefined ? noRange() : isIn(work, text, range);
  },
  prepare: (source) => {
    const range = parseIpRange(source as string);
    return range === undefined ? noRange() : (work, text) => isIn(work, text as string, range);
  },
};

function isIn(work: Work, text: string, range: IpRange): Result {
  work.charge(ADDRESS_STEPS);
  const address = parseIp(text);
  return address === undefined ? noAddress() : inRange(address, range);
}

/** The steps for reading a moment. */
const MOMENT_STEPS = 64;

/** The time from a moment to the one that time windows look at (docs/semantics.md 4.14). */
function since(scope: Scope, start: number | undefined): Result {
  scope.charge(MOMENT_STEPS);
  if (start === undefined) return new Failure('since() takes a timestamp, or an RFC 3339 date and time with a zone');
  const present = presentMoment(scope);
  return present instanceof Failure ? present : new Span(present - start);
}

/** Functions that compare with what requests say of where and when they are made. */
export const contextFunctions: readonly (readonly [string, readonly Overload[]])[] = [
  ['ip_in', [ipIn]],
  [
    'since',
    [
      {
        since: 2,
        takes: ['timestamp'],
        gives: DURATION,
        live: true,
        run: (scope, from: Moment) => since(scope, from.ms),
      },
      {
        since: 2,
        takes: ['string'],
        gives: DURATION,
        live: true,
        run: (scope, from: string) => {
          scope.charge(MOMENT_STEPS);
          return since(scope, parseMoment(from));
        },
      },
    ],
  ],
];
