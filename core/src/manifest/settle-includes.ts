import type { Path } from '../records/address.js';
import { quote } from '../records/describe.js';
import { inField } from './about.js';
import type { Declarations } from './declarations.js';
import { nodeAt, type Origin } from './locate.js';
import type { About } from './source.js';

/** A role that another one includes, named inside an application without one: its own, or else the tenant's. */
export interface BareInclusion {
  origin: Origin;
  about: About;
  /** The place of the name in the fields as written. */
  path: readonly PropertyKey[];
  own: Path;
  tenants: Path;
}

/**
 * Decides, when all records are known, which role each bare name means, as links do: the application's, or else the
 * tenant's. A name that fits both is refused.
 */
export function settleIncludes(
  bare: readonly BareInclusion[],
  declarations: Declarations,
  known: (address: string) => boolean,
): void {
  for (const { origin, about, path, own, tenants } of bare) {
    if (!known(`role/${tenants}`)) continue;
    if (known(`role/${own}`)) {
      const text = `${quote(tenants)} fits role/${own} and role/${tenants}: write ${quote(own)} for the one, ${quote(`/${tenants}`)} for the other.`;
      origin.document.fault(nodeAt(origin, path), inField(about, path), text);
      // What may be meant is no part of a circle.
      const fields = recordAt(declarations, about)?.fields as { includes?: string[] } | undefined;
      if (fields?.includes !== undefined) fields.includes = fields.includes.filter((role) => role !== own);
      continue;
    }
    const record = recordAt(declarations, about);
    for (const fields of [origin.input, record?.fields as Record<string, unknown> | undefined]) {
      const includes = fields?.includes;
      if (fields !== undefined && Array.isArray(includes))
        fields.includes = includes.map((role) => (role === own ? tenants : role));
    }
  }
  for (const { about } of bare) {
    const { record, isFaulty } = declarations.origins.get(about.address ?? '') ?? {};
    if (record?.kind === 'role' && !isFaulty) record.fields.includes = [...new Set(record.fields.includes)].sort();
  }
}

function recordAt({ origins }: Declarations, { address = '' }: About) {
  return origins.get(address)?.record;
}
