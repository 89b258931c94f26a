import { DELTA_MANIPULATION } from '@authz-service/core/bundle/format';
import { NEWEST_HEADER } from '@authz-service/core/bundle/newest';
import { ProblemError } from '@authz-service/core/problem';
import { AGENT_HEADER } from '@authz-service/pdp/contract/agent-report';
import type { HttpAnswer } from '@authz-service/sdk/answer';
import type { Authorization } from '@authz-service/sdk/authorization';
import type { Transport } from '@authz-service/sdk/transport';

/** A bundle of a million records takes a while to be packed and sent. */
const ATTEMPT_MS = 5 * 60_000;

/** The answer of the cloud beyond a revision: nothing, the changes since, or the whole bundle. */
export interface FeedAnswer {
  is: 'same' | 'delta' | 'bundle';
  /** The newest revision. */
  revision: string;
  /** The cloud's signed statement that it is. */
  newest: string;
  /** The archive; empty if nothing is new. */
  bytes: Uint8Array;
  /** Whether the cloud says that the tenant never had the revision that it was asked about. */
  diverged: boolean;
}

export interface FeedOptions {
  transport: Pick<Transport, 'send' | 'base'>;
  authorization: Authorization | undefined;
  /** For operators: the tenant, by its name or id. */
  tenant: string | undefined;
  /** Returns the publisher's present report. */
  report(): string;
  signal: AbortSignal;
}

/** The bundles and deltas of a tenant, as the cloud gives them to agents. */
export class BundleFeed {
  constructor(private readonly options: FeedOptions) {}

  /** Asks what there is beyond a revision, and for the whole bundle without one. Throws what the client throws. */
  async ask(since: string | undefined, waitSeconds = 0): Promise<FeedAnswer> {
    const { transport, authorization, tenant, report, signal } = this.options;
    const headers: Record<string, string> = { accept: 'application/gzip', [AGENT_HEADER]: report() };
    if (since !== undefined) {
      headers['if-none-match'] = `"${since}"`;
      headers['a-im'] = DELTA_MANIPULATION;
      if (waitSeconds > 0) headers.prefer = `wait=${waitSeconds}`;
    }
    const path = '/v1/policies/bundle';
    const timeouts = { timeoutMs: 2 * ATTEMPT_MS, attemptTimeoutMs: ATTEMPT_MS + waitSeconds * 1000 };
    const answer = await transport.send(
      { method: 'GET', path, query: { tenant }, headers, repeat: 'harmless', answeredBy: isBundleOrSame },
      { signal, ...timeouts },
      authorization,
    );
    return read(answer, since, transport.base);
  }

  /** The keys that sign, as the cloud serves them. */
  async keys(): Promise<string> {
    const { transport, signal } = this.options;
    const headers = { 'cache-control': 'no-cache' };
    const answer = await transport.send(
      { method: 'GET', path: '/.well-known/jwks.json', headers, repeat: 'harmless' },
      { signal },
    );
    return new TextDecoder().decode(answer.body);
  }
}

/** A bundle, the changes since another one (226, RFC 3229), or the same bundle. */
function isBundleOrSame(status: number): boolean {
  return status === 200 || status === 226 || status === 304;
}

function read({ status, headers, body }: HttpAnswer, since: string | undefined, base: string): FeedAnswer {
  const newest = headers.get(NEWEST_HEADER);
  const etag = /^(?:W\/)?"([^"]+)"$/.exec(headers.get('etag') ?? '')?.[1];
  if (newest === null || etag === undefined) {
    throw new ProblemError(
      'network',
      `${base} does not say of its bundle which one it is and when it was the newest: update the cloud, and let proxies pass the headers ETag and ${NEWEST_HEADER} on.`,
    );
  }
  const is = status === 304 ? 'same' : status === 226 ? 'delta' : 'bundle';
  if (is === 'same' && etag !== since) {
    throw new ProblemError(
      'network',
      `${base} answered that nothing is newer than ${etag}, but was asked about ${since}: check the proxies on the way.`,
    );
  }
  const diverged = since !== undefined && headers.get('bundle-diverged') === `"${since}"`;
  return { is, revision: etag, newest, bytes: body, diverged };
}
