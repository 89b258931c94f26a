/** The most characters of a condition. In a file of its own, so that what judges conditions stands on no schemas. */
export const CONDITION_LENGTH_MAX = 4096;
