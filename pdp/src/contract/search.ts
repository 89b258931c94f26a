import * as z from 'zod';
import { attributesSchema } from './attributes.js';
import type { DecisionRequestBody } from './decision-request.js';
import {
  actionSchema,
  anyResourceSchema,
  anySubjectSchema,
  contextSchema,
  resourceSchema,
  subjectSchema,
} from './entities.js';

/** The kinds of searches. */
export type SearchKind = 'subject' | 'resource' | 'action';

/** The largest page, and the page size if a request gives no limit. */
export const SEARCH_LIMIT_MAX = 1000;

const pageSchema = z.object({
  token: z
    .string()
    .meta({ description: 'The `next_token` of the page before; an empty one asks for the first page.' })
    .optional(),
  limit: z
    .int()
    .min(0)
    .meta({
      description: `The maximum number of results, at most ${SEARCH_LIMIT_MAX} a page. Requests for later pages may omit it.`,
    })
    .optional(),
  properties: attributesSchema.optional(),
});

/** Which part of the results is wanted. */
export type PageRequest = z.output<typeof pageSchema>;

const common = { context: contextSchema, page: pageSchema.optional() };

/** The bodies of searches (AuthZEN 1.0 sections 8.4 to 8.6); the identifier of what is searched for is ignored. */
export const searchRequestSchemas = {
  subject: z
    .object({ subject: anySubjectSchema, action: actionSchema, resource: resourceSchema, ...common })
    .meta({ id: 'SubjectSearchRequest' }),
  resource: z
    .object({ subject: subjectSchema, action: actionSchema, resource: anyResourceSchema, ...common })
    .meta({ id: 'ResourceSearchRequest' }),
  action: z.object({ subject: subjectSchema, resource: resourceSchema, ...common }).meta({ id: 'ActionSearchRequest' }),
};

type Sent<K extends SearchKind> = Omit<z.input<(typeof searchRequestSchemas)[K]>, 'page'>;
type Resource = Pick<DecisionRequestBody, 'resource'>;

/** The types that callers send, page by page. */
export type SubjectSearchBody = Sent<'subject'> & Resource;
export type ResourceSearchBody = Sent<'resource'>;
export type ActionSearchBody = Sent<'action'> & Resource;

const entitySchema = z.object({ type: z.string(), id: z.string() });
const actionResultSchema = z.object({ name: z.string() });

function searchResponseSchema<R extends z.ZodType>(result: R) {
  return z.object({
    page: z
      .object({
        next_token: z.string().meta({ description: 'Asks for the next page; empty after the last one.' }),
        count: z.int(),
      })
      .optional()
      .meta({ description: 'There when it was asked for, or when there is more.' }),
    context: z
      .object({
        left_out: z.int().meta({ description: 'How many were left out because the request says too little of them.' }),
        absent: z.array(z.string()).meta({ description: 'The attributes that were missing: `context.mfa`.' }),
      })
      .optional()
      .meta({ description: 'There when some were left out of this page.' }),
    results: z.array(result),
  });
}

/** The bodies of answered searches (AuthZEN 1.0 section 8.3). */
export const searchResponseSchemas = {
  subject: searchResponseSchema(entitySchema).meta({ id: 'SubjectSearchResponse' }),
  resource: searchResponseSchema(entitySchema).meta({ id: 'ResourceSearchResponse' }),
  action: searchResponseSchema(actionResultSchema).meta({ id: 'ActionSearchResponse' }),
};

export type SearchResponse<K extends SearchKind = SearchKind> = z.infer<(typeof searchResponseSchemas)[K]>;
export type FoundEntity = z.infer<typeof entitySchema>;
export type FoundAction = z.infer<typeof actionResultSchema>;
