import type { SideRecord, TenantSide } from '../../../access/universe/side.js';
import { append } from '../../../collections/append.js';
import { type Address, type Path, splitAddress, typeOfResource } from '../../../records/address.js';
import type { Finding } from '../api/finding.js';
import type { Impact } from '../api/impact.js';
import { HeldApplications } from './held-applications.js';

/** A kind of link that many subjects got or lost: a role, a policy or a group. */
export interface GroupLink {
  readonly change: 'added' | 'removed';
  /** The granted role, group or policy. */
  readonly grants: Address;
  /** The type of the resources that a role was given on. */
  readonly place_type?: Path;
}

/** One of the subjects whose combination of features is the rarest in its group. */
export interface RareSubject {
  readonly subject: Path;
  /** Recorded resources of the group that it gains or loses something on. */
  readonly resources: number;
  /** The first of them. */
  readonly first: readonly Path[];
  /** Whether it held no role or policy of the application before. */
  readonly newcomer: boolean;
  /** How many subjects of the group share its combination. */
  readonly alike: number;
}

/** Findings that differ only in who and on which resources, summed up (docs/impact.md). */
export interface FindingGroup {
  /** The ids of the findings, worst first. */
  readonly findings: readonly string[];
  /** Distinct recorded subjects, by type. */
  readonly subjects: Readonly<Record<string, number>>;
  /** Distinct recorded resources. */
  readonly resources: number;
  /** The fewest and the most resources of one subject. */
  readonly each: readonly [number, number];
  readonly triples: number;
  readonly exact: boolean;
  /** The stack of the changed records, where records of several stacks change. */
  readonly stack?: string;
  /** Set where the subjects are exactly those whose links of one kind changed. */
  readonly link?: GroupLink;
  /** At most ten. */
  readonly rarest: readonly RareSubject[];
}

/** The least number of similar findings that are summed up, or of subjects named in one. */
const FINDINGS_MIN = 4;
const SUBJECTS_MIN = 12;
const RAREST = 10;
const RESOURCES_NAMED = 3;

/**
 * Sums up findings that say the same of many subjects or resources, apart for each stack whose records change. The others
 * are in no group.
 */
export function groupFindings(
  findings: readonly Finding[],
  impact: Pick<Impact, 'subjectsOf' | 'resourcesOf'>,
  { before, after }: { before: TenantSide; after: TenantSide },
): FindingGroup[] {
  const alike = new Map<string, Finding[]>();
  const stackOf = stacksOf(findings, before, after);
  for (const finding of findings) if (isPlain(finding)) append(alike, shapeOf(finding, stackOf(finding)), finding);
  const large = [...alike.values()].filter(
    (group) => group.length >= FINDINGS_MIN || (group[0] as Finding).subjects.principals.length >= SUBJECTS_MIN,
  );
  if (large.length === 0) return [];
  const held = new HeldApplications(before.records);
  const apart = large.some(([first]) => stackOf(first as Finding) !== undefined);
  const links = changedLinks(before, after, apart);
  return large.map((group) => {
    const [first, ...others] = group as [Finding, ...Finding[]];
    const stack = stackOf(first);
    return { ...groupOf([first, ...others], impact, held, links), ...(stack !== undefined && { stack }) };
  });
}

/**
 * The stack of the records that bring a finding. Undefined where it is not known, where there are several, and where all
 * findings come from one stack.
 */
function stacksOf(
  findings: readonly Finding[],
  before: TenantSide,
  after: TenantSide,
): (finding: Finding) => string | undefined {
  const owners = new Map<Address, string | undefined>();
  for (const { causes } of findings) for (const { address } of causes.flat()) owners.set(address, undefined);
  for (const { records } of [before, after])
    for (const { address, managed_by: owner } of records) if (owners.has(address)) owners.set(address, owner);
  if (new Set(owners.values()).size < 2) return () => undefined;
  return ({ causes }) => {
    const [owner, ...others] = new Set(causes.flat().map(({ address }) => owners.get(address)));
    return others.length === 0 ? owner : undefined;
  };
}

/** Whether a finding is about nobody but recorded subjects, each by name. */
function isPlain({ subjects }: Finding): boolean {
  return (
    subjects.named_role === undefined &&
    subjects.unrecorded.length === 0 &&
    subjects.principals.every(({ principal }) => principal.startsWith('subject/'))
  );
}

/** A finding without its subjects and the names of its resources. */
function shapeOf(finding: Finding, stack: string | undefined): string {
  const { change, actions, actions_except, condition, condition_before, from, until, risks, causes } = finding;
  const [cause = []] = finding.causes;
  const resources = finding.resources.map(({ names: _, recorded, ...rest }) =>
    rest.which === 'named' ? rest : { ...rest, recorded },
  );
  const links = new Set(cause.map(({ address, change: how }) => `${how} ${sortOf(address)}`));
  return JSON.stringify([
    ...[change, actions, actions_except ?? null, condition, condition_before ?? null, from, until, risks],
    ...[resources, [...links].sort(), Math.min(causes.length, 1), stack ?? null],
  ]);
}

/** The kind of a record, and of a link what it gives and where, without whom. */
function sortOf(address: Address): string {
  const [what = '', , place] = address.split('//');
  return place === undefined ? what : `${what}//${typeOfResource(place)}`;
}

interface ChangedLink {
  readonly link: GroupLink;
  /** For each subject, the resources that it holds the link on; none where it counts everywhere. */
  readonly places: Map<Path, Set<Path>>;
}

