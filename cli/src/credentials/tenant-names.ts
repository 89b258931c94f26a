import type { ServiceClient } from '@authz-service/sdk/client';

/** The tenant of the flag, or the names of all. */
export async function tenantNames(
  client: ServiceClient,
  name: string | undefined,
  signal: AbortSignal,
): Promise<string[]> {
  if (name !== undefined) return [name];
  const names: string[] = [];
  for await (const tenant of client.tenants.list({ signal })) names.push(tenant.name);
  return names;
}
