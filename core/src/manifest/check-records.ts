import type { Address } from '../records/address.js';
import type { Kind } from '../records/kinds.js';
import type { DeclaredRecord } from '../records/registry.js';
import type { RecordView } from '../state/change.js';
import { InboundIndex } from '../state/inbound-index.js';
import { validateRecords } from '../state/validate.js';
import type { AddressLists } from './address-lists.js';
import type { Declarations } from './declarations.js';
import type { About } from './source.js';

/** What the checks of the tree as a whole stand on. */
export interface ReadTree {
  declarations: Declarations;
  lists: AddressLists;
  /** Everything could be read; otherwise what is mentioned may well be declared where it could not. */
  whole: boolean;
}

/** Reports what only all records together show, each fault at the place of the field that causes it. */
export function checkRecords({ declarations, lists, whole }: ReadTree): void {
  const { records, origins } = declarations;
  const external = (address: Address) => !whole || origins.has(address) || lists.external.has(address);
  for (const found of validateRecords(viewOf(records), records.keys(), { external })) {
    const { address, pointer, detail } = found;
    const origin = origins.get(address);
    if (origin === undefined) continue;
    const about: About = { label: address, address, pointer };
    const node = declarations.nodeOf(address, pointer);
    if (found.severity === 'error') origin.document.fault(node, about, detail);
    else origin.document.warning(node, about, detail);
  }
}

/** The declared records by address, with what mentions them, indexed when first asked for. */
function viewOf(records: ReadonlyMap<Address, DeclaredRecord>): RecordView {
  let index: InboundIndex | undefined;
  return {
    get: (address) => records.get(address),
    inbound: (address) => {
      if (index === undefined) {
        index = new InboundIndex();
        for (const record of records.values()) index.add(record);
      }
      return index.of(address);
    },
    addresses: (kind: Kind) =>
      [...records.values()].filter((record) => record.kind === kind).map(({ address }) => address),
  };
}
