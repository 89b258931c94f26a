/** The entry of a bundle's archive that holds the records. */
export const BUNDLE_ENTRY = 'bundle.json';

/** The entry that holds the signature over the other one: a compact JWS (RFC 7515 section 3.1). */
export const SIGNATURE_ENTRY = 'bundle.jws';

/** The size of a tar archive's blocks, in bytes. */
export const TAR_BLOCK = 512;
