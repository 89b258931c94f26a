import { readNewest } from '@authz-service/core/bundle/newest';
import { bundlePath, deltaPath, POINTER_FILE, type Pointer } from '@authz-service/core/bundle/publication';
import { keyIdOf } from '@authz-service/core/bundle/signing-key';
import { ProblemError } from '@authz-service/core/problem';
import { compareTokens, isToken, splitToken } from '@authz-service/core/state/revision';
import {
  fetchBundleFile,
  fetchDeltaFile,
  fetchPointer,
  type StaticSource,
  type Validators,
} from '../source/static-source.js';
import type { Intake, IntakeParts } from './intake.js';
import type { Polled } from './polled.js';

/** Changes that one poll follows. */
const STEPS_MAX = 2048;

/** A pointer whose signature has been verified. */
interface Named {
  jws: string;
  kid: string;
  /** The newest revision, with its epoch if there is one, and the time at which it was that. */
  revision: string;
  atMs: number;
  /** The revision of the whole bundle that is there. */
  bundle: string;
}

/**
 * Keeps what is served equal to what files say that the cloud has. Whoever writes or serves the files, they count only as far
 * as the cloud has signed them, and what they say is only as young as the time that it has signed.
 */
export class StaticSync {
  #known: { named: Named; validators: Validators } | undefined;

  constructor(
    private readonly source: StaticSource & { tenantId: string },
    private readonly intake: Intake,
    private readonly parts: Pick<IntakeParts, 'state' | 'saver' | 'attempts' | 'log'>,
  ) {}

  /** Asks once for the pointer, and follows it. Only one call runs at a time. Throws why nothing could be taken. */
  async poll(_: number, stop: AbortSignal): Promise<Polled> {
    const { state, saver, attempts } = this.parts;
    const before = state.servedBundle;
    state.syncing.requestedAtMs = Date.now();
    try {
      const named = await this.#pointer(stop);
      if (!this.#isOldCopy(named)) await this.#follow(named, stop);
      const news = state.servedBundle !== before;
      const aheadMs = Math.max(0, named.atMs - Date.now());
      // An old copy brings no later time.
      const newestAtMs = (await this.intake.newestAt(named.jws)) ?? named.atMs;
      return { holds: false, news, aheadMs, newestAtMs, saved: saver.saved };
    } finally {
      await attempts.end();
    }
  }

  async #pointer(stop: AbortSignal): Promise<Named> {
    const found = await fetchPointer(this.source, this.#known?.validators, this.intake.fetching(stop));
    if (found === undefined && this.#known !== undefined) return this.#known.named;
    if (found === undefined) throw new Error('nothing is known that could be the same');
    const { pointer, validators } = found;
    const named = await this.#verified(pointer, stop);
    this.#known = { named, validators };
    return named;
  }

  async #verified({ newest: jws, bundle }: Pointer, stop: AbortSignal): Promise<Named> {
    const { tenantId } = this.source;
    const { set } = await this.intake.trustFor(jws, stop);
    const kid = keyIdOf(jws) ?? '';
    const newest = await readNewest(jws, set.keys);
    if (newest === undefined) {
      const trusted = set.keys.map((key) => key.kid).join(', ');
      throw invalid(
        `${POINTER_FILE} is not signed by a trusted key, but by ${JSON.stringify(kid.slice(0, 100))} (trusted: ${trusted}): check SERVICE_BUNDLE_URL and SERVICE_BUNDLE_JWKS.`,
      );
    }
    if (newest.tenant !== tenantId) {
      throw invalid(
        `${POINTER_FILE} is of tenant ${newest.tenant ?? 'unknown'}, and SERVICE_TENANT_ID is ${tenantId}: check both and SERVICE_BUNDLE_URL.`,
      );
    }
    if (!isToken(newest.bundle)) throw invalid(`${POINTER_FILE} names no revision.`);
    return { jws, kid, revision: newest.bundle, atMs: newest.atMs, bundle };
  }

  /** Whether it is from before what is served, as a cache may still hold it. A later one that goes back is refused. */
  #isOldCopy({ revision, atMs }: Named): boolean {
    const { servedBundle: served, signedAtMs } = this.parts.state;
    if (served === undefined || signedAtMs === undefined || atMs > signedAtMs) return false;
    return served !== revision && compareTokens(revision, served) <= 0;
  }

  async #follow(named: Named, stop: AbortSignal): Promise<void> {
    const { state, log } = this.parts;
    if (await this.#takeChanges(named, stop)) {
      await this.intake.confirm(named.kid);
      // The whole bundle that is there may be an older one; a later one repairs what is on disk then.
      if (!this.intake.wantsWhole || named.bundle !== named.revision) return;
    } else {
      const { servedBundle: served } = state;
      if (served !== undefined && isBetween(named.bundle, served, named.revision)) throw noWay(named, served);
    }
    await this.#takeBundle(named, stop);
    if (await this.#takeChanges(named, stop)) return;
    log.debug(
      { revision: state.servedBundle, newest: named.revision },
      'the changes do not lead to the newest revision',
    );
    throw noWay(named, state.servedBundle);
  }

  /** Follows the changes from what is served. Returns whether they lead to the newest revision. */
  async #takeChanges(named: Named, stop: AbortSignal): Promise<boolean> {
    const { state } = this.parts;
    for (let steps = 0; steps < STEPS_MAX && !stop.aborted; steps++) {
      const at = state.servedBundle;
      if (at === undefined || at === named.revision) return at !== undefined;
      if (compareTokens(at, named.revision) >= 0) return false;
      // Only a whole bundle proves an epoch.
      if (splitToken(at).epoch !== splitToken(named.revision).epoch) return false;
      const archive = await fetchDeltaFile(this.source, deltaPath(named.kid, at), this.intake.fetching(stop));
      if (archive === undefined || !(await this.intake.takeDelta(archive))) return false;
    }
    return false;
  }

  async #takeBundle({ kid, bundle }: Named, stop: AbortSignal): Promise<void> {
    const arrived = await fetchBundleFile(this.source, bundlePath(kid, bundle), this.intake.fetching(stop));
    await this.intake.takeBundle({ ...arrived, diverged: false }, stop);
  }
}

/** Whether a whole bundle is older than what is served, and that older than the newest revision. */
function isBetween(bundle: string, served: string, newest: string): boolean {
  return compareTokens(bundle, served) < 0 && compareTokens(served, newest) < 0;
}

function noWay({ revision, bundle }: Named, served: string | undefined): ProblemError {
  return new ProblemError(
    'network',
    `The web server has no changes that lead from revision ${served ?? 'none'} to ${revision}, and its whole bundle is of revision ${bundle}: the next one that is published brings the agent on.`,
  );
}

function invalid(detail: string): ProblemError {
  return new ProblemError('invalid_bundle', detail);
}
