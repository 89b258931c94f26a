/** Collections within collections; the notation itself needs nine, the rest is for properties. */
export const MAX_DEPTH = 64;

/** UTF-16 units of one file. One of this size takes about a gigabyte while it is read. */
export const MAX_FILE_LENGTH = 8 * 1024 * 1024;

/** How many values the aliases of one document may stand for altogether: far above use, far below harm. */
export const MAX_ALIASED_VALUES = 100_000;
