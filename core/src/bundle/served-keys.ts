import * as z from 'zod';
import { ProblemError } from '../problem.js';
import { BUNDLE_KEY_PREFIX, type BundleKey, bundleKeySchema } from './signing-key.js';

const KEYS_MAX = 1000;

const documentSchema = z.looseObject({
  keys: z.array(z.looseObject({ kid: z.string().optional() })).max(KEYS_MAX),
  announcements: z.array(z.string()).max(KEYS_MAX).optional(),
});

/** The bundle keys in a JWKS. */
export interface ServedKeys {
  keys: BundleKey[];
  /** See `followAnnouncements`. */
  announcements: string[];
}

/**
 * Reads a JWKS (RFC 7517 section 5) as a cloud serves it, or an operator pins it; keys of other purposes in it are left
 * out. Throws `invalid_bundle` on what is none, or holds no key of bundles.
 */
export function readServedKeys(text: string): ServedKeys {
  const document = documentSchema.safeParse(parse(text));
  if (!document.success) throw invalid('It is no JWKS: a JSON object with a list of "keys".');
  const own = document.data.keys.filter(({ kid }) => kid?.startsWith(BUNDLE_KEY_PREFIX));
  if (own.length === 0) throw invalid(`It holds no key of bundles, whose "kid" starts with "${BUNDLE_KEY_PREFIX}".`);
  const keys = z.array(bundleKeySchema).safeParse(own);
  if (!keys.success) throw invalid('A key of bundles in it is not a public EC key on P-256 for ES256.');
  return { keys: keys.data, announcements: document.data.announcements ?? [] };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function invalid(detail: string): ProblemError {
  return new ProblemError('invalid_bundle', detail);
}
