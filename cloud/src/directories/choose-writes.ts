import { ProblemError } from '@authz-service/core/problem';
import type { Change } from '@authz-service/core/state/change';
import { ownerOf } from '../auth/demand-directory.js';
import type { Cloud } from '../cloud.js';
import type { Loss } from '../store/directory-store.js';
import type { Tenant } from '../tenants/tenant.js';
import { Brake, heldId, LossesOfCommit, NO_LOSS, sizeOf } from './brake.js';
import type { DirectoryView } from './directory-view.js';
import type { Waiting } from './directory-write.js';
import type { PlannedWrite } from './planned-write.js';
import { viewNow } from './view-of.js';

/** A commit takes no more requests once it has so many changes: decisions wait while the engine takes them over. */
const CHANGES_MAX = 200;

/** A write that a commit takes. */
export interface Chosen {
  /** The part of its loss that counts. */
  loss: Loss;
  /** The id of the held change that it is, if an operator has let that through. */
  releases?: string;
  waiting: Waiting;
  planned: PlannedWrite;
}

/** The writes of one commit, those that wait for the next, and those that are refused. */
export interface Choice {
  chosen: Chosen[];
  later: Waiting[];
  refused: Map<Waiting, unknown>;
}

/**
 * Plans each write at the tenant's revision, which must stay as it is meanwhile, beside other requests. A write about what
 * another one changes has to wait, and so has what would make the commit too large.
 */
export async function chooseWrites(cloud: Cloud, tenant: Tenant, joined: readonly Waiting[]): Promise<Choice> {
  const choice: Choice = { chosen: [], later: [], refused: new Map() };
  const [first] = joined;
  if (first === undefined) return choice;
  const { directory } = first.credential;
  const view = viewNow(tenant, directory, cloud.now());
  const losses = new LossesOfCommit(view);
  const taken = new Set<string>();
  let brake: Promise<Brake> | undefined;
  let changes = 0;
  for (const waiting of joined) {
    if (changes >= CHANGES_MAX) {
      choice.later.push(waiting);
      continue;
    }
    try {
      const planned = await cloud.slicing.run(planning(view, waiting), tenant.id);
      const names = [...planned.claims, ...planned.changes.flatMap(namesOf)];
      if (names.some((name) => taken.has(name))) {
        choice.later.push(waiting);
        continue;
      }
      const { loss, take } = losses.of(planned.changes);
      // Most writes take nothing away.
      if (sizeOf(loss) > 0) brake ??= Brake.read(cloud.store, tenant.id, ownerOf(directory), cloud.now());
      const released = judged(view, losses.taken, { loss, changes: planned.changes }, await brake);
      if (!waiting.charged) waiting.charge(planned.changes.length);
      waiting.charged = true;
      for (const name of names) taken.add(name);
      changes += planned.changes.length;
      const counted = released === undefined ? loss : NO_LOSS;
      take(counted);
      choice.chosen.push({ waiting, planned, loss: counted, ...(released !== undefined && { releases: released }) });
    } catch (error) {
      choice.refused.set(waiting, error);
    }
  }
  return choice;
}

// biome-ignore lint/correctness/useYield: it is one step.
function* planning(view: DirectoryView, { plan }: Waiting): Generator<undefined, PlannedWrite> {
  return plan(view);
}

/** Returns the id of the held change that this is, if an operator has let that through. Throws what the brake says. */
function judged(
  view: DirectoryView,
  pending: Loss,
  change: { loss: Loss; changes: Change[] },
  brake: Brake | undefined,
): string | undefined {
  if (sizeOf(change.loss) === 0) return undefined;
  if (brake === undefined) throw new Error('the brake is not read yet');
  const id = heldId(change.changes);
  const decision = brake.decided(id);
  if (decision === 'discarded') throw discarded(view);
  if (decision !== undefined) return id;
  brake.admit(view, pending, change);
  return undefined;
}

function discarded({ directory }: DirectoryView): ProblemError {
  return new ProblemError(
    'conflict',
    `The brake of the directory "${directory.name}" held this change, and an operator has discarded it: undo it at its source.`,
  );
}

function namesOf(change: Change): string[] {
  if (change.op === 'create') return [JSON.stringify([change.kind, change.fields])];
  return change.op === 'move' ? [change.from, change.to] : [change.address];
}
