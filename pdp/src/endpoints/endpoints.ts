import type { Endpoint } from './endpoint.js';
import { evaluationEndpoints } from './evaluation.js';
import { evaluationsEndpoint } from './evaluations.js';
import { metadataEndpoint } from './metadata.js';
import { searchEndpoints } from './search.js';

/** All that a decision point answers, in the order of reference pages. */
export const ENDPOINTS: readonly Endpoint[] = [
  ...evaluationEndpoints,
  evaluationsEndpoint,
  ...searchEndpoints,
  metadataEndpoint,
];
