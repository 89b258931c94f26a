import type { RuleForm } from '../../records/access-rule.js';
import type { Address, Path } from '../../records/address.js';
import type { DecisionRequest } from '../../request.js';
import { MASKED } from '../../text/masked.js';

/** A request that breaks a rule. */
export interface BreakingRequest {
  readonly request: DecisionRequest;
  /** The instant, RFC 3339. */
  readonly now: string;
}

/** A violation of an access rule. */
export interface Violation {
  readonly rule: Address;
  readonly form: RuleForm;
  readonly mode: 'enforce' | 'warn';
  /** The changed record that brings it; absent of one that stands. */
  readonly cause?: Address;
  /** One request; of `separate` two, one for each action. Where `proven` is false these may be no such requests. */
  readonly witness: readonly BreakingRequest[];
  /** The paths of the attributes in `witness` that are sensitive: no sentence says their values. */
  readonly sensitive: readonly string[];
  /** False where it cannot be said whether a request breaks the rule, which counts as if one did. */
  readonly proven: boolean;
  /** The places that matter, if it is not proven and hangs on which of them the resource lies in. */
  readonly places: readonly Path[];
}

/** An access rule that a change-set breaks and that does not refuse it, for whoever makes the change. */
export interface BrokenRule {
  readonly rule: Address;
  readonly mode: 'enforce' | 'warn';
  readonly detail: string;
}

/** The rules that a change-set breaks because they only warn, and those that it declares and that are broken from the start. */
export function brokenRules(violations: readonly Violation[] = []): BrokenRule[] {
  return violations.map((violation) => {
    const { rule, mode, cause } = violation;
    const why = cause === undefined ? NEW_AND_BROKEN : ONLY_WARNS;
    return { rule, mode, detail: `${violationText(violation)} ${why}` };
  });
}

const NEW_AND_BROKEN = 'It stands already and blocks nothing; the rule refuses what makes it worse.';
const ONLY_WARNS = 'The rule only warns, so that nothing is refused.';

/** A violation as a sentence for whoever made the change. */
export function violationText({ rule, form, cause, witness, sensitive, proven, places }: Violation): string {
  const [first, second] = witness;
  const name = rule.slice('access_rule/'.length);
  const by = cause === undefined ? '' : `, by ${cause}`;
  const who = first === undefined ? 'a subject' : subjectText(first.request);
  const what = (one: BreakingRequest | undefined) =>
    one === undefined ? 'something' : `"${one.request.action.name}" ${resourceText(one.request)}`;
  const details = [first, form === 'separate' ? second : undefined].flatMap((one) =>
    one === undefined ? [] : [detailText(one, sensitive)],
  );
  const when = `${placesText(places)}${[...new Set(details)].join(', and')}`;
  const may = proven ? 'may' : 'may, for all that can be said,';
  switch (form) {
    case 'always':
      return `The access rule "${name}" says that ${who} must always be able to ${what(first)}, and a request for it is ${proven ? 'denied' : 'not proved to be allowed'}${when}${by}.`;
    case 'separate':
      return `The access rule "${name}" keeps actions apart, and ${who} ${may} both ${what(first)} and ${what(second)}${when}${by}.`;
    case 'only':
      return `The access rule "${name}" names who alone may, and ${who} ${may} ${what(first)}${when}${by}.`;
    default:
      return `The access rule "${name}" forbids it, and ${who} ${may} ${what(first)}${when}${by}.`;
  }
}

function subjectText({ subject }: DecisionRequest): string {
  const roles = subject.roles?.length
    ? `, named by the request as ${subject.roles.map((role) => `role/${role}`).join(' and ')},`
    : '';
  return `${subject.type}/${subject.id}${roles}`;
}

function resourceText({ resource }: DecisionRequest): string {
  return `${resource.type}/${resource.name ?? resource.id ?? ''}`;
}

function placesText(places: readonly Path[]): string {
  if (places.length === 0) return '';
  const more = places.length - PLACES_SHOWN;
  const named = [...places.slice(0, PLACES_SHOWN), ...(more > 0 ? [`${more} more`] : [])];
  return ` where it lies in some of ${named.join(', ')}`;
}

const PLACES_SHOWN = 5;

/** Says what the request holds besides, and when it is made. */
function detailText({ request, now }: BreakingRequest, sensitive: readonly string[]): string {
  const said = [
    ['context', request.context],
    ['subject.properties', request.subject.properties],
    ['resource.properties', request.resource.properties],
    ['action.properties', request.action.properties],
  ] as const;
  const parts = said.flatMap(([name, values = {}]) => {
    const shown = Object.entries(values).map(([key, value]) => [
      key,
      sensitive.includes(`${name}.${key}`) ? MASKED : value,
    ]);
    return shown.length > 0 ? [`${name} ${JSON.stringify(Object.fromEntries(shown))}`] : [];
  });
  return `${parts.length === 0 ? '' : ` with ${parts.join(' and ')}`} at ${now}`;
}
