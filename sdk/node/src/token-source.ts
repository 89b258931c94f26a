import { jsonOf } from './answer.js';
import { type Authorization, bearer } from './authorization.js';
import { until } from './limit.js';
import { ServiceError } from './service-error.js';
import type { Transport } from './transport.js';

/** After a failed early renewal, the next one waits at least this long. */
const RENEWAL_PAUSE_MS = 5_000;

/** A service without a token endpoint is treated as an agent for this long before it is asked again. */
const TOKENLESS_MS = 60_000;

interface Token {
  /** Undefined where the service takes no tokens. */
  header: string | undefined;
  secret: string | undefined;
  /** From then on a new token is fetched, while this one is still used. */
  renewAt: number;
  expiresAt: number;
}

/**
 * Access tokens by the client-credentials grant (RFC 6749 section 4.4), shared by all calls: one request for a token is
 * under way at a time, whoever gives up waiting for it, and a token is renewed before it expires. An agent has no token
 * endpoint and needs no credential: calls to it go without, so that a caller's credentials may stay set.
 */
export class TokenSource implements Authorization {
  readonly #transport: Transport;
  readonly #clientId: string;
  readonly #clientSecret: string;
  readonly #now: () => number;
  #token: Token | undefined;
  #refresh: Promise<Token> | undefined;

  /** `now` gives milliseconds. */
  constructor(
    transport: Transport,
    client: { clientId: string; clientSecret: string },
    now: () => number = () => Date.now(),
  ) {
    if (client.clientId === '' || client.clientSecret === '') {
      throw new ServiceError('invalid_config', 'The client id or the client secret is empty: give both.');
    }
    this.#transport = transport;
    this.#clientId = client.clientId;
    this.#clientSecret = client.clientSecret;
    this.#now = now;
  }

  async get(signal: AbortSignal): Promise<{ header: string | undefined; reused: boolean }> {
    const token = this.#token;
    const now = this.#now();
    if (token === undefined || now >= token.expiresAt) {
      const { header } = await until(signal, this.#refreshed());
      return { header, reused: false };
    }
    if (now >= token.renewAt) {
      token.renewAt = now + RENEWAL_PAUSE_MS;
      this.#refreshed().catch(() => {});
    }
    return { header: token.header, reused: true };
  }

  discard(header: string | undefined): void {
    if (this.#token?.header === header) this.#token = undefined;
  }

  secrets(): string[] {
    const secret = this.#token?.secret;
    return secret === undefined ? this.#sent() : [...this.#sent(), secret];
  }

  /** The secret in all forms in which it is sent. */
  #sent(): string[] {
    const header = basic(this.#clientId, this.#clientSecret);
    return [header.slice('Basic '.length), this.#clientSecret, formEncoded(this.#clientSecret)];
  }

  #refreshed(): Promise<Token> {
    this.#refresh ??= this.#fetch().finally(() => {
      this.#refresh = undefined;
    });
    return this.#refresh;
  }

  async #fetch(): Promise<Token> {
    const startedAt = this.#now();
    const answer = await this.#transport
      .send({
        method: 'POST',
        path: '/oauth/token',
        headers: { authorization: basic(this.#clientId, this.#clientSecret) },
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
        repeat: 'harmless',
        secrets: this.#sent(),
      })
      .catch((error: unknown) => {
        if (error instanceof ServiceError && error.code === 'not_found') return undefined;
        throw error;
      });
    if (answer === undefined) {
      const askAgainAt = startedAt + TOKENLESS_MS;
      this.#token = { header: undefined, secret: undefined, renewAt: askAgainAt, expiresAt: askAgainAt };
      return this.#token;
    }
    const at = `POST ${this.#transport.base}/oauth/token`;
    const body = (jsonOf(answer, at) ?? {}) as { access_token?: unknown; expires_in?: unknown };
    if (typeof body.access_token !== 'string') {
      throw new ServiceError('network', `${at} answered without an access token: that is not the service's.`);
    }
    const lifeMs = typeof body.expires_in === 'number' && body.expires_in > 0 ? body.expires_in * 1000 : 60_000;
    this.#token = {
      header: bearer(body.access_token, 'The access token'),
      secret: body.access_token,
      renewAt: startedAt + lifeMs - Math.min(60_000, lifeMs / 10),
      expiresAt: startedAt + lifeMs,
    };
    return this.#token;
  }
}

/** HTTP Basic with both parts form-encoded first (RFC 6749 section 2.3.1). */
function basic(clientId: string, clientSecret: string): string {
  return `Basic ${btoa(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`)}`;
}

function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}
