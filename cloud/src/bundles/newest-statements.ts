import type { NewestBundle } from '@authz-service/core/bundle/newest';
import type { BundleKeys } from './bundle-keys.js';

/** One signature serves all requests of so long. */
const KEPT_MS = 200;
const KEPT_MAX = 256;

interface Signed {
  at: number;
  kid: string;
  jws: Promise<string>;
}

/** Says of bundles, signed, when they were the newest. */
export class NewestStatements {
  readonly #signed = new Map<string, Signed>();

  constructor(private readonly keys: Pick<BundleKeys, 'kid' | 'signNewest'>) {}

  /** The statement that this bundle was the newest at this time or a little earlier; in milliseconds since the epoch. */
  of(named: NewestBundle, at: number): Promise<string> {
    const bundle = JSON.stringify([named.tenant, named.bundle, named.of]);
    const known = this.#signed.get(bundle);
    if (known?.kid === this.keys.kid && at >= known.at && at - known.at < KEPT_MS) return known.jws;
    const jws = this.keys.signNewest(named, at);
    this.#signed.delete(bundle);
    this.#signed.set(bundle, { at, kid: this.keys.kid, jws });
    jws.catch(() => this.#signed.delete(bundle));
    const [oldest] = this.#signed.keys();
    if (this.#signed.size > KEPT_MAX && oldest !== undefined) this.#signed.delete(oldest);
    return jws;
  }
}
