import * as z from 'zod';
import { publicRepository } from './public-repository.js';

const NAME_LENGTH_MAX = 128;
/** The approvers that a commit can name. */
export const APPROVERS_MAX = 50;
const ADDRESS_LENGTH_MAX = 1024;

/** One line of text that is shown as it is: no control characters, none that turn the direction of text. */
const name = z
  .string()
  .min(1)
  .max(NAME_LENGTH_MAX)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a name must not hold
  .regex(/^[^\u0000-\u001F\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069]*$/, 'must be one line of plain text')
  .refine((text) => text.trim() === text, 'must not begin or end with a space');

/** Who wrote and approved a commit, and what applied it: claims of whoever applied it, by which nothing is decided. */
export const provenanceSchema = z.strictObject({
  author: name.optional().meta({ description: 'Who wrote the commit, or opened the pull request: `ann`.' }),
  pull_request: z
    .int()
    .min(1)
    .max(1_000_000_000)
    .optional()
    .meta({ description: 'The number of the pull request, or merge request, that brought the commit.' }),
  approved_by: z
    .array(name)
    .min(1)
    .max(APPROVERS_MAX)
    .optional()
    .meta({ description: 'Who approved it: `[bob, eve]`.' }),
  pipeline: z
    .string()
    .max(ADDRESS_LENGTH_MAX)
    .refine((url) => url.startsWith('https://') && publicRepository(url) === url, {
      error: 'must be the address of a page, https://HOST/PATH, without user, password and query',
      params: { unnamed: true },
    })
    .optional()
    .meta({ description: 'The page of the pipeline run that applied it.' }),
});
export type Provenance = z.infer<typeof provenanceSchema>;
