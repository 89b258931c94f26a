import { randomUUID } from 'node:crypto';
import type { Manifest } from '@authz-service/core/manifest/manifest';
import { planChanges } from '@authz-service/core/plan/changes';
import { plan as diff } from '@authz-service/core/plan/diff';
import type { Plan } from '@authz-service/core/plan/plan';
import { ProblemError } from '@authz-service/core/problem';
import { type BrokenRule, brokenRules } from '@authz-service/core/questions/access-rules/violation';
import type { Address } from '@authz-service/core/records/address';
import type { StoredRecord } from '@authz-service/core/records/registry';
import type { Staged } from '@authz-service/core/state/change';
import { equalJson } from '@authz-service/core/state/equal-json';
import type { ServiceClient } from '@authz-service/sdk/client';
import type { ChangesetRequest, DeclaredOrigins, TenantSnapshot, WhoAmI } from '@authz-service/sdk/wire';
import { checkConsent } from './consent.js';
import { type CredentialsSink, keepSecrets } from './keep-secrets.js';
import { preflight, removesForeign } from './preflight.js';
import { type CloudClient, type Progress, sendOnce } from './send-once.js';

export interface PlanOptions {
  takeOwnership?: boolean;
  /** Whether links of other stacks that grant what this stack owns are to be removed. */
  exclusive?: boolean;
  signal?: AbortSignal;
  /** The tenant, where reading it has begun already. */
  held?: Promise<HeldTenant>;
  /** Called with the number of the tenant's records when they have arrived, before they are compared. */
  onState?: (records: number) => void;
  /** Whether a plan that breaks access rules is given with its refusal, and not only refused. */
  showRefused?: boolean;
}

/** A plan with the records of the tenant before and after it. */
export interface PlannedStates {
  plan: Plan;
  /** Why access rules refuse it, with `showRefused`. */
  refused?: ProblemError;
  before: readonly StoredRecord[];
  after(): readonly StoredRecord[];
}

/** The records of a tenant, and what the credential may do there. */
export interface HeldTenant {
  state: TenantSnapshot;
  whoami: WhoAmI;
}

/**
 * Begins to read the tenant, so that the service works while the caller reads the tree. A failure is told to whoever waits
 * for the result, and to nobody if nobody does.
 */
export function readTenant(
  client: Pick<ServiceClient, 'state' | 'whoami'>,
  signal: AbortSignal | undefined,
): Promise<HeldTenant> {
  const call = signal === undefined ? {} : { signal };
  const held = Promise.all([client.state(call), client.whoami(call)]).then(([state, whoami]) => ({ state, whoami }));
  held.catch(() => {});
  return held;
}

/**
 * The difference between what the manifest declares and what the tenant holds. Everything that the cloud would refuse
 * at this revision is refused here already: another tenant, other owners' records, what lies outside the
 * credential's limits, removals of records that others still mention, references to records that nobody declares.
 *
 * Throws `ProblemError`: `conflict`, `not_owner`, `outside_limits`, `invalid_records`, and what the client throws.
 */
export async function planTree(
  client: Pick<ServiceClient, 'state' | 'whoami'>,
  manifest: Manifest,
  options: PlanOptions = {},
): Promise<Plan> {
  return (await planStates(client, manifest, options)).plan;
}

/** Does what `planTree` does, and tells the records that it was found from, and those that it gives. */
export async function planStates(
  client: Pick<ServiceClient, 'state' | 'whoami'>,
  manifest: Manifest,
  options: PlanOptions = {},
): Promise<PlannedStates> {
  const { signal, takeOwnership = false, exclusive = false } = options;
  const { state, whoami } = await (options.held ?? readTenant(client, signal));
  const { credential, limits } = whoami;
  options.onState?.(state.records.length);
  const plan = diff(manifest, state, { takeOwnership, exclusive });
  const writer = limits && { name: credential.name, limits };
  let refused: ProblemError | undefined;
  let staged: Staged;
  try {
    staged = preflight(plan, manifest, state, { writer });
  } catch (error) {
    if (!options.showRefused || !(error instanceof ProblemError) || error.code !== 'access_rule_violated') throw error;
    refused = error;
    staged = preflight(plan, manifest, state, { writer, reportRules: true });
  }
  const broken = refused === undefined ? brokenRules(staged.warnings) : [];
  return {
    ...(refused && { refused }),
    plan: { ...plan, ...(broken.length > 0 && { broken_rules: broken }) },
    before: state.records,
    after: () => afterwards(state.records, staged),
  };
}

