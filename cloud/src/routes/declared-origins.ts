import { eachInSteps } from '@authz-service/core/concurrency/time-slicing';
import { jsonPointer } from '@authz-service/core/json/json-pointer';
import { declaredOriginsSchema, originLine, originPath } from '@authz-service/core/origin/record-origin';
import { type Fault, issueFaults } from '@authz-service/core/records/issue-faults';
import { malformed } from '@authz-service/pdp/contract/parser-of';
import * as z from 'zod';
import type { DeclaredOrigins } from '../commands/settle-origins.js';

/** The origins that a change-set may give its records. */
export const originsInChangeset = declaredOriginsSchema.meta({
  description:
    'The places in Git of the records that the changes write; with `places`, also of others of the stack. They are part of no revision and no digest.',
});

const LINES_MAX = 1_000_000;
const STEP = 200;
const placesSchema = z.record(originPath, z.record(z.string(), z.unknown()));

/** Everything but the places, which are read step by step. */
export const unreadOriginsSchema = declaredOriginsSchema.extend({ places: z.unknown().optional() });

export function* readDeclaredOrigins({
  places: given,
  ...source
}: z.output<typeof unreadOriginsSchema>): Generator<undefined, DeclaredOrigins> {
  const places = new Map<string, { path: string; line: number }>();
  const faults: Fault[] = [];
  const files = placesSchema.optional().safeParse(given);
  const note = (issues: readonly z.core.$ZodIssue[], schema: z.ZodType, value: unknown, ...at: string[]) => {
    for (const { pointer, detail } of issueFaults(schema, [...issues], value))
      faults.push({ pointer: jsonPointer('origins', 'places', ...at) + pointer, detail });
  };
  if (!files.success) note(files.error.issues, placesSchema, given);
  const all = Object.entries(files.data ?? {}).flatMap(([path, addresses]) =>
    Object.entries(addresses).map(([address, line]) => ({ path, address, line })),
  );
  if (all.length > LINES_MAX) {
    const detail = `must have at most ${LINES_MAX} lines in all`;
    throw malformed('The body', [{ pointer: '/origins/places', detail }], ({ pointer }) => pointer);
  }
  yield* eachInSteps(all, STEP, ({ path, address, line }) => {
    const { data, error } = originLine.safeParse(line);
    if (error !== undefined) note(error.issues, originLine, line, path, address);
    else if (places.has(address))
      faults.push({
        pointer: jsonPointer('origins', 'places', path, address),
        detail: 'is given twice: keep one of its places',
      });
    else places.set(address, { path, line: data });
  });
  if (faults.length > 0) throw malformed('The body', faults, ({ pointer }) => pointer);
  return { source, places };
}
