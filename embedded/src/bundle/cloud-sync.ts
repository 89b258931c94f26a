import { type CloudSource, fetchBundle, type KnownBundle } from '../source/cloud-source.js';
import type { Intake, IntakeParts } from './intake.js';
import type { Polled } from './polled.js';
import { bundleName } from './served.js';

/** Keeps what is served equal to what the cloud has. */
export class CloudSync {
  constructor(
    private readonly source: CloudSource,
    private readonly intake: Intake,
    private readonly parts: Pick<IntakeParts, 'state' | 'saver' | 'attempts'>,
  ) {}

  /** Asks the cloud once and takes what it has. Only one call runs at a time. Throws why nothing could be taken. */
  async poll(waitSeconds: number, stop: AbortSignal): Promise<Polled> {
    const { intake } = this;
    const { state, saver, attempts } = this.parts;
    const fetch = (known: KnownBundle) => fetchBundle(this.source, known, intake.fetching(stop));
    const known = this.#known();
    state.syncing.requestedAtMs = Date.now();
    try {
      let fetched = await fetch({ ...known, waitSeconds });
      const { holds, aheadMs } = fetched;
      let news = true;
      if (fetched.is === 'delta' && !(await intake.takeDelta(fetched.archive))) {
        intake.wantsWhole = true;
        fetched = await fetch({});
      }
      if (fetched.is === 'same') {
        await intake.confirm(fetched.key);
        news = false;
      } else if (fetched.is === 'bundle') {
        // An answer that was asked for unconditionally says nothing about whether the cloud holds its answers.
        news = (await intake.takeBundle(fetched, stop)) || known.etag === undefined;
      }
      return { holds, news, aheadMs, newestAtMs: await intake.newestAt(fetched.newest), saved: saver.saved };
    } finally {
      await attempts.end();
    }
  }

  /** The part of the request that says what the agent has. */
  #known(): KnownBundle {
    const { served } = this.parts.state;
    if (served === undefined || this.intake.wantsWhole) return {};
    // The ETag of the response is not used, because it is not signed: under the name of another bundle, the agent would
    // be told that it has the newest, or that it comes from another history. A bundle that holds only this tenant has
    // the tenant's revision as its name.
    return { etag: `"${bundleName(served)}"`, delta: served.bundleRevision === served.revision };
  }
}
