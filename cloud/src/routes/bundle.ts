import { DELTA_MANIPULATION } from '@authz-service/core/bundle/format';
import { ProblemError } from '@authz-service/core/problem';
import {
  compareTokens,
  epochNumber,
  findRevisionNumber,
  isToken,
  splitToken,
  tokenOf,
} from '@authz-service/core/state/revision';
import { AGENT_HEADER, type AgentReport } from '@authz-service/pdp/contract/agent-report';
import { isPublisher } from '@authz-service/pdp/contract/publisher-id';
import * as z from 'zod';
import { authenticate } from '../auth/authenticate.js';
import { type Credential, demand, holds } from '../auth/credential.js';
import { EVERY_TENANT } from '../bundles/watch.js';
import type { Cloud } from '../cloud.js';
import { type BundledTenants, bundledTenants, bundleOf } from '../commands/bundle-for.js';
import { followTenant } from '../commands/follow-tenant.js';
import { assertStillValid } from '../console/assert-still-valid.js';
import { reporterOf, reportIn } from '../fleet/fleet.js';
import { acceptsManipulation } from '../http/instance-manipulation.js';
import { preferredWait } from '../http/prefer.js';
import { matches, type Reply, strongTags, versioned } from '../http/reply.js';
import { type Route, type SecuredCall, secured } from '../http/route.js';
import type { Tenant } from '../tenants/tenant.js';

/** Shorter than the time after which proxies drop a silent connection, usually a minute. */
const WAIT_SECONDS_MAX = 50;

const querySchema = z.strictObject({
  tenant: z.string().optional().meta({ description: 'For operators: only this tenant, by its name or id.' }),
});

type BundleCall = SecuredCall<z.output<typeof querySchema>>;

