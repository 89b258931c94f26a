/** The one entry of a bundle's archive. */
export const BUNDLE_ENTRY = 'bundle.json';

/** The size of a tar archive's blocks, in bytes. */
export const TAR_BLOCK = 512;
