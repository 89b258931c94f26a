import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** The version of this package; undefined where the program was copied without it. */
export const VERSION = textOf(() => require('../package.json').version);

/** The commit that this was built from, which the build writes; undefined where it knew none. */
const COMMIT = textOf(() => require('./commit.json').commit);

/** Version and commit for people: `0.1.0 (8cffc376a1b2)`. */
export const FULL_VERSION = `${VERSION ?? 'unknown'}${COMMIT === undefined ? '' : ` (${COMMIT})`}`;

function textOf(read: () => unknown): string | undefined {
  try {
    const value = read();
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
