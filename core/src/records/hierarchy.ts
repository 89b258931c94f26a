/** The most parents of a resource, and of a resource type. */
export const PARENTS_MAX = 8;

/** The most levels: a resource with its longest chain of ancestors. */
export const LEVELS_MAX = 32;

/** The most ancestors of one resource. */
export const ANCESTORS_MAX = 256;
