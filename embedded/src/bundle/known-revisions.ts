import { text } from 'node:stream/consumers';
import type { MinRevision } from '@authz-service/pdp/revision/min-revision';
import { MIN_REVISION_HEADER, minRevisionText } from '@authz-service/pdp/revision/min-revision';
import type { CloudSource } from '../source/cloud-source.js';
import { askServer, type RequestBounds } from '../source/server-request.js';
import type { BundleState } from './bundle-state.js';

/** Callers need no credential, so that they must not be able to make the agent send many requests. */
const ASKING_MAX = 4;

const BOUNDS: RequestBounds = { idleMs: 10_000, totalMs: 10_000 };

/** Asks the cloud whether the agent's tenant has a revision that is not served yet. */
export class KnownRevisions {
  #asking = 0;

  constructor(
    private readonly source: CloudSource,
    private readonly state: Pick<BundleState, 'served'>,
  ) {}

  /** Undefined if that cannot be told, since the cloud does not say or is asked too much already. */
  async has(wanted: MinRevision): Promise<boolean | undefined> {
    const { served } = this.state;
    // A bundle of several tenants came with a credential of another tenant, about which the cloud would answer.
    const own = served !== undefined && served.bundleRevision === served.revision;
    if (!own || this.#asking >= ASKING_MAX) return undefined;
    this.#asking++;
    try {
      return await this.#ask(minRevisionText(wanted));
    } finally {
      this.#asking--;
    }
  }

  async #ask(revision: string): Promise<boolean | undefined> {
    const { cloudUrl, apiKey } = this.source;
    const headers = { authorization: `Bearer ${apiKey.reveal()}`, [MIN_REVISION_HEADER]: revision };
    const stop = AbortSignal.timeout(BOUNDS.totalMs);
    return await askServer(
      { baseUrl: cloudUrl, path: '/v1/whoami', headers, bounds: BOUNDS, stop },
      async (response) => {
        if (response.statusCode === 200) return true;
        if (response.statusCode !== 412 || Number(response.headers['content-length']) > 10_000) return undefined;
        return (JSON.parse(await text(response)) as { code?: unknown }).code === 'unknown_revision' ? false : undefined;
      },
    );
  }
}
