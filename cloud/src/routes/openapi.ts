import * as z from 'zod';
import type { Cloud } from '../cloud.js';
import { json } from '../http/reply.js';
import { open, type Route } from '../http/route.js';
import { openapiDocument } from '../openapi/document.js';

/** The reference of these routes and of itself. */
export function openapiRoute(cloud: Cloud, others: Route[]): Route {
  const own = open({
    method: 'GET',
    path: '/openapi.json',
    operation: {
      id: 'openapi',
      summary: 'This document.',
      tag: 'operation',
      responses: { 200: { description: 'OpenAPI 3.1.', schema: z.looseObject({ openapi: z.string() }) } },
    },
    handle: () => {
      document ??= openapiDocument([...others, own], cloud.publicUrl());
      return json(200, document);
    },
  });
  let document: object | undefined;
  return own;
}
