import * as z from 'zod';
import { isExact } from '../json/exact-number.js';
import type { Json, JsonObject } from '../json/json.js';
import type { Kind } from './kinds.js';

/**
 * Facts that a field's schema states beyond its type. Every notation (HTTP, YAML's JSON Schema, OpenAPI, Terraform) reads
 * it.
 */
export interface FieldMeta {
  description?: string;
  /** The field is part of the natural key: another value is another record. */
  key?: true;
  /** The field holds the path (address without kind) of a record of this kind; on the wire `<field>_id` may stand for it. */
  reference?: Kind;
  /** This text in the place of a path stands for all records that may be meant. */
  all?: string;
  /** The text is a condition, in which paths of records may stand. */
  condition?: true;
  /** The field holds the path of a record whose kind the named sibling field says. */
  entity?: string;
  /** Order means nothing and repetition adds nothing. */
  set?: true;
  /** The key in YAML, where it is not the field's name: over HTTP, say, `id` is the record's own. */
  yaml?: string;
  /** The empty text or set says what absence says, and is kept as that. */
  emptyIsAbsent?: true;
  /** A declaration that says none of the kept fields of a record leaves them as they are. */
  kept?: true;
}

declare module 'zod' {
  interface GlobalMeta extends FieldMeta {}
}

const byCodeUnit = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

// Validators outside JavaScript read these patterns too, and not all of them know \p{Cc}.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a name must not hold
const NO_CONTROLS = /^[^\u0000-\u001F\u007F-\u009F]*$/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a name must not hold
const NO_BLANKS = /^[^\s\u0000-\u001F\u007F-\u009F]+$/u;

/** A record's own name: 1 to 256 characters, none of them a control character. */
export const nameText = z
  .string()
  .min(1, 'must not be empty')
  .max(256, 'must have at most 256 characters')
  .regex(NO_CONTROLS, 'must not hold control characters')
  .refine((name) => name !== '*', 'is no name, since it stands for all: choose another');

/** The type of a subject, where `everyone` would be read as all subjects. */
export const subjectTypeText = nameText.refine((type) => type.toLowerCase() !== 'everyone', {
  message: 'is no type of subjects, since it stands for all: choose another',
  when: ({ issues }) => issues.length === 0,
});

/** A text for people, which may be left out. */
export const freeText = (max: number, text: string) =>
  z
    .string()
    .max(max)
    .optional()
    .overwrite((given) => (given === '' ? undefined : given))
    .meta({ description: text, emptyIsAbsent: true });

export const description = freeText(4096, 'A note for people.');

/** A set of strings, sorted and without repetition. */
export const stringSet = <T extends z.ZodType<string>>(item: T) =>
  z
    .array(item)
    .overwrite((values) => [...new Set(values)].sort(byCodeUnit))
    .meta({ set: true });

/** A set that may be left out. The empty set says the same. Only for sets whose absence means that there are none. */
export const orNone = <T extends z.ZodArray>(set: T) =>
  set
    .optional()
    .overwrite((given) => (given?.length === 0 ? undefined : given))
    .meta({ emptyIsAbsent: true });

/** The path of a record of `kind`. */
export const reference = (kind: Kind, text: string) =>
  z.string().min(1, 'must not be empty').max(1024).meta({ reference: kind, description: text });

/** Paths of records of `kind`, sorted and without repetition. */
export const referenceSet = (kind: Kind, text: string) => stringSet(reference(kind, text));

/** An RFC 3339 moment, kept in UTC. */
export const moment = (text: string) =>
  z.iso
    .datetime({
      offset: true,
      error: 'must be an RFC 3339 date and time with a zone, like "2027-01-31T18:00:00Z"',
      abort: true,
    })
    .refine((written) => /^\d{4}-/.test(utc(written)), 'must lie in the years 0000 to 9999 of UTC')
    .overwrite(utc)
    .optional()
    .meta({ description: text });

export const expiresAt = moment('When this expires (RFC 3339).');

/** When a link counts. A record that has them is refined by `startsBeforeItExpires`. */
export const period = {
  starts_at: moment('From when on this counts (RFC 3339); absent means from the beginning.'),
  expires_at: expiresAt,
};

