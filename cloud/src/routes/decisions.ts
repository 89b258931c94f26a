import type { Endpoint } from '@authz-service/pdp/endpoints/endpoint';
import { ENDPOINTS } from '@authz-service/pdp/endpoints/endpoints';
import { MIB } from '@authz-service/pdp/transport/body-bytes';
import type { Cloud } from '../cloud.js';
import { CloudCall } from '../http/cloud-call.js';
import { json, type Reply } from '../http/reply.js';
import { open, type Route, secured } from '../http/route.js';

/** What the cloud answers as every decision point does. Who asks for a decision needs a credential; the metadata is open. */
export function decisionRoutes(cloud: Cloud): Route[] {
  return ENDPOINTS.map((endpoint) => {
    const { method, path, request } = endpoint;
    const operation = {
      id: endpoint.operation,
      summary: endpoint.summary,
      tag: 'decisions',
      responses: { 200: endpoint.response },
      problems: [...endpoint.problems],
    };
    if (request === undefined) {
      return open({
        method,
        path,
        operation,
        handle: (call) => answer(endpoint, undefined, new CloudCall(cloud, call)),
      });
    }
    return secured({
      method,
      path,
      operation,
      anyOf: ['decisions'],
      body: {
        limitBytes: MIB,
        schema: request,
        parse: (body: unknown) => endpoint.parse(body),
        wrongType: 'invalid_request',
      },
      handle: async (call) => {
        const tenant = await cloud.tenants.get(call.credential.tenant);
        return await answer(endpoint, call.body, new CloudCall(cloud, call, tenant));
      },
    });
  });
}

async function answer(endpoint: Endpoint, asked: unknown, call: CloudCall): Promise<Reply> {
  const { cacheControl } = endpoint;
  return json(
    200,
    await endpoint.answer(asked, call),
    cacheControl === undefined ? {} : { 'cache-control': cacheControl },
  );
}
