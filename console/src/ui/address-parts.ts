import type { Address, Kind } from '@authz-service/sdk/wire';

/** `billing/accountant` of `role/billing/accountant`. */
export function pathOf(address: Address): string {
  return address.slice(address.indexOf('/') + 1);
}

export function kindOf(address: Address): Kind {
  return address.slice(0, address.indexOf('/')) as Kind;
}
