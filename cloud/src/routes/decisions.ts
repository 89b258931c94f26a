import type { ProblemCode } from '@authz-service/core/problem';
import type { Endpoint } from '@authz-service/pdp/endpoints/endpoint';
import { ENDPOINTS } from '@authz-service/pdp/endpoints/endpoints';
import { MIB } from '@authz-service/pdp/transport/body-bytes';
import { REVISION_HEADER } from '@authz-service/pdp/transport/revision-header';
import * as z from 'zod';
import type { Cloud } from '../cloud.js';
import { decisionTimeQuery, PAST_HEADERS, pastHeaders, tenantAt } from '../commands/tenant-at.js';
import { CloudCall } from '../http/cloud-call.js';
import { renewFor } from '../http/refuse-old.js';
import { json, type Reply } from '../http/reply.js';
import { type BodyRule, type Operation, open, type Route, secured } from '../http/route.js';

const timeQuerySchema = z.strictObject(decisionTimeQuery);
type TimeQuery = z.output<typeof timeQuerySchema>;

/** The endpoints that every decision point has; most of them require a credential for decisions. */
export function decisionRoutes(cloud: Cloud): Route[] {
  return ENDPOINTS.map((endpoint) => {
    const route = {
      method: endpoint.method,
      path: endpoint.path,
      body: bodyOf(endpoint),
      operation: operationOf(endpoint),
    };
    if (endpoint.open)
      return open<undefined, unknown>({
        ...route,
        handle: (call) => answer(endpoint, call.body, new CloudCall(cloud, call)),
      });
    return secured<TimeQuery, unknown>({
      ...route,
      anyOf: ['decisions'],
      query: timeQuerySchema,
      handle: async (call) => {
        const { credential, query } = call;
        const { at } = query;
        if (at === undefined) await renewFor(cloud, credential.tenant, endpoint.about(call.body));
        for (;;) {
          const { tenant, now } = await tenantAt(cloud, { credential, at, now: call.now, ahead: true });
          const { revision } = tenant;
          const asked = new CloudCall(cloud, call, tenant, now);
          const reply = await tenant.inTurn(() => answer(endpoint, call.body, asked, pastHeaders(at, tenant)));
          // A commit may have come between; then what was the present revision is found in history.
          if (at === undefined || asked.revision === undefined || asked.revision === revision) return reply;
        }
      },
    });
  });
}

function bodyOf({ request, parse }: Endpoint): BodyRule<unknown> | undefined {
  return request && { limitBytes: MIB, schema: request, parse, wrongType: 'invalid_request' };
}

/** Tenants share the cloud, so each credential's requests are limited. */
function operationOf({ operation, summary, response, problems, open }: Endpoint): Operation {
  const all: ProblemCode[] = open ? [...problems] : [...problems, 'too_many_requests', 'not_found', 'outside_history'];
  const answered = open
    ? response
    : {
        ...response,
        headers: { ...PAST_HEADERS, [REVISION_HEADER]: "The tenant's revision that the answer was found at." },
      };
  return { id: operation, summary, tag: 'decisions', responses: { 200: answered }, problems: all };
}

async function answer(
  endpoint: Endpoint,
  asked: unknown,
  call: CloudCall,
  more: Record<string, string> = {},
): Promise<Reply> {
  const { cacheControl } = endpoint;
  const answered = await endpoint.answer(asked, call);
  const headers = { ...more };
  if (cacheControl !== undefined) headers['cache-control'] = cacheControl;
  if (call.revision !== undefined) headers[REVISION_HEADER] = call.revision;
  return json(200, answered, headers);
}
