import type { Address } from '../../records/address.js';
import type { Principal, PrincipalKind } from '../graph/principal.js';
import { Interner } from './interner.js';

export interface KnownPrincipal {
  readonly address: Address;
  readonly kind: PrincipalKind;
  readonly name: string;
}

/** Numbers principals by address, so that those of both states are the same. */
export class PrincipalIds {
  readonly #byAddress = new Interner<KnownPrincipal>();
  readonly #byObject = new Map<Principal, number>();

  of(principal: Principal): number {
    const known = this.#byObject.get(principal);
    if (known !== undefined) return known;
    const { address, kind, name } = principal;
    const id = this.#byAddress.of(address, () => ({ address, kind, name }));
    this.#byObject.set(principal, id);
    return id;
  }

  find(address: Address): number | undefined {
    return this.#byAddress.find(address);
  }

  at(id: number): KnownPrincipal {
    return this.#byAddress.at(id);
  }
}
