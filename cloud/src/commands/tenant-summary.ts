import { compareTexts, sortedInSteps } from '@authz-service/core/collections/sorted-in-steps';
import { eachInSteps } from '@authz-service/core/concurrency/time-slicing';
import { grantedBy } from '@authz-service/core/limits/foreign-link';
import { type Address, splitReference } from '@authz-service/core/records/address';
import type { StoredRecord } from '@authz-service/core/records/registry';
import type { Cloud } from '../cloud.js';
import type { ReadableTenant } from '../tenants/tenant.js';
import { atOneRevision } from './at-one-revision.js';

/** Links that end sooner than this count as expiring. */
const EXPIRING_DAYS = 30;
const DAY_MS = 86_400_000;
/** The most expiring links that are listed. */
const LISTED_MAX = 1000;
const STEP = 500;

type LinkRecord = StoredRecord<'role_assignment' | 'policy_assignment' | 'group_membership'>;

/** A link that ends soon. */
interface ExpiringLink {
  address: Address;
  /** The address of the role, group or policy that it gives. */
  given: Address;
  /** The address of whom it is given to; `everyone/user` of everyone. */
  to: string;
  /** The name of the subject. */
  name?: string;
  /** RFC 3339. */
  expires_at: string;
}

/** Numbers about a tenant. */
export interface TenantSummary {
  revision: string;
  /** How many subjects have a record, by type; the largest first. */
  subjects: { type: string; count: number }[];
  /** How many roles and policies are given, by the application that these belong to, null for the tenant's; the largest first. */
  grants: { application: string | null; count: number }[];
  /** Links that end within 30 days, the next one first. */
  expiring: { count: number; per_day: number[]; links: ExpiringLink[] };
  /** Each application, with when all of its access was last signed off (RFC 3339); those that wait longest come first. */
  reviews: { application: string; signed_off_at: string | null }[];
}

/** Counts what a tenant has, and finds what needs attention by `now` (milliseconds since the epoch). */
export async function tenantSummary(cloud: Cloud, tenant: ReadableTenant, now: number): Promise<TenantSummary> {
  const signedOff = await cloud.store.lastSignOffs(tenant.id, 'application');
  const { revision, found: counted } = await atOneRevision(cloud, tenant, () => count(tenant, now));
  const reviews = counted.applications
    .map((application) => ({ application, signed_off_at: signedOff.get(`application/${application}`) ?? null }))
    .sort((left, right) => compareTexts(left.signed_off_at ?? '', right.signed_off_at ?? ''));
  const { subjects, grants, expiring } = counted;
  return { revision, subjects, grants, expiring, reviews };
}

function* count({ state }: ReadableTenant, now: number) {
  const types = new Map(state.subjectsOfType);
  const grants = new Map<string | null, number>();
  const ending: { link: LinkRecord; given: Address; ends: number }[] = [];
  const perDay = Array.from({ length: EXPIRING_DAYS }, () => 0);
  const applications = [...state.records('application')].map(({ address }) => splitReference(address).path).sort();
  const add = <K>(counts: Map<K, number>, key: K) => counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const kind of ['role_assignment', 'policy_assignment', 'group_membership'] as const)
    yield* eachInSteps(state.records(kind), STEP, (record) => {
      const link = record as LinkRecord;
      const given = grantedBy(link);
      const ends = link.fields.expires_at === undefined ? Number.POSITIVE_INFINITY : Date.parse(link.fields.expires_at);
      if (given === undefined || ends <= now) return;
      if (kind !== 'group_membership') add(grants, applicationOf(given));
      if (ends >= now + EXPIRING_DAYS * DAY_MS) return;
      const day = Math.floor((ends - now) / DAY_MS);
      perDay[day] = (perDay[day] ?? 0) + 1;
      ending.push({ link, given, ends });
    });
  const sorted = yield* sortedInSteps(
    ending,
    (left, right) => left.ends - right.ends || compareTexts(left.link.address, right.link.address),
  );
  const links = sorted.slice(0, LISTED_MAX).map(({ link, given, ends }): ExpiringLink => {
    const to = `${link.fields.entity_type}/${link.fields.entity}`;
    const name = nameOf(to, state);
    const named = name === undefined ? {} : { name };
    return { address: link.address, given, to, ...named, expires_at: new Date(ends).toISOString() };
  });
  const largest = (left: { count: number }, right: { count: number }) => right.count - left.count;
  return {
    applications,
    subjects: [...types].map(([type, of]) => ({ type, count: of })).sort(largest),
    grants: [...grants].map(([application, of]) => ({ application, count: of })).sort(largest),
    expiring: { count: ending.length, per_day: perDay, links },
  };
}

function nameOf(to: string, state: ReadableTenant['state']): string | undefined {
  const record = to.startsWith('subject/') ? state.get(to) : undefined;
  return record?.kind === 'subject' ? record.fields.name : undefined;
}

/** `billing` of `role/billing/clerk`; null of `role/auditor`. */
function applicationOf(given: Address): string | null {
  const [, first = '', second] = given.split('/');
  return second === undefined ? null : decodeURIComponent(first);
}
