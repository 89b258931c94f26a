import * as z from 'zod';
import { ProblemError } from '../problem.js';
import { EPOCH_KEY_PREFIX, type EpochKey, epochKeySchema } from './epoch.js';
import { BUNDLE_KEY_PREFIX, type BundleKey, bundleKeySchema } from './signing-key.js';

const KEYS_MAX = 1000;

const documentSchema = z.looseObject({
  keys: z.array(z.looseObject({ kid: z.string().optional() })).max(KEYS_MAX),
  announcements: z.array(z.string()).max(KEYS_MAX).optional(),
  epoch: z.string().optional(),
});

/** The bundle keys in a JWKS. */
export interface ServedKeys {
  keys: BundleKey[];
  /** See `followAnnouncements`. */
  announcements: string[];
  /** The key that signs epochs, if there is one. */
  epochKey?: EpochKey;
  /** The signed statement of an epoch, in an agent's own file. */
  epoch?: string;
}

/**
 * Reads a JWKS (RFC 7517 section 5) from a cloud or an operator, and leaves out keys with other purposes. Throws
 * `invalid_bundle` if it is not a JWKS or contains no bundle key.
 */
export function readServedKeys(text: string): ServedKeys {
  const document = documentSchema.safeParse(parse(text));
  if (!document.success) throw invalid('It is not a JWKS, which is a JSON object with a list of "keys".');
  const own = document.data.keys.filter(({ kid }) => kid?.startsWith(BUNDLE_KEY_PREFIX));
  if (own.length === 0) throw invalid(`It contains no bundle key, whose "kid" starts with "${BUNDLE_KEY_PREFIX}".`);
  const keys = z.array(bundleKeySchema).safeParse(own);
  if (!keys.success) throw invalid('A bundle key in it is not a public EC key on P-256 for ES256.');
  const signsEpochs = document.data.keys.find(({ kid }) => kid?.startsWith(EPOCH_KEY_PREFIX));
  const epochKey = epochKeySchema.optional().safeParse(signsEpochs);
  if (!epochKey.success) throw invalid('The epoch key in it is not a public EC key on P-256 for ES256.');
  return {
    keys: keys.data,
    announcements: document.data.announcements ?? [],
    ...(epochKey.data && { epochKey: epochKey.data }),
    ...(document.data.epoch !== undefined && { epoch: document.data.epoch }),
  };
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
