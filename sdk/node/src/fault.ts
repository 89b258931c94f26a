import { PROXY } from './proxy-fault.js';
import { ServiceError } from './service-error.js';
import type { Fault } from './transport.js';

/** An error of the operating system, as Node has it. */
type SystemError = Error & { code?: string; syscall?: string };

/** Node's code for a server that speaks no TLS. */
const NO_TLS = 'ERR_SSL_WRONG_VERSION_NUMBER';

/** Meanings of connection faults, by the system's code, or else by the message. */
const MEANINGS: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused: is the service running there?',
  ECONNRESET: 'the connection was reset.',
  UND_ERR_SOCKET: 'the connection was closed before the answer came.',
  EPIPE: 'the connection was closed before the request was sent.',
  ENOENT: 'there is no such socket: is the service running there?',
  EACCES: 'the socket belongs to somebody else.',
  ENOTFOUND: 'the host name is not known: check the URL.',
  EAI_AGAIN: 'the host name could not be looked up.',
  UND_ERR_CONNECT_TIMEOUT: 'the connection could not be made in time.',
  ETIMEDOUT: 'the connection timed out.',
  EHOSTUNREACH: 'there is no route to the host.',
  ENETUNREACH: 'there is no route to the network.',
  HPE_INVALID_CONSTANT: 'what answers there does not speak HTTP: check scheme and port.',
  'bad port': 'the port is one that HTTP clients refuse, for it belongs to another protocol: use another.',
  [NO_TLS]: 'the server there does not speak TLS: write http:// in place of https://.',
};

/** Faults before a connection was made: nothing of the request can have been processed. */
const BEFORE_CONNECTION = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT', PROXY]);

/** A refused certificate or a malformed answer would only be refused again. */
const LASTING = /CERT|SELF_SIGNED|UNABLE_TO_|^ERR_SSL|^ERR_TLS|^HPE_/;

/** The fault that an error thrown by `fetch` stands for; `base` is the address that people know the service by. */
export function networkFault(error: unknown, base: string, at: string): Fault {
  const cause = rootOf(error);
  const code = isPlainServer(cause) ? NO_TLS : (cause.code ?? '');
  const unsent = BEFORE_CONNECTION.has(code) || cause.syscall === 'connect';
  const meaning = MEANINGS[code] ?? MEANINGS[cause.message] ?? `${cause.message}.`;
  const detail = unsent ? `${base} cannot be reached: ${meaning}` : `${at} failed: ${meaning}`;
  return {
    error: new ServiceError('network', code === '' || code === PROXY ? detail : `${detail} (${code})`, [], {
      cause: error,
    }),
    state: LASTING.test(code) ? 'final' : unsent ? 'unprocessed' : 'unclear',
    waitMs: 0,
  };
}

/** Depending on how the connection was made, Node has a code for a server without TLS, or only OpenSSL's words. */
function isPlainServer({ code, message }: SystemError): boolean {
  return code === NO_TLS || message.includes('wrong version number');
}

/** `fetch` wraps the system's error, and a host with several addresses gives one error for each. */
function rootOf(error: unknown): SystemError {
  let current = error;
  for (let depth = 0; depth < 8; depth++) {
    if (current instanceof AggregateError && current.errors[0] instanceof Error) current = current.errors[0];
    else if (current instanceof Error && current.cause instanceof Error) current = current.cause;
    else break;
  }
  return current instanceof Error ? current : new Error(String(current));
}
