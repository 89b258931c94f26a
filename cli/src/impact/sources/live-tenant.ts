import type { SideRecord } from '@authz-service/core/access/universe/side';
import { connect } from '../../config/connect.js';
import type { ConnectionFlags } from '../../config/connection.js';
import type { Source } from './source.js';

/** The records of a tenant as the service holds them now, or held them `at` a point of its history, of all stacks. */
export async function liveSource(
  label: string,
  flags: ConnectionFlags & { at?: string },
  signal: AbortSignal,
): Promise<Source> {
  const client = await connect(flags);
  const { tenant, revision, records } = await client.state({ signal });
  const owners = new Map(records.map(({ address, managed_by }) => [address, managed_by]));
  return {
    label: `${label} (tenant "${tenant}", revision ${revision})`,
    records: records.map(
      ({ kind, address, fields, managed_by }) => ({ kind, address, fields, managed_by }) as SideRecord,
    ),
    tenant,
    ownerOf: (address) => owners.get(address),
    notes: [],
    gaps: [],
  };
}
