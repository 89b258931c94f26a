import type { IncomingHttpHeaders } from 'node:http';
import { ProblemError } from '@authz-service/core/problem';
import { bodyText, isJsonType, parseJsonBody } from '@authz-service/pdp/transport/json-body';
import { TokenError, type TokenRequest } from '../commands/issue-token.js';

const FORM = /^application\/x-www-form-urlencoded\s*(?:;.*)?$/i;

/** The parameters of a token request (RFC 6749 section 4.4.2), as a form or as JSON. */
export function tokenParameters(type: string | undefined, bytes: Buffer): Map<string, string> {
  if (type !== undefined && FORM.test(type)) {
    const parameters = new Map<string, string>();
    for (const [name, value] of new URLSearchParams(bodyText(bytes))) add(parameters, name, value);
    return parameters;
  }
  if (isJsonType(type)) return jsonParameters(bytes);
  throw new TokenError('invalid_request', 'Send the parameters as application/x-www-form-urlencoded or as JSON.');
}

function jsonParameters(bytes: Buffer): Map<string, string> {
  const value = parseJsonBody(bytes);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TokenError('invalid_request', 'The body must be a JSON object.');
  }
  const parameters = new Map<string, string>();
  for (const [name, member] of Object.entries(value)) if (typeof member === 'string') add(parameters, name, member);
  return parameters;
}

function add(parameters: Map<string, string>, name: string, value: string): void {
  if (parameters.has(name)) throw new TokenError('invalid_request', 'A parameter is given twice.');
  parameters.set(name, value);
}

/** Who asks for a token: given by HTTP Basic or by parameters, not both (RFC 6749 section 2.3.1). */
export function tokenRequest(headers: IncomingHttpHeaders, parameters: Map<string, string>): TokenRequest {
  const grant = parameters.get('grant_type');
  if (grant === undefined) throw new TokenError('invalid_request', 'The parameter grant_type is missing.');
  if (grant !== 'client_credentials') {
    throw new TokenError('unsupported_grant_type', 'The only grant type is client_credentials.');
  }
  const scope = parameters.get('scope');
  return { ...clientOf(headers.authorization, parameters), ...(scope !== undefined && { scope }) };
}

function clientOf(header: string | undefined, parameters: Map<string, string>): Omit<TokenRequest, 'scope'> {
  const id = parameters.get('client_id');
  const secret = parameters.get('client_secret');
  if (header === undefined) {
    if (id !== undefined && secret !== undefined) return { clientId: id, clientSecrets: [secret] };
    throw new TokenError(
      'invalid_client',
      'No client credentials were sent: use HTTP Basic, or client_id and client_secret.',
    );
  }
  if (secret !== undefined) {
    throw new TokenError('invalid_request', 'Client credentials were sent twice: use the header or the parameters.');
  }
  const [, encoded] = /^Basic +([A-Za-z0-9+/=_-]+) *$/i.exec(header) ?? [];
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1) throw new TokenError('invalid_client', 'The Authorization header contains no HTTP Basic credentials.');
  const [rawId, rawSecret] = [text.slice(0, colon), text.slice(colon + 1)];
  const clientId = formDecoded(rawId);
  if (id !== undefined && id !== clientId && id !== rawId) {
    throw new TokenError('invalid_request', 'The header and the parameters name different clients.');
  }
  // The standard requires both parts to be form-encoded; many clients send them unencoded.
  return { clientId, clientSecrets: [...new Set([formDecoded(rawSecret), rawSecret])] };
}

function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** A fault in reading the request, in the form of RFC 6749. */
export function asTokenError(error: unknown): unknown {
  return error instanceof ProblemError && error.code === 'invalid_request'
    ? new TokenError('invalid_request', error.detail)
    : error;
}
