import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ProblemError } from '@authz-service/core/problem';
import { closeAfterRefusal } from '@authz-service/pdp/transport/lingering-close';
import { PROBLEM_TYPE, problemDocument, retryAfterOf } from '@authz-service/pdp/transport/problem-document';
import { requestIdOf } from '@authz-service/pdp/transport/request-id';
import { REVISION_HEADER } from '@authz-service/pdp/transport/revision-header';

export function sendText(
  response: ServerResponse,
  status: number,
  type: string,
  text: string,
  requestId: string | undefined,
  revision?: string,
): void {
  const length = Buffer.byteLength(text);
  const headers = ['Content-Type', type, 'Content-Length', `${length}`];
  if (requestId !== undefined) headers.push('X-Request-ID', requestId);
  if (revision !== undefined) headers.push(REVISION_HEADER, revision);
  response.writeHead(status, headers);
  if (length !== text.length) {
    response.end(Buffer.from(text));
    return;
  }
  // Node sends the head as Latin-1, so a request id leaves with the same bytes as it arrived. An ASCII body goes into
  // the same packet. It is written before the end, because waiting for the end would make it a second packet.
  response.write(text, 'latin1');
  response.socket?.uncork();
  response.end();
}

export function sendJson(
  response: ServerResponse,
  body: unknown,
  requestId: string | undefined,
  revision?: string,
): void {
  sendText(response, 200, 'application/json', JSON.stringify(body), requestId, revision);
}

/** Answers with a problem document under the request's id, or else the caller's own, or else a generated one. */
export function sendProblem(
  request: IncomingMessage,
  response: ServerResponse,
  problem: ProblemError,
  requestId = requestIdOf(request) ?? randomUUID(),
): void {
  const document = problemDocument(problem, requestId);
  closeAfterRefusal(problem, request, response);
  const retryAfter = retryAfterOf(problem);
  if (retryAfter !== undefined) response.setHeader('Retry-After', retryAfter);
  sendText(response, document.status, PROBLEM_TYPE, JSON.stringify(document), requestId);
}
