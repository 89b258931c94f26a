import * as z from 'zod';
import { ProblemError } from '../problem.js';
import { isToken } from '../state/revision.js';
import { BUNDLE_KEY_PREFIX } from './signing-key.js';

/*
 * A publication is a folder from which any web server distributes the bundles of one tenant. A small pointer says, signed,
 * which revision was the newest at what time; it is replaced again and again. All other files but the keys never change:
 * their names follow from the key that has signed them and from the revision that they hold or start at, with its epoch if
 * the cloud has declared one.
 */

/** The pointer. It is written last. */
export const POINTER_FILE = 'newest.json';
export const POINTER_BYTES_MAX = 64 * 1024;

/** The keys that sign, and the announcements that lead to them, as `readServedKeys` takes them. */
export const KEYS_FILE = 'keys.json';

/** The name of the folder of a key. */
const KEY_FOLDER = new RegExp(`^${BUNDLE_KEY_PREFIX}[\\w-]{1,100}$`);
const FILE = /^(bundle|delta)-([0-9a-f.-]{1,100})\.tar\.gz$/;

const revisionSchema = z.string().refine(isToken, 'is not a revision');

const pointerSchema = z.object({
  format: z.literal(1),
  /** The cloud's signed statement about the newest revision (`readNewest`). */
  newest: z.string(),
  /** The revision of the whole bundle that is there, with its epoch if the cloud has declared one; the changes after it lead to the newest revision. */
  bundle: revisionSchema,
});

export type Pointer = z.infer<typeof pointerSchema>;

export function pointerText(pointer: Omit<Pointer, 'format'>): string {
  return `${JSON.stringify({ format: 1, ...pointer } satisfies Pointer)}\n`;
}

/** Throws `invalid_bundle` if the text is not a pointer. Nothing in it has been verified. */
export function readPointer(text: string): Pointer {
  try {
    return pointerSchema.parse(JSON.parse(text));
  } catch (error) {
    const detail = `${POINTER_FILE} is not what "servicectl bundle publish" writes there: it begins with ${JSON.stringify(text.slice(0, 40))}.`;
    throw new ProblemError('invalid_bundle', detail, [], { cause: error });
  }
}

/** Whether this may be the name of the folder of a key. */
export function isKeyFolder(name: string): boolean {
  return KEY_FOLDER.test(name);
}

/** The path of a bundle that a key has signed. Throws `invalid_bundle` for what is no key id or no revision. */
export function bundlePath(kid: string, revision: string): string {
  return pathOf(kid, `bundle-${revision}.tar.gz`);
}

/** The path of the changes that start at a revision, as a key has signed them. Throws as `bundlePath` does. */
export function deltaPath(kid: string, base: string): string {
  return pathOf(kid, `delta-${base}.tar.gz`);
}

/** Returns what a file in the folder of a key is, by its name; undefined for any other file. */
export function publishedFile(name: string): { is: 'bundle' | 'delta'; revision: string } | undefined {
  const [, is, revision = ''] = FILE.exec(name) ?? [];
  return isToken(revision) ? { is: is as 'bundle' | 'delta', revision } : undefined;
}

/** Names are checked, since a path that leads elsewhere must be neither asked for nor written. */
function pathOf(kid: string, name: string): string {
  if (isKeyFolder(kid) && publishedFile(name) !== undefined) return `${kid}/${name}`;
  throw new ProblemError(
    'invalid_bundle',
    `${JSON.stringify(`${kid}/${name}`.slice(0, 200))} names no published file.`,
  );
}
