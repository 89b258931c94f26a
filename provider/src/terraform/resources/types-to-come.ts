import { setTimeout } from 'node:timers/promises';
import type { Address } from '@authz-service/core/records/address';
import type { Kind } from '@authz-service/core/records/kinds';
import type { DeclaredRecord } from '@authz-service/core/records/registry';
import type { Overlay } from '@authz-service/core/state/overlay';
import type { Diagnostic } from '../framework/diagnostics.js';
import { judgeRecord } from './judge.js';
import type { Records } from './snapshot.js';

/** Terraform asks for the plans of independent resources at once; how long to wait for these, and how often to look. */
const SOON_MS = 1_500;
const LOOK_MS = 100;
/** The most that wait at once: Terraform plans ten resources at a time, and the types have to be among them. */
const WAITING_MAX = 4;

let waiting = 0;

/**
 * The findings about a policy, judged again where types that are planned later, or stand in the tenant already, may make it
 * right: on all below a resource, or on all types of an application. Nothing in it refers to these types. What is in doubt
 * and cannot wait is left to the service.
 */
export async function withAllTypes(
  found: readonly Diagnostic[],
  record: DeclaredRecord,
  view: Overlay,
  records: Records,
): Promise<Diagnostic[]> {
  const isDoubt = (one: Diagnostic) => isOfManyTypes(record, one);
  const certain = found.filter((one) => !isDoubt(one));
  if (certain.length === found.length || waiting >= WAITING_MAX) return certain;
  waiting += 1;
  const until = performance.now() + SOON_MS;
  let doubts: Diagnostic[];
  do {
    await setTimeout(LOOK_MS);
    doubts = judgeRecord(record, withPresentTypes(view, records)).filter(isDoubt);
  } while (doubts.length > 0 && performance.now() < until);
  waiting -= 1;
  return [...certain, ...doubts];
}

/** Whether it is said of an entry with `below`, or of the actions on all types. */
function isOfManyTypes({ kind, fields }: DeclaredRecord, { path = [] }: Diagnostic): boolean {
  if (kind !== 'policy') return false;
  const [field, index] = path;
  if (field === 'actions') return fields.resource_types?.includes('*') ?? false;
  return field === 'resources' && typeof index === 'number' && fields.resources?.[index]?.below === true;
}

function withPresentTypes(view: Overlay, records: Records) {
  const isType = (address: Address) => address.startsWith('resource_type/');
  return {
    get: (address: Address) => view.get(address) ?? (isType(address) ? records.get(address) : undefined),
    inbound: (address: Address) => view.inbound(address),
    *addresses(kind: Kind) {
      yield* view.addresses(kind);
      if (kind !== 'resource_type') return;
      for (const { address } of records.all()) if (isType(address) && view.get(address) === undefined) yield address;
    },
  };
}
