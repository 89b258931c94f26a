import { append } from '@authz-service/core/collections/append';
import { PROBLEMS, type ProblemCode } from '@authz-service/core/problem';
import { filterConditionSchema } from '@authz-service/pdp/contract/filter';
import { problemDocumentSchema } from '@authz-service/pdp/contract/problem-document';
import { MAX_AGE_DESCRIPTION, MAX_AGE_HEADER } from '@authz-service/pdp/revision/max-age';
import { MIN_REVISION_DESCRIPTION, MIN_REVISION_HEADER } from '@authz-service/pdp/revision/min-revision';
import { PROBLEM_STATUS } from '@authz-service/pdp/transport/problem-status';
import * as z from 'zod';
import { isConsolePath } from '../console/console-edge.js';
import { SESSION_COOKIE } from '../console/session-cookie.js';
import { heedsFreshness, isLimited, type Route } from '../http/route.js';
import { isScimPath, SCIM_TYPE, scimErrorSchema } from '../scim/scim-error.js';
import { Components } from './components.js';
import { namedRecordSchemas } from './record-schemas.js';

/** An OpenAPI 3.1 document of these routes, derived from the schemas that they check and answer with. */
export function openapiDocument(routes: readonly Route[], url: string): object {
  const components = new Components([...namedRecordSchemas(), ['FilterCondition', filterConditionSchema]]);
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = paths[route.path] ?? {};
    paths[route.path] = path;
    path[route.method.toLowerCase()] = operationOf(route, components);
  }
  components.schemaOf(problemDocumentSchema, 'output');
  return {
    openapi: '3.1.0',
    info: {
      title: 'Authorization decision service',
      version: '1',
      description: 'Decisions, policy bundles and the records they come from.',
    },
    servers: [{ url }],
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key, or an access token of `POST /oauth/token`.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: SESSION_COOKIE,
          description:
            'A session of the console. With one, everything else that takes a credential is also offered below `/console/api`: `GET /console/api/v1/roles`.',
        },
      },
      schemas: components.schemas,
    },
  };
}

function operationOf(route: Route, components: Components): object {
  const { operation, anyOf, by, body } = route;
  return {
    operationId: operation.id,
    summary: operation.summary,
    tags: [operation.tag],
    parameters: [...pathParameters(route), ...queryParameters(route, components), ...headerParameters(route)],
    ...(body && {
      requestBody: {
        required: true,
        description: `At most ${body.limitBytes / 1024} KiB; larger bodies are answered with 413.`,
        content: Object.fromEntries(
          bodyTypes(route).map((type) => [type, { schema: components.schemaOf(body.schema, 'input') }]),
        ),
      },
    }),
    responses: { ...problems(route, components), ...answers(route, components) },
    security: anyOf ? [{ [by ?? 'bearer']: [] }] : [],
    ...(anyOf && anyOf.length > 0 && { 'x-scopes-any-of': anyOf }),
  };
}

function bodyTypes(route: Route): string[] {
  if (route.body?.form) return ['application/x-www-form-urlencoded', 'application/json'];
  if (isScimPath(route.path)) return [SCIM_TYPE, 'application/json'];
  return route.method === 'PATCH' ? ['application/merge-patch+json', 'application/json'] : ['application/json'];
}

function pathParameters({ path }: Route): object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters({ query }: Route, components: Components): object[] {
  if (!(query instanceof z.ZodObject)) return [];
  return Object.entries(query.shape).map(([name, member]) => {
    const { description, ...schema } = components.schemaOf(member as z.ZodType, 'output') as { description?: string };
    return { name, in: 'query', required: false, ...(description !== undefined && { description }), schema };
  });
}

function headerParameters(route: Route): object[] {
  const headers = {
    'X-Request-ID': 'Echoed in the answer; generated if it is absent.',
    ...(heedsFreshness(route) && {
      [MIN_REVISION_HEADER]: MIN_REVISION_DESCRIPTION,
      [MAX_AGE_HEADER]: MAX_AGE_DESCRIPTION,
    }),
    ...route.operation.headers,
  };
  return Object.entries(headers).map(([name, description]) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  }));
}

function answers({ operation }: Route, components: Components): Record<string, object> {
  const documented = Object.entries(operation.responses).map(([status, { description, schema, type, headers }]) => {
    const content =
      schema || type
        ? { [type ?? 'application/json']: schema ? { schema: components.schemaOf(schema, 'output') } : {} }
        : undefined;
    return [status, { description, ...(headers && { headers: answerHeaders(headers) }), ...(content && { content }) }];
  });
  const unchanged = operation.headers?.['If-None-Match']
    ? { 304: { description: 'The caller has the newest version.' } }
    : {};
  return { ...Object.fromEntries(documented), ...unchanged };
}

function answerHeaders(headers: Record<string, string>): Record<string, object> {
  const described = Object.entries(headers).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' } },
  ]);
  return Object.fromEntries(described);
}

/** The problems a route can answer with, by status. */
function problems(route: Route, components: Components): Record<string, object> {
  const codes = new Set<ProblemCode>(route.operation.problems);
  codes.add('internal');
  if (route.anyOf) codes.add('unauthorized');
  if (route.anyOf && route.anyOf.length > 0) codes.add('forbidden');
  if (route.anyOf || route.query || route.body || route.path.includes('{') || isConsolePath(route.path))
    codes.add('invalid_request');
  if (route.body) codes.add('payload_too_large').add(route.body.wrongType);
  if (route.body?.form) codes.add('unsupported_media_type');
  if (route.writes) codes.add('storage_failed').add('timeout');
  if (heedsFreshness(route)) codes.add('unknown_revision').add('behind_revision').add('too_old');
  if (isLimited(route)) codes.add('too_many_requests').add('not_ready');
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of codes) append(byStatus, PROBLEM_STATUS[code], code);
  return Object.fromEntries(
    [...byStatus].map(([status, list]) => [
      status,
      {
        description: list.map((code) => `\`${code}\`: ${PROBLEMS[code]}.`).join(' '),
        content: isScimPath(route.path)
          ? { [SCIM_TYPE]: { schema: components.schemaOf(scimErrorSchema, 'output') } }
          : { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    ]),
  );
}
