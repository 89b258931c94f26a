import { ProblemError } from '@authz-service/core/problem';
import { isJsonType, parseJsonBody as parsed } from '@authz-service/core/wire/json-body';

/**
 * The value of a JSON body. Throws `invalid_request` on anything else: a body that is no JSON is as wrong as one that is
 * no decision request.
 */
export function parseJsonBody(contentType: string | undefined, body: Buffer): unknown {
  if (!isJsonType(contentType)) {
    const said = contentType === undefined ? 'missing' : `"${contentType.slice(0, 100)}"`;
    throw new ProblemError('invalid_request', `The content type is ${said}: send JSON as "application/json".`);
  }
  return parsed(body);
}
