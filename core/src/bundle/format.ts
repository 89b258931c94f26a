/** The two entries of an archive: a text, and the signature over its bytes, a compact JWS (RFC 7515 section 3.1). */
export interface ArchiveEntries {
  text: string;
  signature: string;
}

/** The entries of the archive with all records of one revision. */
export const BUNDLE_ENTRIES: ArchiveEntries = { text: 'bundle.json', signature: 'bundle.jws' };

/** The entries of the archive with the changes from one revision to another. */
export const DELTA_ENTRIES: ArchiveEntries = { text: 'delta.json', signature: 'delta.jws' };

/** The token that requests deltas in `A-IM` and names them in `IM` (RFC 3229 section 10.5). */
export const DELTA_MANIPULATION = 'policy-delta';

/** The size of a tar archive's blocks, in bytes. */
export const TAR_BLOCK = 512;