/** The kinds of links that changed; `apart` tells those of several stacks apart. */
function changedLinks(before: TenantSide, after: TenantSide, apart: boolean): ChangedLink[] {
  const found = new Map<string, ChangedLink>();
  const old = new Set<Address>();
  for (const { address } of before.records) old.add(address);
  const present = new Set<Address>();
  for (const { address } of after.records) present.add(address);
  const note = ({ address, managed_by: stack }: SideRecord, change: 'added' | 'removed') => {
    const [what = '', whom = '', place] = address.split('//');
    if (!whom.startsWith('subject/')) return;
    const { kind, path } = splitAddress(what);
    const granted = GRANTED[kind];
    if (granted === undefined) return;
    const key = JSON.stringify([change, sortOf(address), (apart && stack) || null]);
    let one = found.get(key);
    if (one === undefined) {
      const type = place === undefined ? {} : { place_type: typeOfResource(place) };
      one = { link: { change, grants: `${granted}/${path}`, ...type }, places: new Map() };
      found.set(key, one);
    }
    const subject = whom.slice('subject/'.length);
    const places = one.places.get(subject) ?? new Set();
    one.places.set(subject, place === undefined ? places : places.add(place));
  };
  for (const record of after.records) if (!old.has(record.address)) note(record, 'added');
  for (const record of before.records) if (!present.has(record.address)) note(record, 'removed');
  return [...found.values()];
}

const GRANTED: { readonly [kind: string]: string } = {
  role_assignment: 'role',
  policy_assignment: 'policy',
  group_membership: 'group',
};

function groupOf(
  findings: readonly [Finding, ...Finding[]],
  impact: Pick<Impact, 'subjectsOf' | 'resourcesOf'>,
  held: HeldApplications,
  links: readonly ChangedLink[],
): FindingGroup {
  const resourcesOf = new Map<Path, Set<Path>>();
  const all = new Set<Path>();
  for (const finding of findings) {
    const resources = impact.resourcesOf(finding);
    for (const resource of resources) all.add(resource);
    for (const subject of impact.subjectsOf(finding)) {
      const own = resourcesOf.get(subject) ?? new Set();
      for (const resource of resources) own.add(resource);
      resourcesOf.set(subject, own);
    }
  }
  const counts = new Map<string, number>();
  for (const subject of resourcesOf.keys()) counts.set(typeOf(subject), (counts.get(typeOf(subject)) ?? 0) + 1);
  const sizes = [...resourcesOf.values()].map(({ size }) => size);
  const link = links.find((one) => isLinkOf(one, findings, resourcesOf))?.link;
  const [{ resources }] = findings;
  const application = resources[0]?.type.split('/')[0] ?? '';
  return {
    findings: findings.map(({ id }) => id),
    subjects: Object.fromEntries(counts),
    resources: all.size,
    each: [minimum(sizes), maximum(sizes)],
    triples: findings.reduce((sum, { triples }) => sum + triples, 0),
    exact: findings.every(({ exact }) => exact),
    ...(link && { link }),
    rarest: rarestOf(resourcesOf, (subject) => !held.has(subject, application)),
  };
}

/** Whether the links of one kind lead exactly the subjects of a group to exactly its resources. */
function isLinkOf(
  { link, places }: ChangedLink,
  findings: readonly Finding[],
  resourcesOf: ReadonlyMap<Path, ReadonlySet<Path>>,
): boolean {
  const [finding] = findings;
  const gains = finding !== undefined && finding.change !== 'lost' && finding.change !== 'narrowed';
  if (gains !== (link.change === 'added') || places.size !== resourcesOf.size) return false;
  for (const [subject, resources] of resourcesOf) {
    const own = places.get(subject);
    if (own === undefined) return false;
    if (link.place_type === undefined) continue;
    if (own.size !== resources.size || [...own].some((place) => !resources.has(place))) return false;
  }
  return true;
}

/** The subjects whose type, number of resources and past together are the rarest, each with how many share them. */
function rarestOf(
  resourcesOf: ReadonlyMap<Path, ReadonlySet<Path>>,
  isNewcomer: (subject: Path) => boolean,
): RareSubject[] {
  const counts = new Map<string, number>();
  const rows = [...resourcesOf].map(([subject, resources]) => {
    const newcomer = isNewcomer(subject);
    const key = JSON.stringify([typeOf(subject), resources.size, newcomer]);
    counts.set(key, (counts.get(key) ?? 0) + 1);
    return { subject, resources, newcomer, key };
  });
  rows.sort(
    (left, right) =>
      (counts.get(left.key) ?? 0) - (counts.get(right.key) ?? 0) ||
      right.resources.size - left.resources.size ||
      (left.subject < right.subject ? -1 : 1),
  );
  return rows.slice(0, RAREST).map(({ subject, resources, newcomer, key }) => ({
    subject,
    resources: resources.size,
    first: [...resources].sort().slice(0, RESOURCES_NAMED),
    newcomer,
    alike: counts.get(key) ?? 0,
  }));
}

function typeOf(subject: Path): string {
  return subject.slice(0, subject.indexOf('/'));
}

function minimum(numbers: readonly number[]): number {
  return numbers.reduce((least, one) => Math.min(least, one), Number.POSITIVE_INFINITY);
}

function maximum(numbers: readonly number[]): number {
  return numbers.reduce((most, one) => Math.max(most, one), 0);
}
