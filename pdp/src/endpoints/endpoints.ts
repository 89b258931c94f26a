import type { Endpoint } from './endpoint.js';
import { evaluationEndpoints } from './evaluation.js';
import { evaluationsEndpoint } from './evaluations.js';
import { filterEndpoint } from './filter.js';
import { metadataEndpoint } from './metadata.js';
import { searchEndpoints } from './search.js';

/** All endpoints of a decision point, in the order of reference pages. */
export const ENDPOINTS: readonly Endpoint[] = [
  ...evaluationEndpoints,
  evaluationsEndpoint,
  ...searchEndpoints,
  filterEndpoint,
  metadataEndpoint,
];
