import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** The version of this package; undefined where it was copied without its `package.json`. */
export const VERSION = versionOf();

function versionOf(): string | undefined {
  try {
    const { version } = require('../package.json') as { version?: unknown };
    return typeof version === 'string' ? version : undefined;
  } catch {
    return undefined;
  }
}
