import { ServiceError } from './service-error.js';

/** The headers that the client sends itself or that HTTP needs, and the option for those that have one. */
const OWN =
  /^(authorization|user-agent|x-request-id|service-.*|accept(-encoding)?|connection|content-.*|expect|host|idempotency-key|if-.*|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/;
const OPTIONS: Record<string, string> = {
  authorization: 'give "credentials"',
  'user-agent': 'give "userAgent"',
  'x-request-id': 'give "requestId" to the call',
  'service-max-age': 'give "maxAgeSeconds"',
};

/** The shortest value that counts as a secret: no error repeats it. */
const SECRET_MIN = 8;

/** The headers that the caller wants with every request, by their names in small letters. Throws `invalid_config`. */
export function callersHeaders(given: Readonly<Record<string, string>>): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [written, value] of Object.entries(given)) {
    const name = written.toLowerCase();
    if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name))
      throw invalid(`${JSON.stringify(written)} is no name of a header: use letters and "-".`);
    if (OWN.test(name))
      throw invalid(`The header "${written}" is the client's own: ${OPTIONS[name] ?? 'leave it out'}.`);
    if (name in headers) throw invalid(`The header "${written}" is given twice: give it once.`);
    if (!isHeaderValue(value)) {
      throw invalid(`The value of the header "${written}" is empty or not plain ASCII in one line.`);
    }
    headers[name] = value;
  }
  return headers;
}

export function isHeaderValue(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]([\x20-\x7e\t]*[\x21-\x7e])?$/.test(value);
}

/** The values of headers, or of other options, that may be secrets. */
export function secretsIn(headers: Readonly<Record<string, string>>): string[] {
  return Object.values(headers).filter((value) => value.length >= SECRET_MIN);
}

/** The value of `Service-Max-Age`. Throws `invalid_config` for anything but whole seconds. */
export function maxAgeHeader(seconds: number): string {
  if (Number.isInteger(seconds) && seconds >= 0 && seconds < 1e9) return String(seconds);
  throw invalid(`A maximum age of ${seconds} seconds cannot be asked for: give a whole number from 0 to 999999999.`);
}

function invalid(detail: string): ServiceError {
  return new ServiceError('invalid_config', detail);
}
