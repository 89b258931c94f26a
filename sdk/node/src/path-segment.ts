import { ServiceError } from './service-error.js';

/**
 * Encodes a name as a segment of a path. Throws `invalid_request` for what no segment can hold: an empty name would mean the
 * whole collection, and a dot segment would vanish from the URL.
 */
export function pathSegment(name: string, what: string): string {
  if (/^\.{0,2}$/.test(name)) {
    throw new ServiceError('invalid_request', `"${name}" cannot name ${what} in a URL: use its id.`);
  }
  return encodeURIComponent(name);
}
