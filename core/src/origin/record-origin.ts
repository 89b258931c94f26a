import * as z from 'zod';
import { provenanceSchema } from './provenance.js';
import { publicRepository } from './public-repository.js';

const REPOSITORY_LENGTH_MAX = 1024;
const PATH_LENGTH_MAX = 1024;
const LINE_MAX = 100_000_000;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a path must not hold
const CONTROLS = /[\u0000-\u001F\u007F-\u009F]/;

/** A file by its path from the top of the repository, or, outside of one, from the folder that was applied. */
export const originPath = z
  .string()
  .min(1, 'must not be empty')
  .max(PATH_LENGTH_MAX, `must have at most ${PATH_LENGTH_MAX} characters`)
  .refine(
    (path) => !CONTROLS.test(path) && !path.includes('\\') && path.split('/').every((name) => !/^\.{0,2}$/.test(name)),
    'must be a path like "tenant/roles.yaml": relative, with "/", and without "." and ".."',
  );

export const originLine = z.int().min(1).max(LINE_MAX);

/** A fault of it does not repeat the value: it may hold somebody's password. */
const repository = z
  .string()
  .refine((url) => url.length <= REPOSITORY_LENGTH_MAX && publicRepository(url) === url, {
    error: `must be the URL of a repository as https://HOST/PATH or ssh://HOST/PATH, without user, password, query and ".git", of at most ${REPOSITORY_LENGTH_MAX} characters`,
    params: { unnamed: true },
  })
  .meta({ description: 'The repository: `https://github.com/acme/access`. Never with credentials.' });

export const commitName = z
  .string()
  .regex(/^[0-9a-f]{7,64}$/, 'must be the name of a commit: 7 to 64 of the digits 0-9 and a-f');

/** The part of an origin that the records of a change-set have in common. */
export const originSourceSchema = z.strictObject({
  repository: repository.optional(),
  commit: commitName.optional().meta({ description: 'The commit that was applied.' }),
  uncommitted: z.literal(true).optional().meta({
    description: 'The files have changes that are in no commit; then neither repository nor commit is known.',
  }),
});
export type OriginSource = z.infer<typeof originSourceSchema>;

/** The origin of a commit to the tenant, and who stands behind it. */
export const commitSourceSchema = originSourceSchema.extend(provenanceSchema.shape);
export type CommitSource = z.infer<typeof commitSourceSchema>;

/** The place of a record when it was last changed; what is not known is absent. */
export const recordOriginSchema = originSourceSchema.extend({
  path: originPath.optional(),
  line: originLine.optional(),
});
export type RecordOrigin = z.infer<typeof recordOriginSchema>;

/** The origins of all records of a change-set: what they have in common, and their places. */
export const declaredOriginsSchema = commitSourceSchema.extend({
  places: z
    .record(originPath, z.record(z.string().min(1).max(4096), originLine))
    .optional()
    .meta({ description: 'The line that a record begins on, by the path of the file and the address of the record.' }),
});

/** The lines that records begin on, by the path of the file and the address of the record. */
export type OriginPlaces = Record<string, Record<string, number>>;
