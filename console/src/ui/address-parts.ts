import type { Address, Kind } from '@authz-service/sdk/wire';

/** `billing/accountant` of `role/billing/accountant`. */
export function pathOf(address: Address): string {
  return address.slice(address.indexOf('/') + 1);
}

/** `role` of `role/billing/accountant`; `everyone`, which is no kind of records, of `everyone`. */
export function kindOf(address: Address): Kind {
  return address.split('/', 1)[0] as Kind;
}

/** Whether the owner of records is a directory, which is one by its address; no stack is named so. */
export function isDirectory(owner: string): boolean {
  return owner.startsWith('directory/');
}
