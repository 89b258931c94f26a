import type { Manifest } from '@authz-service/core/manifest/manifest';
import type { Plan } from '@authz-service/core/plan/plan';
import { type PlannedStates, planStates, planTree } from '@authz-service/provider/reconcile/reconcile';
import type { ServiceClient } from '@authz-service/sdk/client';
import type { DeclaredOrigins } from '@authz-service/sdk/wire';
import { accessOfPlan, gatesIn, gatesOf, NO_GATES } from '../plan/access-of-plan.js';
import { git } from '../tree/git.js';
import { loadGitTree, loadTree } from '../tree/load-tree.js';
import { placeRefusals } from '../tree/place-refusals.js';
import { relativePath } from '../tree/relative-path.js';
import { originsOf, written } from '../tree/tree-origins.js';
import { contains, inCommit, knownCommit } from './commit-folder.js';
import { commitOf, demandEnforced, type EnforcedCommit, newestChange, refused } from './enforced-commit.js';

/** An environment and its tenant. */
export interface Side {
  name: string;
  client: ServiceClient;
}

export interface Promotion {
  /** The commit by its full name, and the revision that it has in the environment that it comes from. */
  from: EnforcedCommit;
  plan: Plan;
  origins: DeclaredOrigins;
  /** Whether the environment that gets it has gates. */
  isGated: boolean;
}

export interface PromotionOptions {
  /** The folder of the tree in a checkout; it is read at the commit, whatever it holds now. */
  folder: string;
  now(): Promise<number>;
  onPhase(text: string): void;
  warn(text: string): Promise<void>;
  signal: AbortSignal;
}

/**
 * Plans to give an environment's tenant the commit that another one enforces. Throws `conflict` where that commit is not
 * known, not enforced for long enough, or behind what the tenant has, and where the first tenant is not as the commit says.
 */
export async function planPromotion(from: Side, to: Side, options: PromotionOptions): Promise<Promotion> {
  const { folder, warn, signal, onPhase } = options;
  onPhase('Looking for the commit');
  const prefix = await git(['-C', folder, 'rev-parse', '--show-prefix']);
  const head = await loadGitTree(`HEAD:${prefix.stdout.toString().trim()}`, async () => {}, from.name);
  const { stack } = head.manifest;
  const found = await commitOf(from.client, { name: from.name, stack, signal });
  const commit = await knownCommit(found, from.name);
  await demandForward(commit, to, { stack, signal });
  return await inCommit(commit, folder, async (at) => {
    onPhase(`Reading commit ${commit.slice(0, 10)}`);
    const shown = placesIn(at, folder);
    const before = await loadTree(at, async () => {}, { environment: from.name });
    const { manifest, placeOf, environmentPlaceOf } = await loadTree(at, warn, { environment: to.name });
    onPhase(`Comparing it with "${from.name}"`);
    await demandSame(from, before.manifest, commit);
    await demandEnforced(from.client, found, {
      ...{ name: from.name, soak: manifest.gates?.soak, signal },
      now: await options.now(),
    });
    onPhase(`Comparing it with "${to.name}"`);
    const states = await placeRefusals(planStates(to.client, manifest, { signal }), placeOf);
    const tree = {
      ...{ folder: at, environment: to.name },
      placeOf: shown(placeOf),
      environmentPlaceOf: shown(environmentPlaceOf),
    };
    return {
      from: { ...found, commit },
      isGated: gatesIn(gatesOf(NO_GATES, manifest)).length > 0,
      plan: await judged(states, manifest, tree, (text) => text.replaceAll(relativePath(at), folder)),
      origins: await originsOf(at, written(states.plan), placeOf, warn),
    };
  });
}

async function judged(
  states: PlannedStates,
  manifest: Manifest,
  tree: Parameters<typeof accessOfPlan>[1],
  shown: (text: string) => string,
): Promise<Plan> {
  const access = await accessOfPlan(states, tree, gatesOf(NO_GATES, manifest));
  if ('unavailable' in access || access.gates === undefined) return { ...states.plan, access };
  const gates = access.gates.map(({ detail, ...gate }) => ({ ...gate, detail: shown(detail) }));
  return { ...states.plan, access: { ...access, gates } };
}

/** Makes places in the folder of a commit places in the folder that it was made from. */
function placesIn(at: string, folder: string) {
  const prefix = relativePath(at);
  return <A extends unknown[], P extends { file: string }>(placeOf: (...args: A) => P | undefined) =>
    (...args: A): P | undefined => {
      const place = placeOf(...args);
      return place && { ...place, file: place.file.replace(prefix, folder) };
    };
}

/** Throws `conflict` where the tenant has what the commit does not contain: it would be taken back. */
async function demandForward(
  commit: string,
  { name, client }: Side,
  { stack, signal }: { stack: string; signal: AbortSignal },
): Promise<void> {
  const present = (await newestChange(client, { stack, signal }))?.source?.commit;
  if (present === undefined) return;
  const forward = await contains(commit, present);
  if (forward) return;
  if (forward === undefined)
    throw refused(`"${name}" has commit ${present}, which Git does not know here: run "git fetch"`);
  const isNewer = await contains(present, commit);
  throw refused(
    isNewer
      ? `"${name}" has ${present} already, which contains ${commit}: to go back, revert in Git and apply that`
      : `"${name}" has commit ${present}, which ${commit} does not contain, and would lose it: merge it first`,
  );
}

/** Throws `conflict` where a tenant is not as the commit that it came from says. */
async function demandSame({ name, client }: Side, manifest: Manifest, commit: string): Promise<void> {
  const { changes } = await planTree(client, manifest);
  const [first] = changes;
  if (first === undefined) return;
  const more = changes.length === 1 ? '' : ` and ${changes.length - 1} more`;
  const { address } = { address: 'to' in first ? String(first.to) : first.address };
  throw refused(
    `"${name}" is not as commit ${commit} says: ${address}${more} differ. Apply the tree there with -e ${name}, or revert what was changed by hand`,
  );
}
