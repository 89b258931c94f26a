import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ProblemError } from '@authz-service/core/problem';
import { closeLingering } from '@authz-service/core/wire/lingering-close';
import { PROBLEM_TYPE, problemDocument } from '@authz-service/core/wire/problem-document';

/**
 * The caller's `X-Request-ID`, as it came: the parser has refused line breaks and other controls, and bounds its length
 * with that of all headers.
 */
export function requestIdOf(request: IncomingMessage): string | undefined {
  const id = request.headers['x-request-id'];
  return typeof id === 'string' && id !== '' ? id : undefined;
}

export function sendText(
  response: ServerResponse,
  status: number,
  type: string,
  text: string,
  requestId: string | undefined,
): void {
  const length = Buffer.byteLength(text);
  response.writeHead(
    status,
    requestId === undefined
      ? ['Content-Type', type, 'Content-Length', `${length}`]
      : ['Content-Type', type, 'Content-Length', `${length}`, 'X-Request-ID', requestId],
  );
  if (length !== text.length) {
    response.end(Buffer.from(text));
    return;
  }
  // Latin-1 is how Node sends the head, so that a request id goes out as the bytes it was; text that is all ASCII goes
  // with it in one piece. Sent before the end is told, it is not made to wait for that, which would be a second piece.
  response.write(text, 'latin1');
  response.socket?.uncork();
  response.end();
}

export function sendJson(response: ServerResponse, body: unknown, requestId: string | undefined): void {
  sendText(response, 200, 'application/json', JSON.stringify(body), requestId);
}

/** Answers with a problem document (RFC 9457) under the caller's request id, or one made for it, which it returns. */
export function sendProblem(request: IncomingMessage, response: ServerResponse, problem: ProblemError): string {
  const requestId = requestIdOf(request) ?? randomUUID();
  const document = problemDocument(problem, requestId);
  // The rest of the body is not waited for, so the connection cannot carry another request.
  if (problem.code === 'payload_too_large' && !request.complete) {
    response.shouldKeepAlive = false;
    closeLingering(request.socket);
  }
  sendText(response, document.status, PROBLEM_TYPE, JSON.stringify(document), requestId);
  return requestId;
}