export function bundleRoutes(cloud: Cloud): Route[] {
  /** The tenants for which the log already says that agents hold a revision that the tenant never had. */
  const diverged = new Set<string>();
  return [
    secured<z.output<typeof querySchema>>({
      method: 'GET',
      path: '/v1/policies/bundle',
      anyOf: ['bundle'],
      polls: true,
      query: querySchema,
      operation: {
        id: 'fetchBundle',
        summary:
          "The tenant's policy bundle as a tar.gz archive; an operator's holds all tenants, and names those that cannot be read (`unreadable`).",
        tag: 'decisions',
        responses: {
          200: {
            description:
              'The archive: `bundle.json`, and its signature `bundle.jws`. Bundle-Diverged names a revision in If-None-Match that the tenant never had, as after a restore from an older backup.',
            type: 'application/gzip',
          },
          226: {
            description:
              'The changes since the revision that Delta-Base names (RFC 3229): an archive with `delta.json`, and its signature `delta.jws`. The ETag is that of the bundle after the changes.',
            type: 'application/gzip',
          },
        },
        headers: {
          [AGENT_HEADER]:
            'What an agent says about itself, as a query string: `id`, `name`, `version`, `tenant`, `revision`, `age`, `max_age`, `error`. `/v1/agents` lists it; an `id` that begins with `publisher:` is that of who distributes the bundle to readers that nobody knows. Without one, or with one that is malformed, the list counts as incomplete for ten minutes.',
          'If-None-Match': 'The ETag of an earlier answer: 304 while it is the newest.',
          'A-IM': `With If-None-Match, \`${DELTA_MANIPULATION}\` accepts the changes since that revision instead of the bundle, if they are known and smaller (226, whose ETag may be of a revision before the newest: ask again); otherwise the whole bundle is sent. Never for an operator's bundle of several tenants.`,
          Prefer: `With If-None-Match, \`wait=N\` holds the answer until there is a newer bundle, for at most N seconds (${WAIT_SECONDS_MAX} at most); Preference-Applied says so.`,
        },
        problems: ['not_found', 'conflict', 'storage_failed'],
      },
      handle: async (call) => {
        const { headers } = call;
        const wanted = preferredWait(headers.prefer);
        const wait = wanted === undefined ? undefined : Math.min(wanted, WAIT_SECONDS_MAX);
        if (wait !== undefined) await cloud.tenants.watch.turn();
        let bundled = await tenantsOf(cloud, call, call.credential);
        const had = headers['if-none-match'];
        const named = had === undefined ? [] : strongTags(had);
        const report = reportIn(headers[AGENT_HEADER.toLowerCase()]);
        if (report !== undefined)
          await cloud.agentOwners.assertOwn(report, bundled.tenants, bundled.unreadable.length > 0, call);
        await cloud.fleet.asked(revisedReport(cloud, report, bundled, named), bundled, reporterOf(call.credential));
        assertHeard(cloud, report);
        await catchUpWith(cloud, bundled.tenants, had);
        const endsAt = performance.now() + (wait ?? 0) * 1000;
        const isSame = () => had !== undefined && matches(had, `"${bundleOf(cloud, bundled, named).name}"`, 'weak');
        let isFollowing = wait !== undefined && isSame();
        while (isFollowing) {
          const before = bundled.slice?.of;
          const ms = endsAt - performance.now();
          await cloud.tenants.watch.next(watchedBy(call, bundled.tenants), { ms, onGone: call.onGone });
          // The commit that ended the wait may have removed the credential that waits.
          const credential = await authenticate(headers.authorization, cloud);
          demand(credential, ['bundle']);
          assertHeard(cloud, report);
          bundled = await tenantsOf(cloud, call, credential);
          // A commit outside of a slice is none of the agent's business, but it is then at the newest revision.
          isFollowing =
            bundled.slice !== undefined && bundled.slice.of !== before && isSame() && endsAt > performance.now();
          if (isFollowing)
            await cloud.fleet.asked(revisedReport(cloud, report, bundled, named), bundled, reporterOf(credential));
        }
        await upToDate(bundled);
        let bundle = bundleOf(cloud, bundled, named);
        const { tenants } = bundled;
        // It is read in the turn that names the bundle: later, there may be a newer one.
        let at = newestAt(cloud, tenants);
        if (at === undefined) {
          await cloud.refresh(...tenants).catch(() => undefined);
          await upToDate(bundled);
          bundle = bundleOf(cloud, bundled, named);
          at = newestAt(cloud, tenants);
        }
        const { kid } = cloud.bundleKeys;
        const delta = acceptsManipulation(headers['a-im'], DELTA_MANIPULATION);
        const bases = delta ? named : [];
        // A publisher tells its readers when what it has was the newest.
        const how = { onlyNewest: report !== undefined && isPublisher(report.id) };
        const reply = await versioned(had, `"${bundle.name}"`, () => answerOf(bundle, bases, how));
        const answered: Record<string, string> = { ...reply.headers, 'bundle-key': kid };
        const leadsToNewest = answered.etag === `"${bundle.name}"`;
        if (at !== undefined && leadsToNewest) {
          const newest = { tenant: bundle.tenant, bundle: bundle.name, of: bundle.of };
          answered['bundle-newest'] = await cloud.newestStatements.of(newest, at);
        }
        if (wait !== undefined) answered['preference-applied'] = `wait=${wait}`;
        const [base] = reply.status === 200 ? named : [];
        // The name of a slice is in no history, but its agent reports the tenant's revision.
        const held = report?.revision ?? (bundled.slice === undefined ? base : undefined);
        if (base !== undefined && held !== undefined && (await bundle.divergesFrom(held))) {
          answered['bundle-diverged'] = `"${base}"`;
          const [tenant] = tenants;
          if (tenant !== undefined && !diverged.has(tenant.id)) {
            diverged.add(tenant.id);
            call.log.warn({ tenant: tenant.name, held, offered: bundle.name }, DIVERGED);
          }
        }
        return { ...reply, headers: answered };
      },
    }),
  ];
}

const DIVERGED =
  'an agent holds a revision that this tenant never had: if the database was restored from an older backup on ' +
  'purpose, agents follow it once it declares a new epoch, or with SERVICE_ALLOW_ROLLBACK=true';

/** Resolves in a turn in which the slice is that of the tenant's present revision, as its name says. */
async function upToDate({ slice }: BundledTenants): Promise<void> {
  while (slice?.isCurrent === false) await slice.follow();
}

