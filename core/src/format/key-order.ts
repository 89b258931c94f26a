import { ENVIRONMENT_KEYS, gatesSchema } from '../manifest/environment.js';
import {
  ADDRESS_LISTS,
  COLLECTIONS,
  fieldsOf,
  givenField,
  keysOf,
  LINK_LISTS,
  type RecordsNotation,
  SETTINGS,
} from '../manifest/notation.js';
import { VARIABLE_KEYS } from '../manifest/variables.js';
import { TEST_FILE_KEYS, TEST_KEYS } from '../questions/policy-tests/test-schema.js';

/** The order of the keys of a mapping, and the orders below it. Keys that it does not name come last, as they stand. */
export interface KeyOrder {
  keys?: readonly string[];
  /** The orders below some of the keys. */
  below?: ReadonlyMap<string, KeyOrder>;
  /** The order below every other key, and of the items of a list. */
  each?: KeyOrder;
}

const unordered: KeyOrder = {};

/** The order of a record: its description, its fields, its links, and what it holds. */
function recordOrder(notation: RecordsNotation): KeyOrder {
  const { kind, links, collections } = notation;
  const fields = keysOf(notation);
  const described = fields.includes('description') ? ['description'] : [];
  const below = new Map<string, KeyOrder>();
  for (const [name, { kind: link, item }] of links) below.set(name, { each: { keys: [item, ...linkFields(link)] } });
  for (const [name, nested] of collections) below.set(name, { each: recordOrder(nested) });
  // The values of fields keep their order.
  for (const name of fieldsOf(kind).plain) if (!below.has(name)) below.set(name, unordered);
  return { keys: [...new Set([...described, ...fields]), ...collections.keys()], below };
}

function linkFields(kind: Parameters<typeof givenField>[0]): string[] {
  const { places, plain } = fieldsOf(kind);
  return [...places, ...plain];
}

const collections = new Map<string, KeyOrder>(
  [...COLLECTIONS].map(([name, notation]) => [name, { each: recordOrder(notation) }]),
);
const linkLists = new Map<string, KeyOrder>(
  [...LINK_LISTS].map(([name, { kind, to }]) => [
    name,
    { each: { keys: [givenField(kind), to, ...linkFields(kind)] } },
  ]),
);

const records: KeyOrder = {
  keys: [...Object.keys(SETTINGS), ...Object.keys(ADDRESS_LISTS), ...COLLECTIONS.keys(), ...LINK_LISTS.keys()],
  below: new Map<string, KeyOrder>([
    ['variables', { each: { keys: VARIABLE_KEYS } }],
    ['moved', { each: { keys: ['from', 'to'] } }],
    ...collections,
    ...linkLists,
  ]),
};

const environment: KeyOrder = {
  keys: Object.keys(ENVIRONMENT_KEYS),
  below: new Map<string, KeyOrder>([
    ['add', records],
    ['change', records],
    ['gates', { keys: Object.keys(gatesSchema.shape) }],
  ]),
};

const tests: KeyOrder = {
  keys: ['version', ...TEST_FILE_KEYS],
  below: new Map<string, KeyOrder>([
    ['records', records],
    ['tests', { each: { keys: TEST_KEYS } }],
  ]),
};

/** The orders of a file of records, of an environment, and of tests. */
export const KEY_ORDERS = { records, environment, tests } as const;
