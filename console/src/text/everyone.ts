import type { Address } from '@authz-service/sdk/wire';

/** All subjects, or all of a type, in words: of `everyone`, `everyone/*` and `everyone/user`. */
export function everyoneText(address: Address): string {
  const [, type = '*'] = address.split('/');
  return type === '*' || type === 'everyone' ? 'Everyone' : `Everyone of type ${type}`;
}
