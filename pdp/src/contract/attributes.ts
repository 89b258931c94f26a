import type { Json, JsonObject } from '@authz-service/core/json/json';
import * as z from 'zod';

/** The values that callers may give where JSON is sent; undefined members are omitted. */
export type SentJson = Exclude<Json, object> | undefined | readonly SentJson[] | SentObject;
export type SentObject = { readonly [name: string]: SentJson };

/**
 * An object of which conditions may read any member. It is used as it is: copying it would cost more than all other
 * checks of a request, and would lose a member named `__proto__`.
 */
export const attributesSchema = z
  .custom<JsonObject>(isObject, { error: 'must be an object', abort: false })
  .meta({ type: 'object' }) as unknown as z.ZodType<JsonObject, SentObject>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
