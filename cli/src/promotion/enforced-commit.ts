import { ProblemError } from '@authz-service/core/problem';
import { durationMs } from '@authz-service/core/values/duration';
import type { ServiceClient } from '@authz-service/sdk/client';
import type { AuditEntry } from '@authz-service/sdk/wire';
import { UNLISTED } from '../enforcement/await-enforced.js';
import { counted, moment } from '../output/text.js';

/** The commit in Git that a tenant has from a stack, and the revision that it came with. */
export interface EnforcedCommit {
  commit: string;
  revision: string;
  /** RFC 3339, by the clock of the cloud. */
  at: string;
  repository?: string;
}

export interface CommitQuestion {
  /** The environment, as messages name it. */
  name: string;
  stack: string;
  signal: AbortSignal;
}

/** The newest change of a stack in a tenant; undefined where there is none. */
export async function newestChange(
  client: Pick<ServiceClient, 'audit'>,
  { stack, signal }: Pick<CommitQuestion, 'stack' | 'signal'>,
): Promise<AuditEntry | undefined> {
  for await (const entry of client.audit({ limit: 100, signal })) if (entry.stack === stack) return entry;
  return undefined;
}

/**
 * Finds the commit that a tenant's newest change of a stack came from. Throws `conflict` where it came from none, so that
 * nothing in Git is what the tenant has.
 */
export async function commitOf(
  client: Pick<ServiceClient, 'audit'>,
  { name, stack, signal }: CommitQuestion,
): Promise<EnforcedCommit> {
  const entry = await newestChange(client, { stack, signal });
  if (entry === undefined) throw refused(`"${name}" has no change of the stack "${stack}": apply the tree there first`);
  const { revision, at, source } = entry;
  const { commit, repository, uncommitted } = source ?? {};
  if (commit !== undefined) return { commit, revision, at, ...(repository !== undefined && { repository }) };
  const why = uncommitted
    ? 'came from files with changes that are in no commit'
    : 'does not say from which commit it came';
  throw refused(
    `the newest change of "${name}", revision ${revision} of ${moment(at)}, ${why}: commit the tree, and apply it there from a checkout`,
  );
}

/** Throws `conflict` unless every agent of the tenant enforces a revision, and it is as old as `soak` says. */
export async function demandEnforced(
  client: Pick<ServiceClient, 'agents'>,
  { revision, at }: EnforcedCommit,
  { name, soak, now, signal }: Pick<CommitQuestion, 'name' | 'signal'> & { soak: string | undefined; now: number },
): Promise<void> {
  const { enforced, total, enforcing, expired, publishers, complete } = await client.agents({
    enforces: revision,
    signal,
  });
  if (!enforced) {
    const behind = total - enforcing - expired;
    const who = !complete
      ? `there are agents beside the ${total} of the list. ${UNLISTED}`
      : behind > 0
        ? `${behind} of ${counted(total, 'agent')} may decide by an earlier revision: "servicectl agents" lists them`
        : `${counted(publishers, 'of them publishes', 'of them publish')} bundles as files, whose readers nobody knows`;
    throw refused(`revision ${revision} of "${name}" is not known to be enforced by every agent: ${who}`);
  }
  const soakMs = soak === undefined ? undefined : durationMs(soak);
  if (soakMs === undefined) return;
  const endsAt = Date.parse(at) + soakMs;
  if (now >= endsAt) return;
  throw refused(
    `"${name}" has revision ${revision} since ${moment(at)}, and the gate "soak: ${soak}" demands it until ${moment(new Date(endsAt).toISOString())}`,
  );
}

/** The refusal of a promotion; `why` has no full stop. */
export function refused(why: string): ProblemError {
  return new ProblemError('conflict', `Not promoted: ${why}.`);
}
