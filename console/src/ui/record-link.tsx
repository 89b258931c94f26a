import type { Address, Kind } from '@authz-service/sdk/wire';
import { Link } from '@tanstack/react-router';

/** Leads to the page of a record; shows its path unless it has other content. */
export function RecordLink({ address, children }: { address: Address; children?: string | undefined }) {
  return (
    <Link to="/record" search={{ address }}>
      {children ?? pathOf(address)}
    </Link>
  );
}

/** `billing/accountant` of `role/billing/accountant`. */
export function pathOf(address: Address): string {
  return address.slice(address.indexOf('/') + 1);
}

export function kindOf(address: Address): Kind {
  return address.slice(0, address.indexOf('/')) as Kind;
}
