import { PROBLEMS, type ProblemCode } from '@authz-service/core/problem';
import * as z from 'zod';

export const problemCodeSchema = z.enum(Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]]);

/** One fault inside a document; `pointer` is an RFC 6901 JSON pointer. */
export const problemItemSchema = z.object({
  pointer: z.string(),
  detail: z.string(),
  address: z.string().optional(),
});

/** A refusal in the format of RFC 9457. */
export const problemDocumentSchema = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: problemCodeSchema,
    errors: z.array(problemItemSchema).optional(),
    request_id: z.string(),
  })
  .meta({ id: 'Problem' });

export type ProblemDocument = z.infer<typeof problemDocumentSchema>;