/** An agent whose slice is the newest enforces the tenant's newest revision, whatever it was called when it last heard of it. */
function revisedReport(
  { bundleKeys }: Cloud,
  report: AgentReport | undefined,
  { slice }: BundledTenants,
  had: readonly string[],
): AgentReport | undefined {
  if (report?.revision === undefined || slice === undefined) return report;
  const { epochName } = bundleKeys;
  const isNewest = had.map(splitToken).some(({ revision, epoch }) => epoch === epochName && slice.isAt(revision));
  const revision = tokenOf(slice.of, epochName);
  // Another replica may have been ahead of this one.
  return isNewest && (!isToken(report.revision) || compareTokens(revision, report.revision) > 0)
    ? { ...report, revision }
    : report;
}

/**
 * An agent with a maximum age counts as past it once the database has not heard of it for that long. What keeps it young
 * must therefore come from a process that others hear of, and that hears of others.
 */
function assertHeard(cloud: Cloud, report: AgentReport | undefined): void {
  if (report?.max_age === undefined) return;
  cloud.assertFollowing();
  if (!cloud.fleet.isUnwritten) return;
  throw new ProblemError(
    'not_ready',
    'This process cannot note in its database that the agent has asked: ask again, or ask another replica.',
  );
}

/** The latest time at which all of these tenants were known to be at their newest revisions. */
function newestAt(cloud: Cloud, tenants: readonly Tenant[]): number | undefined {
  const known = tenants.map(({ id }) => cloud.newestAt(id));
  return known.reduce((least, at) => (least === undefined || at === undefined ? undefined : Math.min(least, at)));
}

/** An agent may have got its bundle from another replica, which was faster: none is answered from before that. */
async function catchUpWith(cloud: Cloud, [tenant, ...others]: Tenant[], had: string | undefined): Promise<void> {
  if (!cloud.store.shared || tenant === undefined || others.length > 0 || had === undefined) return;
  const tokens = strongTags(had).map(splitToken);
  if (tokens.some(({ epoch }) => epochNumber(epoch) > epochNumber(cloud.bundleKeys.epochName))) await cloud.refresh();
  const newest = Math.max(...tokens.map(({ revision }) => findRevisionNumber(revision) ?? 0));
  if (newest > tenant.revisionNumber) await tenant.exclusive(() => followTenant(cloud, tenant));
}

/** The changes since one of the bases, or else the whole bundle. */
async function answerOf(
  bundle: ReturnType<typeof bundleOf>,
  bases: readonly string[],
  how: { onlyNewest: boolean },
): Promise<Reply> {
  const type = 'application/gzip';
  for (const base of bases) {
    const delta = bundle.packSince(base, how);
    if (delta === undefined) continue;
    // A cache that does not know deltas must not mistake one for the bundle (RFC 3229 section 5.5).
    const headers = {
      ...{ im: DELTA_MANIPULATION, 'delta-base': `"${base}"`, 'cache-control': 'no-store, im' },
      ...(delta.to !== undefined && { etag: `"${delta.to}"` }),
    };
    return { status: 226, headers, body: { type, content: await delta.archive } };
  }
  return { status: 200, body: { type, content: await bundle.pack() } };
}

/** The tenants in the caller's bundle. Reading them may take long: the credential must still stand after that. */
async function tenantsOf(cloud: Cloud, { query }: BundleCall, credential: Credential): Promise<BundledTenants> {
  const operator = holds(credential, 'operator');
  const { tenant, applications } = credential;
  const bundled = await bundledTenants(cloud, { tenant, operator, applications, wanted: query.tenant });
  await assertStillValid(cloud, credential, cloud.now());
  return bundled;
}

/** The tenants whose commits change the bundle: an operator's changes with every tenant, including future ones. */
function watchedBy({ credential, query }: BundleCall, [only]: Tenant[]): string {
  const one = query.tenant !== undefined || !holds(credential, 'operator');
  return one && only ? only.id : EVERY_TENANT;
}