/** For the `superRefine` of records that have a `period`: one that is empty is a mistake. */
export function startsBeforeItExpires(
  { starts_at, expires_at }: { starts_at?: string | undefined; expires_at?: string | undefined },
  context: z.core.$RefinementCtx,
): void {
  if (starts_at === undefined || expires_at === undefined || Date.parse(starts_at) < Date.parse(expires_at)) return;
  const message = `is not before expires_at, ${JSON.stringify(expires_at)}, so that this would never count: correct one of them`;
  context.addIssue({ code: 'custom', path: ['starts_at'], message });
}

/** A value that is not a timestamp is returned unchanged: it has already been refused, but is still normalized. */
function utc(text: string): string {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? text : new Date(ms).toISOString();
}

/** The types a declared property may have; `any` is checked only when a condition runs. */
export const PROPERTY_TYPES = ['string', 'number', 'boolean', 'list', 'map', 'any'] as const;
export type PropertyType = (typeof PROPERTY_TYPES)[number];

/** Properties that records of a type may have, and the type of each. */
export const propertyTypes = (text: string) =>
  z.record(z.string().min(1).max(256), z.enum(PROPERTY_TYPES)).optional().meta({ description: text });

/** The properties that requests may send, besides which the recorded ones count alone; absent means all. */
export const fromRequests = stringSet(z.string().min(1).max(256)).optional().meta({
  description:
    'The properties that requests may send; the others are as they are recorded, and absent without a record. Absent means all, an empty set none.',
});

/** The properties whose values no log and no comment may hold. */
export const sensitiveProperties = orNone(stringSet(z.string().min(1).max(256))).meta({
  description: 'The properties whose values are masked in decision logs and in what plans show.',
});

/** For the `superRefine` of types: a property that nobody declares has no values to mask. */
export function masksDeclared(
  { sensitive = [], properties }: { sensitive?: string[] | undefined; properties?: object | undefined },
  context: z.core.$RefinementCtx,
): void {
  if (properties === undefined) return;
  for (const [index, name] of sensitive.entries()) {
    if (Object.hasOwn(properties, name)) continue;
    const message = 'is not declared by the type: declare it in properties, or take it out';
    context.addIssue({ code: 'custom', path: ['sensitive', index], message });
  }
}

/** For the `superRefine` of types: a property that cannot be sent since nobody declares it is a mistake. */
export function sendsDeclared(
  { from_requests: sent = [], properties }: { from_requests?: string[] | undefined; properties?: object | undefined },
  others: readonly string[],
  context: z.core.$RefinementCtx,
): void {
  if (properties === undefined) return;
  for (const [index, name] of sent.entries()) {
    if (Object.hasOwn(properties, name) || others.includes(name)) continue;
    const message = 'is not declared by the type: declare it in properties, or take it out';
    context.addIssue({ code: 'custom', path: ['from_requests', index], message });
  }
}

/** Stored attributes: any JSON values under names. */
export const properties = z
  .record(z.string().min(1).max(256), z.json())
  .superRefine((values, context) => {
    for (const path of roundedIn(values))
      context.addIssue({ code: 'custom', path, message: 'is too large to be kept exactly: write it in quotes' });
  })
  .optional()
  .meta({
    description:
      'Stored attributes for conditions; a request overrides those that its type takes from requests, key by key.',
  }) as unknown as z.ZodOptional<z.ZodType<JsonObject>>;

/** Yields the places of whole numbers of which a double has lost the last digits, like those of a long identifier. */
function* roundedIn(value: Json, at: (string | number)[] = []): Generator<(string | number)[]> {
  if (typeof value === 'number' && !isExact(value)) yield at;
  else if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* roundedIn(item, [...at, index]);
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) yield* roundedIn(item, [...at, key]);
}

export const actionName = z
  .string()
  .min(1, { error: 'must not be empty', abort: true })
  .max(128)
  .regex(NO_BLANKS, 'must not hold white space');

export const entityPath = (kindField: string, text: string) =>
  z.string().min(1, 'must not be empty').max(1024).meta({ entity: kindField, description: text });
