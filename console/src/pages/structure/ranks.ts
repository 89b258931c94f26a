import type { Address, Kind } from '@authz-service/sdk/wire';
import { kindOf } from '../../ui/address-parts.js';

/** From left to right: who, groups, roles, policies, on what. */
const RANKS: { readonly [K in Kind | 'everyone']?: number } = {
  everyone: 0,
  subject: 0,
  group: 1,
  role: 2,
  policy: 3,
  resource: 4,
  resource_type: 5,
};
const RANK_OF_OTHERS = 6;

export function rankOfKind(kind: Kind): number {
  return RANKS[kind] ?? RANK_OF_OTHERS;
}

export function rankOf(address: Address): number {
  return rankOfKind(kindOf(address));
}
