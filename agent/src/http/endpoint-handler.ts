import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ProblemError } from '@authz-service/core/problem';
import type { Endpoint } from '@authz-service/pdp/endpoints/endpoint';
import { maxAgeOf } from '@authz-service/pdp/revision/max-age';
import { isReached, minRevisionOf } from '@authz-service/pdp/revision/min-revision';
import { MIB } from '@authz-service/pdp/transport/body-bytes';
import { jsonOf } from '@authz-service/pdp/transport/json-body';
import { shownProblem } from '@authz-service/pdp/transport/problem-document';
import { PROBLEM_STATUS } from '@authz-service/pdp/transport/problem-status';
import { readBody } from '@authz-service/pdp/transport/read-body';
import type { DecisionLog } from '../decision-log.js';
import { AgentCall, type CallOptions } from './agent-call.js';
import { sendJson, sendProblem } from './respond.js';

const BODY_BYTES_MAX = MIB;
/** How long a request waits for room in the decision log. */
const ROOM_MS = 5_000;
const FULL = 'The decision log has no room, and decisions wait for it: see that its receiver takes lines.';
const UNLOGGED =
  'The decision cannot be written to the decision log, which decisions wait for: see that its disk has room.';

/** Answers an endpoint of the decision point. An answer within one turn of the event loop needs no promise. */
export function endpointHandler(endpoint: Endpoint, options: CallOptions) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    if (endpoint.request === undefined) answer(() => undefined);
    else readBody(request, BODY_BYTES_MAX, (body) => answer(() => jsonOf(request, body, 'invalid_request')));

    function answer(read: () => unknown): void {
      let call = new AgentCall(options, request);
      const send = (answered: object) => {
        if (call.isUnlogged) return refuse(new ProblemError('not_ready', UNLOGGED));
        if (endpoint.cacheControl !== undefined) response.setHeader('Cache-Control', endpoint.cacheControl);
        sendJson(response, answered, call.requestId, call.revision);
      };
      const refuse = (error: unknown) => {
        const problem = shownProblem(error);
        if (endpoint.decides && !call.counted) call.evaluated({ outcome: problem });
        if (!endpoint.decides && PROBLEM_STATUS[problem.code] === 500) {
          const line = { request_id: call.identify(), code: problem.code, err: problem.cause };
          options.log.error(line, `${endpoint.operation} failed`);
        }
        sendProblem(request, response, problem, call.requestId);
      };
      try {
        const asked = endpoint.parse(read());
        const maxAgeMs = endpoint.open ? undefined : maxAgeOf(request.headers['service-max-age']);
        call.maxAgeMs = maxAgeMs;
        const wanted = endpoint.open ? undefined : minRevisionOf(request.headers['service-min-revision']);
        const isEarly = wanted !== undefined && !isReached(wanted, options.state.servedToken);
        const full = endpoint.decides ? options.decisionLog?.room() : undefined;
        if (isEarly || full !== undefined) {
          const reached = () => {
            // Its time is that of the decision, not of the wait.
            call = new AgentCall(options, request);
            call.maxAgeMs = maxAgeMs;
            return endpoint.answer(asked, call);
          };
          const gone = goneSignal(response);
          const refuseWaiting = (error: unknown) => (gone.aborted ? undefined : refuse(error));
          const held = Promise.all([
            isEarly && options.reach(wanted, gone),
            full && awaitRoom(options.decisionLog, gone),
          ]);
          held.then(reached).then(send).catch(refuseWaiting);
          return;
        }
        const answered = endpoint.answer(asked, call);
        if (answered instanceof Promise) answered.then(send).catch(refuse);
        else send(answered);
      } catch (error) {
        refuse(error);
      }
    }
  };
}

/** Waits until the sinks that block have room. Throws `not_ready` if that takes too long, and the signal's reason. */
async function awaitRoom(log: DecisionLog | undefined, gone: AbortSignal): Promise<void> {
  const late = AbortSignal.timeout(ROOM_MS);
  const end = AbortSignal.any([gone, late]);
  for (let room = log?.room(); room !== undefined; room = log?.room()) {
    await Promise.race([room, once(end, 'abort')]);
    if (gone.aborted) throw gone.reason;
    if (late.aborted) throw new ProblemError('not_ready', FULL);
  }
}

/** Aborted when the answer is sent, or the connection closes before that. */
function goneSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => controller.abort());
  return controller.signal;
}
