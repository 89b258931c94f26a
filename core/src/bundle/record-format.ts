import type { EngineRecord } from '../access/api/engine.js';
import { LATER_FUNCTIONS } from '../conditions/functions/functions.js';
import { namesInCondition } from '../records/condition-names.js';
import { isDistributed, type Kind } from '../records/kinds.js';
import type { Fields } from '../records/registry.js';

/**
 * The formats of bundles and deltas that this program reads. It writes the first that can say the records, so that an
 * agent that knows no later one goes on with a tenant that uses nothing new, and names the format where it does.
 */
export const BUNDLE_FORMATS = [1, 2, 3] as const;
export type BundleFormat = (typeof BUNDLE_FORMATS)[number];

/** Everything that records may say in format 1, by kind; all else takes a later one. */
const FIRST: { readonly [K in Kind]?: readonly string[] } = {
  application: ['name', 'description'],
  resource_type: ['application', 'name', 'actions', 'properties', 'description'],
  resource: ['type', 'name', 'properties', 'description'],
  subject: ['type', 'id', 'name', 'properties'],
  role: ['application', 'name', 'description'],
  group: ['name', 'description'],
  policy: [
    ...['application', 'name', 'effect', 'priority', 'resources', 'resource_type', 'actions', 'condition'],
    ...['modifiers', 'description'],
  ],
  policy_assignment: ['policy', 'entity_type', 'entity', 'expires_at'],
  role_assignment: ['role', 'entity_type', 'entity', 'expires_at'],
  group_membership: ['group', 'entity_type', 'entity', 'expires_at'],
};
const FIRST_ENTITIES: readonly unknown[] = [undefined, 'subject', 'group', 'role'];

/** Matches calls in conditions that format 1 does not have, with the format that has them. */
const LATER_CALLS = [...LATER_FUNCTIONS].map(
  ([name, format]) => [new RegExp(`\\b${name}(?:\\s|//[^\\n]*\\n)*\\(`), format] as const,
);

const known = new Map(Object.entries(FIRST).map(([kind, fields]) => [kind, new Set(fields)]));

/** Fields that only format 3 has: an older agent would decide on knowledge that is too old. */
const THIRD: { readonly [K in Kind]?: string } = { resource_type: 'max_age' };

const THIRD_CALLS = LATER_CALLS.some(([, format]) => format === 3);

/** The first format, from the given one on, that can say the record. */
export function raised(format: BundleFormat, record: EngineRecord): BundleFormat {
  // Most records cannot take the newest one, and those of format 1 take a while to be told.
  if (format > 1 && THIRD[record.kind] === undefined && !(THIRD_CALLS && record.kind === 'policy')) return format;
  const own = formatOf(record);
  return own > format ? own : format;
}

/** The first format that can say the record. */
export function formatOf({ kind, fields }: EngineRecord): BundleFormat {
  if (!isDistributed(kind)) return 1;
  const third = THIRD[kind];
  if (third !== undefined && third in fields) return 3;
  const first = known.get(kind);
  if (first === undefined) return 2;
  for (const name in fields) if (!first.has(name)) return 2;
  if (!FIRST_ENTITIES.includes((fields as { entity_type?: unknown }).entity_type)) return 2;
  if (kind !== 'policy') return 1;
  const { resources, condition } = fields as Fields<'policy'>;
  const calls = LATER_CALLS.flatMap(([call, format]) =>
    condition !== undefined && call.test(condition) ? format : [],
  );
  if (calls.includes(3)) return 3;
  const names = condition !== undefined && namesInCondition(condition).length > 0;
  return calls.length > 0 || names || resources?.some((covered) => 'below' in covered) ? 2 : 1;
}

export function isBundleFormat(format: unknown): format is BundleFormat {
  return (BUNDLE_FORMATS as readonly unknown[]).includes(format);
}

/** Why a text of another format is refused, as the end of a sentence that begins with what it is. */
export function formatFault(format: string): string {
  const newest = BUNDLE_FORMATS.at(-1);
  return `has format ${format}; this program reads formats 1 to ${newest}: update the older of the two.`;
}
