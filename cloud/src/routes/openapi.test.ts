import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { billing, TestCloud } from '../../testing/test-cloud.js';
import type { Cloud } from '../cloud.js';
import { allRoutes } from './routes.js';

type Json = Record<string, unknown>;
interface Operation {
  operationId: string;
  parameters: { name: string; in: string }[];
  responses: Record<string, { content?: Record<string, { schema?: Json }> }>;
  requestBody?: { content: Record<string, { schema: Json }> };
  security: object[];
}

let cloud: TestCloud;
let document: { paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, Json> } };
let admin: string;
let operations: { method: string; path: string; operation: Operation }[];

beforeAll(async () => {
  cloud = await TestCloud.start();
  admin = await cloud.token();
  await cloud.commit(admin, billing());
  await cloud.key(admin, ['bundle']);
  document = (await cloud.ask('GET', '/openapi.json')).body;
  operations = Object.entries(document.paths).flatMap(([path, own]) =>
    Object.entries(own).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
});

afterAll(() => cloud.close());

/** The schema with its references resolved within the document, fit for a validator. */
function whole(schema: Json): Json {
  const text = JSON.stringify({ ...schema, $defs: document.components.schemas });
  return JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/'));
}

describe('the OpenAPI document', () => {
  it('names every route that the server has', () => {
    const routes = allRoutes({} as Cloud).map(({ method, path }) => `${method} ${path}`);
    expect(operations.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(routes.sort());
  });

  it('names no route that the server does not have, and no method', async () => {
    for (const { method, path, operation } of operations) {
      const place = path.replaceAll(/\{\w+\}/g, 'x');
      const { status, body } = await cloud.ask(method, place);
      expect({
        method,
        path,
        missing: status === 405 || body?.detail?.startsWith('There is nothing at') === true,
      }).toEqual({ method, path, missing: false });
      expect({ method, path, status: status === 401 }).toEqual({
        method,
        path,
        status: operation.security.length > 0,
      });
    }
  });

  it('leaves out no method that a path of it takes', async () => {
    for (const [path, own] of Object.entries(document.paths)) {
      const { headers } = await cloud.ask('OPTIONS', path.replaceAll(/\{\w+\}/g, 'x'));
      const methods = (headers.get('allow') ?? '')
        .split(', ')
        .filter((method) => method !== 'HEAD' && method !== 'OPTIONS');
      expect({ path, methods: methods.sort() }).toEqual({
        path,
        methods: Object.keys(own)
          .map((method) => method.toUpperCase())
          .sort(),
      });
    }
  });

  it('names each operation once', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('refers only to components that it has', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)].map(([, target]) => target ?? '');
    expect(references.length).toBeGreaterThan(50);
    for (const target of new Set(references)) {
      expect(target).toMatch(/^#\/components\/schemas\/\w+$/);
      expect(document.components.schemas).toHaveProperty(target.slice('#/components/schemas/'.length));
    }
  });

  it('holds nothing of the metadata that is only ours', () => {
    expect(JSON.stringify(document.components.schemas)).not.toMatch(/"(?:reference|entity|set|key)":(?:true|"\w+")/);
  });

  it('describes what is answered', async () => {
    const seen: string[] = [];
    for (const { method, path, operation } of operations) {
      const schema = operation.responses['200']?.content?.['application/json']?.schema;
      if (method !== 'GET' || !schema || path.includes('{')) continue;
      const { status, body } = await cloud.ask('GET', path, { as: admin });
      expect({ path, status }).toEqual({ path, status: 200 });
      const { error } = z.fromJSONSchema(whole(schema)).safeParse(body);
      expect({ path, error: error?.issues }).toEqual({ path, error: undefined });
      for (const item of body.items ?? []) {
        seen.push(item.kind);
        const place = `${path}/{id}`;
        if (!document.paths[place]) continue;
        const one = await cloud.ask('GET', `${path}/${encodeURIComponent(item.address.slice(item.kind.length + 1))}`, {
          as: admin,
        });
        const described = document.paths[place].get?.responses['200']?.content?.['application/json']?.schema ?? {};
        expect({ place, error: z.fromJSONSchema(whole(described)).safeParse(one.body).error?.issues }).toEqual({
          place,
          error: undefined,
        });
      }
    }
    expect(new Set(seen).size).toBeGreaterThanOrEqual(12);
  });

  it('describes problems', async () => {
    const { body } = await cloud.ask('POST', '/v1/roles', { as: admin, body: { nmae: 'x' } });
    const { error } = z.fromJSONSchema(whole({ $ref: '#/components/schemas/Problem' })).safeParse(body);
    expect(error?.issues).toBeUndefined();
  });
});
