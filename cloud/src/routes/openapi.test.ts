import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Document, Operation } from '../../testing/reference.js';
import { TestCloud } from '../../testing/test-cloud.js';
import type { Cloud } from '../cloud.js';
import { allRoutes } from './routes.js';

let cloud: TestCloud;
let document: Document;
let operations: readonly Operation[];

beforeAll(async () => {
  cloud = await TestCloud.start();
  ({ document, operations } = await cloud.reference());
});

afterAll(() => cloud.close());

describe('the OpenAPI document', () => {
  it('names every route that the server has', () => {
    const routes = allRoutes({} as Cloud).map(({ method, path }) => `${method} ${path}`);
    expect(operations.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(routes.sort());
  });

  it('names no route that the server does not have, and no method', async () => {
    for (const { method, path, security } of operations) {
      const place = path.replaceAll(/\{\w+\}/g, 'x');
      const { status, body } = await cloud.ask(method, place, { headers: { origin: cloud.url } });
      expect({
        method,
        path,
        missing: status === 405 || body?.detail?.startsWith('There is nothing at') === true,
      }).toEqual({ method, path, missing: false });
      expect({ method, path, status: status === 401 }).toEqual({
        method,
        path,
        status: security.length > 0,
      });
    }
  });

  it('leaves out no method that a path of it takes', async () => {
    for (const [path, own] of Object.entries(document.paths)) {
      const { headers } = await cloud.ask('OPTIONS', path.replaceAll(/\{\w+\}/g, 'x'), {
        headers: { origin: cloud.url },
      });
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
    const ids = operations.map(({ operationId }) => operationId);
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
});
