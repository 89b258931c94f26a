import { AUTHZEN_PATHS } from '@authz-service/sdk/authzen-paths';
import type { AuthzenConfiguration } from '@authz-service/sdk/metadata';
import { CheckFailed } from './check.js';

const TIMEOUT_MS = 30_000;
/** Longer answers are not read completely. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;

/** An endpoint of the standard. */
export type Endpoint = 'evaluation' | 'evaluations' | 'subject' | 'resource' | 'action';

const PARAMETERS: { [E in Endpoint]: keyof AuthzenConfiguration } = {
  evaluation: 'access_evaluation_endpoint',
  evaluations: 'access_evaluations_endpoint',
  subject: 'search_subject_endpoint',
  resource: 'search_resource_endpoint',
  action: 'search_action_endpoint',
};

export interface PointAnswer {
  status: number;
  headers: Headers;
  text: string;
}

export interface PointRequest {
  /** A string is sent as it is, anything else as JSON. */
  body: unknown;
  /** Used instead of `application/json`. */
  contentType?: string;
  headers?: Record<string, string>;
}

/** A decision point of any product, asked as its clients would ask it. */
export class DecisionPoint {
  #endpoints: Partial<Record<Endpoint, string>> = {};

  /** `base` has no trailing slash; `authorization` is the value of the header, if one is needed. */
  constructor(
    readonly base: string,
    private readonly authorization: string | undefined,
    private readonly signal: AbortSignal,
  ) {}

  /** The well-known location, inserted between the host and a path of the base (AuthZEN 1.0 section 9.2). */
  get metadataUrl(): string {
    const { origin, pathname } = new URL(this.base);
    return `${origin}${AUTHZEN_PATHS.configuration}${pathname === '/' ? '' : pathname}`;
  }

  /**
   * Takes the endpoints from the metadata, if there is any. Those of another identifier or origin are not used, because
   * they would receive the credential.
   */
  async discover(): Promise<void> {
    const answer = await this.metadata();
    const metadata = answer.status === 200 ? jsonOf(answer) : undefined;
    if (typeof metadata !== 'object' || metadata === null) return;
    const members = metadata as Record<string, unknown>;
    if (members.policy_decision_point !== this.base) return;
    const { origin } = new URL(this.base);
    for (const [endpoint, parameter] of Object.entries(PARAMETERS) as [Endpoint, string][]) {
      const url = members[parameter];
      if (typeof url === 'string' && URL.canParse(url) && new URL(url).origin === origin)
        this.#endpoints[endpoint] = url;
    }
  }

  metadata(): Promise<PointAnswer> {
    return this.#send(this.metadataUrl, { headers: { accept: 'application/json' } });
  }

  post(
    endpoint: Endpoint,
    { body, contentType = 'application/json', headers = {} }: PointRequest,
  ): Promise<PointAnswer> {
    const url = this.#endpoints[endpoint] ?? `${this.base}${AUTHZEN_PATHS[endpoint]}`;
    const sent = typeof body === 'string' ? body : JSON.stringify(body);
    return this.#send(url, {
      method: 'POST',
      headers: {
        'content-type': contentType,
        ...(this.authorization !== undefined && { authorization: this.authorization }),
        ...headers,
      },
      // A string would be given a content type of its own.
      body: Buffer.from(sent),
    });
  }

  async #send(url: string, init: RequestInit): Promise<PointAnswer> {
    const signal = AbortSignal.any([this.signal, AbortSignal.timeout(TIMEOUT_MS)]);
    try {
      const response = await fetch(url, { ...init, redirect: 'manual', signal });
      return { status: response.status, headers: response.headers, text: await textOf(response) };
    } catch (error) {
      this.signal.throwIfAborted();
      const { cause } = error as Error & { cause?: { code?: unknown } };
      throw new CheckFailed(`${url} could not be asked (${String(cause?.code ?? (error as Error).message)})`);
    }
  }
}

async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > ANSWER_BYTES_MAX) throw new Error(`more than ${ANSWER_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The JSON value of an answer; undefined if it is not JSON. */
export function jsonOf(answer: PointAnswer): unknown {
  try {
    return JSON.parse(answer.text);
  } catch {
    return undefined;
  }
}
