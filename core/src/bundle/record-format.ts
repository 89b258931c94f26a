import type { EngineRecord } from '../access/api/engine.js';
import { LATER_FUNCTIONS } from '../conditions/functions/functions.js';
import { namesInCondition } from '../records/condition-names.js';
import { distributedFields, isDistributed, type Kind } from '../records/kinds.js';
import type { Fields } from '../records/registry.js';

/**
 * The formats of bundles and deltas that this program reads. It writes the first that can say the records, so that an
 * agent that knows no later one goes on with a tenant that uses nothing new, and names the format where it does.
 */
export const BUNDLE_FORMATS = [1, 2, 3, 4, 5] as const;
export type BundleFormat = (typeof BUNDLE_FORMATS)[number];

/** The format of slices: an agent that knows none would deny what it has no records of. */
export const SLICE_FORMAT: BundleFormat = 5;

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

/** Calls in conditions that format 1 does not have, each with the format that has it. */
type LaterCalls = readonly (readonly [RegExp, BundleFormat])[];

/** Returns what matches the calls of these functions. */
export function callsOf(functions: ReadonlyMap<string, BundleFormat>): LaterCalls {
  return [...functions].map(([name, format]) => [new RegExp(`\\b${name}(?:\\s|//[^\\n]*\\n)*\\(`), format]);
}

const LATER_CALLS = callsOf(LATER_FUNCTIONS);

const known = new Map(Object.entries(FIRST).map(([kind, fields]) => [kind, new Set(fields)]));

/** Fields without which an older agent would grant or log what it must not, each with the format that has it; the latest first. */
const LATER_FIELDS: { readonly [K in Kind]?: Readonly<Record<string, BundleFormat>> } = {
  resource_type: { sensitive: 5, from_requests: 4, max_age: 3 },
  subject_type: { sensitive: 5, from_requests: 4 },
  context_attribute: { sensitive: 5 },
  subject: { suspended: 4, suspended_until: 4 },
};

/** The kinds of records that may take a format after the second. */
const LATER_KINDS: ReadonlySet<string> = new Set([
  ...Object.keys(LATER_FIELDS),
  ...LATER_CALLS.flatMap(([, format]) => (format > 2 ? 'policy' : [])),
]);

/** The first format, from the given one on, that can say the record. */
export function raised(format: BundleFormat, record: EngineRecord): BundleFormat {
  // Most records cannot take the newest one, and those of format 1 take a while to be told.
  if (format > 1 && !LATER_KINDS.has(record.kind)) return format;
  return laterOf(format, formatOf(record));
}

/** The first format that can say the record. */
export function formatOf(record: EngineRecord, calls = LATER_CALLS): BundleFormat {
  if (!isDistributed(record)) return 1;
  const format = formatOfFields(record);
  return record.kind === 'policy' ? laterOf(format, formatOfCalls(record.fields as Fields<'policy'>, calls)) : format;
}

function formatOfFields({ kind, fields: all }: EngineRecord): BundleFormat {
  const fields = distributedFields(kind, all);
  const later = LATER_FIELDS[kind];
  for (const name in later) if (name in fields) return later[name] as BundleFormat;
  const first = known.get(kind);
  if (first === undefined) return 2;
  for (const name in fields) if (!first.has(name)) return 2;
  if (!FIRST_ENTITIES.includes((fields as { entity_type?: unknown }).entity_type)) return 2;
  if (kind !== 'policy') return 1;
  const { resources, condition = '' } = fields as Fields<'policy'>;
  return namesInCondition(condition).length > 0 || resources?.some((covered) => 'below' in covered) ? 2 : 1;
}

function formatOfCalls({ condition = '' }: Fields<'policy'>, calls: LaterCalls): BundleFormat {
  let found: BundleFormat = 1;
  for (const [call, format] of calls) if (format > found && call.test(condition)) found = format;
  return found;
}

function laterOf(one: BundleFormat, other: BundleFormat): BundleFormat {
  return one > other ? one : other;
}

export function isBundleFormat(format: unknown): format is BundleFormat {
  return (BUNDLE_FORMATS as readonly unknown[]).includes(format);
}

/** Why a text of another format is refused, as the end of a sentence that begins with what it is. */
export function formatFault(format: string): string {
  const newest = BUNDLE_FORMATS.at(-1);
  return `has format ${format}; this program reads formats 1 to ${newest}: update the older of the two.`;
}