/** The records of a state once a change-set is made. */
function afterwards(before: readonly StoredRecord[], { put, remove }: Staged): readonly StoredRecord[] {
  if (put.length === 0 && remove.length === 0) return before;
  const records = new Map(before.map((record) => [record.address, record]));
  // Addresses may trade places: all that goes goes first.
  for (const { address } of remove) records.delete(address);
  for (const { previous } of put) if (previous !== undefined) records.delete(previous.address);
  for (const { record } of put) records.set(record.address, record);
  return [...records.values()];
}

export interface ApplyOptions {
  /** The places of the records that the plan writes. */
  origins?: DeclaredOrigins;
  /** Consent to the plan's removals. */
  prune?: boolean;
  /** Consent to taking over records of other stacks. */
  takeOwnership?: boolean;
  /** Consent to removing links of other stacks. */
  exclusive?: boolean;
  /**
   * Receives the secrets of the credentials that the plan creates, before `applyPlan` resolves. It must be ready to
   * keep them as soon as it is called: the service shows them only once.
   */
  credentialsSink?: CredentialsSink;
  /**
   * Plans again if the tenant has changed meanwhile. If the plan stays the same, it is applied to the new base. Without
   * this option (for a saved plan), a changed base is refused.
   */
  replan?: () => Promise<Plan>;
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
}

export interface ApplyResult {
  revision: string;
  added: number;
  changed: number;
  removed: number;
  unchanged: number;
  created: { address: Address; id: string }[];
  /** The credentials that were created; their secrets went to the sink. */
  credentials: { address: Address; id: string }[];
  /** Access rules that it broke and that did not refuse it. */
  broken_rules: readonly BrokenRule[];
}

/** How often a tenant may change during an apply that plans again before the apply gives up. */
const REPLANS_MAX = 5;

/**
 * Makes exactly the plan's changes on exactly its base, in one change-set: all or none.
 *
 * Throws `ProblemError`: `conflict` before anything is sent, if consent (or a sink for secrets) is missing;
 * `stale_base` if the tenant has changed and the plan with it; and what the client throws. Throws `Interrupted` when
 * the signal aborts, saying whether the changes were made.
 */
export async function applyPlan(client: CloudClient, plan: Plan, options: ApplyOptions = {}): Promise<ApplyResult> {
  checkConsent(plan, options);
  let current = plan;
  for (let replans = 0; ; replans++) {
    try {
      const result = await sendOnce(client, current, changesetOf(current, options.origins), randomUUID(), options);
      await keepSecrets(result, options.credentialsSink);
      return {
        revision: result.revision,
        added: result.added,
        changed: result.changed,
        removed: result.removed,
        unchanged: plan.counts.unchanged,
        created: result.created,
        credentials: result.secrets.map(({ address, id }) => ({ address, id })),
        broken_rules: result.broken_rules ?? [],
      };
    } catch (error) {
      if (!(error instanceof ProblemError) || error.code !== 'stale_base') throw error;
      if (options.replan === undefined) throw staleSavedPlan(plan, error);
      if (replans === REPLANS_MAX) throw error;
      options.onProgress?.({ phase: 'replanning' });
      current = await options.replan();
      if (!sameWork(plan, current)) throw movedOn(plan, current, error);
    }
  }
}

function changesetOf(plan: Plan, origins: DeclaredOrigins | undefined): ChangesetRequest {
  return {
    base_revision: plan.base_revision,
    stack: plan.stack,
    take_ownership: plan.changes.some((change) => 'taken_from' in change && change.taken_from !== undefined),
    exclusive: removesForeign(plan),
    ...(origins && { origins }),
    changes: planChanges(plan),
  };
}

/** Whether two plans make the same changes; their bases and what they leave alone may differ. */
function sameWork(one: Plan, other: Plan): boolean {
  const work = ({ tenant, stack, changes, followers }: Plan) => ({ tenant, stack, changes, followers });
  return equalJson(work(one), work(other));
}

function staleSavedPlan(plan: Plan, cause: ProblemError): ProblemError {
  return new ProblemError(
    'stale_base',
    `The plan was made for revision ${plan.base_revision} of tenant "${plan.tenant}", which has changed since: ` +
      'nothing was changed. "servicectl audit" shows those changes; plan again, review the new plan, and apply that one.',
    cause.errors,
    { cause },
  );
}

function movedOn(plan: Plan, now: Plan, cause: ProblemError): ProblemError {
  return new ProblemError(
    'stale_base',
    `Tenant "${plan.tenant}" changed from revision ${plan.base_revision} to ${now.base_revision} meanwhile, and the plan ` +
      'is no longer the one that was shown: nothing was changed. Plan again and apply the new plan.',
    cause.errors,
    { cause },
  );
}
