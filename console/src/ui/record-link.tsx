import type { Address } from '@authz-service/sdk/wire';
import { Link } from '@tanstack/react-router';
import { isDirectory, kindOf, pathOf } from './address-parts.js';
import { Breakable } from './breakable.js';

export { isDirectory, kindOf, pathOf };

/** Leads to the page of a record; shows its path unless it has other content. */
export function RecordLink({ address, children }: { address: Address; children?: string | undefined }) {
  return (
    <Link to="/record" search={{ address }}>
      <Breakable text={children ?? pathOf(address)} />
    </Link>
  );
}
