/** The header of an answer that names the tenant's revision that the questions were decided or searched at, or that a commit made. */
export const REVISION_HEADER = 'Service-Revision';
