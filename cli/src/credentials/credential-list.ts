import type { ServiceClient } from '@authz-service/sdk/client';
import { table } from '../output/table.js';
import { out } from '../output/terminal.js';
import { headings, row } from '../records/columns.js';
import type { Outcome } from '../service-command.js';

/** The list of a kind of credential. The service keeps no secrets, so that there are none to show. */
export async function listCredentials(
  client: ServiceClient,
  kind: 'api_key' | 'oauth_client',
  signal: AbortSignal,
): Promise<Outcome> {
  const items = [];
  for await (const record of client.records(kind).list({}, { signal })) items.push(record);
  const rows = items.map((record) => row(kind, record));
  return {
    json: { items },
    text: items.length === 0 ? undefined : table(headings(kind), rows, out.style, out.columns),
  };
}
