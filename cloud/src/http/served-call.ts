import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import type { Credential } from '../auth/credential.js';
import type { Cloud } from '../cloud.js';
import type { Session } from '../console/sessions.js';
import type { Costs } from '../limits/limits.js';
import { AbortedError } from './aborted-error.js';
import type { Exchange } from './exchange.js';
import type { Call } from './route.js';

interface Checked {
  params: Readonly<Record<string, string>>;
  query: unknown;
  body: unknown;
  credential: Credential | undefined;
  session: Session | undefined;
  charge: ((costs: Costs) => void) | undefined;
}

/**
 * A request as its route sees it. What few routes use is made when one does: thousands of requests may wait at once, each
 * with all that it holds.
 */
export class ServedCall implements Call {
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
  readonly credential: Credential | undefined;
  readonly session: Session | undefined;
  now = 0;
  readonly #cloud: Pick<Cloud, 'clientAddresses'>;
  readonly #exchange: Exchange;
  readonly #charge: Checked['charge'];
  #signal: AbortSignal | undefined;

  constructor(cloud: Pick<Cloud, 'clientAddresses'>, exchange: Exchange, checked: Checked) {
    this.#cloud = cloud;
    this.#exchange = exchange;
    this.params = checked.params;
    this.query = checked.query;
    this.body = checked.body;
    this.credential = checked.credential;
    this.session = checked.session;
    this.#charge = checked.charge;
  }

  // Routes take these two out of the call.
  readonly charge = (costs: Costs): void => this.#charge?.(costs);
  readonly onGone = (callback: () => void): void => {
    const { response } = this.#exchange;
    if (response.closed) callback();
    else response.once('close', callback);
  };

  get requestId(): string {
    return this.#exchange.requestId;
  }

  get headers(): IncomingHttpHeaders {
    return this.#exchange.request.headers;
  }

  get log(): Logger {
    return this.#exchange.log;
  }

  get address(): string {
    return this.#cloud.clientAddresses.of(this.#exchange.request);
  }

  get signal(): AbortSignal {
    this.#signal ??= this.#goneSignal();
    return this.#signal;
  }

  #goneSignal(): AbortSignal {
    const { response } = this.#exchange;
    const controller = new AbortController();
    this.onGone(() => {
      if (!response.writableEnded) controller.abort(new AbortedError('the caller did not wait for the answer'));
    });
    return controller.signal;
  }
}
