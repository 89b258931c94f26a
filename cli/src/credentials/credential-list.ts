import { nounOf } from '@authz-service/core/state/kind-words';
import type { ServiceClient } from '@authz-service/sdk/client';
import { table } from '../output/table.js';
import { err, out } from '../output/terminal.js';
import { counted } from '../output/text.js';
import { headings, row } from '../records/columns.js';
import type { Outcome } from '../service-command.js';

/** Lists the credentials of a kind. The service keeps no secrets, so none are shown. */
export async function listCredentials(
  client: ServiceClient,
  kind: 'api_key' | 'oauth_client',
  signal: AbortSignal,
): Promise<Outcome> {
  const items = [];
  for await (const record of client.records(kind).list({}, { signal })) items.push(record);
  await err.line(err.style('dim', counted(items.length, nounOf(kind))));
  // The owner is omitted, because most are created by hand, and the id needs the room.
  const rows = items.map((record) => row(kind, record).slice(0, -1));
  return {
    json: { items },
    text: items.length === 0 ? undefined : table(headings(kind).slice(0, -1), rows, out.style, out.columns),
  };
}
