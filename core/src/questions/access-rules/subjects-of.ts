import { type Address, decodeSegment, type Path } from '../../records/address.js';
import { EVERY_TYPE, EVERYONE } from '../../records/everyone.js';
import { type AccessSide, OTHER_TYPE, type SubjectUnit } from './access-side.js';
import { mentioning } from './access-view.js';
import type { RuleClaim } from './rule-claim.js';

/** Whom principals stand for: these recorded subjects, or everybody of a type. */
interface Meant {
  readonly paths: Set<Path>;
  /** `*` stands for every type. */
  readonly types: Set<string>;
}

const STEP = 200;

/** The subjects behind principals in one state, into `meant`. */
function* addMembers(
  side: AccessSide,
  principals: Iterable<Address>,
  names: boolean,
  meant: Meant,
): Generator<undefined, void> {
  const seen = new Set(principals);
  let steps = 0;
  for (const principal of seen) {
    const slash = principal.indexOf('/');
    const [kind, path] = [principal.slice(0, slash), principal.slice(slash + 1)];
    if (kind === 'subject') meant.paths.add(path);
    else if (kind === EVERYONE) meant.types.add(path === EVERY_TYPE ? path : decodeSegment(path));
    else if (kind === 'group') {
      const { subjects, groups } = yield* side.membersOf(path);
      for (const subject of subjects) {
        if (++steps % STEP === 0) yield;
        meant.paths.add(subject);
      }
      for (const group of groups) seen.add(group);
    } else if (kind === 'role') {
      if (names && side.closures.naming(path).length > 0) meant.types.add(EVERY_TYPE);
      for (const { fields } of mentioning(side.view, principal, 'role_assignment')) {
        if (++steps % STEP === 0) yield;
        seen.add(`${fields.entity_type}/${fields.entity}`);
      }
      for (const { address } of mentioning(side.view, principal, 'role')) seen.add(address);
    }
  }
}

/** Who matters to a rule on some resources, besides whom a change touches. */
export interface Concerned {
  /** Those that policies there are assigned to. */
  readonly principals: ReadonlySet<Address>;
  /** Whether conditions there read the id of a subject, so that one without a record does not stand for those with one. */
  readonly readsIds: boolean;
  /** The types that records mention, or conditions there which read the type of a subject. */
  readonly types: ReadonlySet<string>;
}

/**
 * The subjects behind principals in either state that a rule may speak of; those without a record come first. They stand
 * for the recorded ones to whom nothing is given on the resources in question but what everybody has: requests may say of
 * them all that is recorded of these.
 */
export function* subjectsOf(
  sides: readonly AccessSide[],
  principals: Iterable<Address>,
  claim: RuleClaim,
  concerned: Concerned,
): Generator<SubjectUnit | undefined> {
  const touched: Meant = { paths: new Set(), types: new Set() };
  for (const side of sides) yield* addMembers(side, principals, claim.names, touched);
  const { subjectType } = claim;
  const isMeant = (path: Path) => subjectType === undefined || typeOfSubject(path) === subjectType;
  const everybody = (type: string) => touched.types.has(EVERY_TYPE) || touched.types.has(type);
  const limited = touched.types.size > 0 ? yield* limitsOf(sides, claim) : undefined;
  if (touched.types.size > 0 && limited === undefined) {
    const types = subjectType === undefined ? knownTypes([...touched.types, ...concerned.types]) : [subjectType];
    for (const type of types) if (everybody(type)) yield { type, path: undefined };
  }
  for (const path of touched.paths) if (isMeant(path)) yield { type: typeOfSubject(path), path };
  if (touched.types.size === 0) return;
  const others: Meant = { paths: new Set(), types: new Set() };
  // Nobody stands for one who is suspended.
  const each = concerned.readsIds || claim.evenSuspended;
  if (limited === undefined && !each)
    for (const side of sides) yield* addMembers(side, concerned.principals, false, others);
  let looked = 0;
  for (const path of limited ?? (each ? recorded(sides) : others.paths)) {
    if (++looked % STEP === 0) yield undefined;
    if (!touched.paths.has(path) && isMeant(path) && everybody(typeOfSubject(path)))
      yield { type: typeOfSubject(path), path };
  }
}

/** The subjects to which a rule is limited; undefined if it may mean anybody. */
function* limitsOf(
  sides: readonly AccessSide[],
  claim: RuleClaim,
): Generator<undefined, ReadonlySet<Path> | undefined> {
  const { principals } = claim;
  if (principals === undefined) return undefined;
  const meant: Meant = { paths: new Set(principals.named), types: new Set() };
  const { groups, roles } = principals;
  const addresses = [
    ...groups.map((path): Address => `group/${path}`),
    ...roles.map((path): Address => `role/${path}`),
  ];
  for (const side of sides) yield* addMembers(side, addresses, claim.names, meant);
  return meant.types.size > 0 ? undefined : meant.paths;
}

function* recorded(sides: readonly AccessSide[]): Generator<Path> {
  const [before, after] = sides;
  for (const address of after?.view.addresses('subject') ?? []) yield address.slice('subject/'.length);
  for (const address of before === after ? [] : (before?.view.addresses('subject') ?? []))
    if (after?.view.get(address) === undefined) yield address.slice('subject/'.length);
}

function knownTypes(named: readonly string[]): Set<string> {
  const types = new Set(named);
  types.delete(EVERY_TYPE);
  types.delete(OTHER_TYPE);
  return types.add(OTHER_TYPE);
}

function typeOfSubject(path: Path): string {
  return decodeSegment(path.slice(0, path.indexOf('/')));
}
