import * as z from 'zod';

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 1000;

/** The query parameters of every list. */
export const paging = {
  limit: z
    .string()
    .regex(/^[1-9]\d{0,3}$/, `must be a number from 1 to ${LIMIT_MAX}`)
    .transform(Number)
    .pipe(z.int().min(1).max(LIMIT_MAX, `must be a number from 1 to ${LIMIT_MAX}`))
    .default(LIMIT_DEFAULT)
    .meta({ description: `The most items on a page, 1 to ${LIMIT_MAX}; by default ${LIMIT_DEFAULT}.` }),
  cursor: z
    .string()
    .max(8192)
    .optional()
    .meta({ description: 'The `next_cursor` of the previous page, with the same filter.' }),
};

/** A page of a list, with what else it says. */
export function pageSchema(item: z.ZodType, more: z.ZodRawShape = {}): z.ZodType {
  return z.strictObject({
    items: z.array(item),
    ...more,
    next_cursor: z.string().optional().meta({ description: 'Absent on the last page.' }),
  });
}
