import type { ServiceClient } from '@authz-service/sdk/client';
import type { DeclaredOrigins } from '@authz-service/sdk/wire';

/** Some megabytes of a request. */
const PLACES_PER_REQUEST = 20_000;

/**
 * Tells where records of the stack stand, whether or not they change. It makes no revision. Throws what the client
 * throws.
 */
export async function noteOrigins(
  client: Pick<ServiceClient, 'changeset'>,
  stack: string,
  { places = {}, ...source }: DeclaredOrigins,
  signal?: AbortSignal,
): Promise<void> {
  const all = Object.entries(places).flatMap(([path, lines]) =>
    Object.entries(lines).map(([address, line]) => ({ path, address, line })),
  );
  for (let start = 0; start < all.length; start += PLACES_PER_REQUEST) {
    const part: NonNullable<DeclaredOrigins['places']> = Object.create(null);
    for (const { path, address, line } of all.slice(start, start + PLACES_PER_REQUEST)) {
      part[path] ??= {};
      Object.assign(part[path] ?? {}, { [address]: line });
    }
    await client.changeset({ stack, origins: { ...source, places: part }, changes: [] }, signal ? { signal } : {});
  }
}
