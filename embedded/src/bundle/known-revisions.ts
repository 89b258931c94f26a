import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { newestOf } from '@authz-service/core/bundle/newest';
import { AGENT_HEADER } from '@authz-service/pdp/contract/agent-report';
import type { MinRevision } from '@authz-service/pdp/revision/min-revision';
import { MIN_REVISION_HEADER, minRevisionText } from '@authz-service/pdp/revision/min-revision';
import type { CloudSource } from '../source/cloud-source.js';
import { askServer, type RequestBounds } from '../source/server-request.js';
import type { BundleState } from './bundle-state.js';
import { bundleName, bundleOf, type Served } from './served.js';

/** Callers need no credential, so that they must not be able to make the agent send many requests. */
const ASKING_MAX = 4;

const BOUNDS: RequestBounds = { idleMs: 10_000, totalMs: 10_000 };

/** Asks the cloud whether the agent's tenant has a revision that is not served yet. */
export class KnownRevisions {
  #asking = 0;

  constructor(
    private readonly source: CloudSource,
    private readonly state: Pick<BundleState, 'served' | 'syncing' | 'confirmed'>,
  ) {}

  /** Undefined if that cannot be told, since the cloud does not say or is asked too much already. */
  async has(wanted: MinRevision): Promise<boolean | undefined> {
    const { served } = this.state;
    // A bundle of several tenants came with a credential of another tenant, about which the cloud would answer.
    const own = served !== undefined && served.bundleRevision === served.revision;
    if (!own || this.#asking >= ASKING_MAX) return undefined;
    this.#asking++;
    try {
      return await (served.slice === undefined ? this.#ask(minRevisionText(wanted)) : this.#askOfSlice(wanted, served));
    } finally {
      this.#asking--;
    }
  }

  #ask(revision: string): Promise<boolean | undefined> {
    return this.#asked({ path: '/v1/whoami', headers: { [MIN_REVISION_HEADER]: revision } }, async () => true);
  }

  /** The cloud tells no agent of commits outside of its slice: it signs that the slice is the same when it is asked. */
  #askOfSlice(wanted: MinRevision, served: Served): Promise<boolean | undefined> {
    const headers = {
      [MIN_REVISION_HEADER]: minRevisionText(wanted),
      'if-none-match': `"${bundleName(served)}"`,
      ...(this.source.report && { [AGENT_HEADER]: this.source.report() }),
    };
    return this.#asked({ path: '/v1/policies/bundle', headers }, async ({ headers: { 'bundle-newest': jws } }) => {
      const newest = await newestOf(String(jws), bundleOf(served), this.state.syncing.trust.set.keys);
      if (newest !== undefined) this.state.confirmed(newest);
      return true;
    });
  }

  async #asked(
    { path, headers }: { path: string; headers: Record<string, string> },
    had: (response: IncomingMessage) => Promise<true>,
  ): Promise<boolean | undefined> {
    const { cloudUrl, apiKey } = this.source;
    const all = { authorization: `Bearer ${apiKey.reveal()}`, ...headers };
    const stop = AbortSignal.timeout(BOUNDS.totalMs);
    return await askServer({ baseUrl: cloudUrl, path, headers: all, bounds: BOUNDS, stop }, async (response) => {
      const { statusCode } = response;
      if (statusCode === 200 || statusCode === 304) return await had(response);
      if (statusCode !== 412 || Number(response.headers['content-length']) > 10_000) return undefined;
      return (JSON.parse(await text(response)) as { code?: unknown }).code === 'unknown_revision' ? false : undefined;
    });
  }
}
