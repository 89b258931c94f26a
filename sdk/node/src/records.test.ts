import { afterEach, beforeEach, describe, expect, expectTypeOf, it } from 'vitest';
import { type ScriptedServer, startScriptedServer } from '../testing/scripted-server.js';
import { ServiceClient } from './client.js';

let server: ScriptedServer;
let client: ServiceClient;
beforeEach(async () => {
  server = await startScriptedServer();
  client = new ServiceClient({ url: server.url, retries: 0 });
});
afterEach(() => server.close());

describe('records of a kind', () => {
  it('are listed page by page, only as far as the loop goes', async () => {
    server.script('GET /v1/resource-types?application=billing&limit=2', {
      json: { items: [{ name: 'a' }, { name: 'b' }], next_cursor: 'n/2' },
    });
    server.script('GET /v1/resource-types?application=billing&limit=2&cursor=n%2F2', {
      json: { items: [{ name: 'c' }], next_cursor: 'n3' },
    });
    const names: string[] = [];
    for await (const type of client.records('resource_type').list({ application: 'billing' }, { limit: 2 })) {
      names.push(type.name);
      if (type.name === 'c') break;
    }
    expect(names).toEqual(['a', 'b', 'c']);
    expect(server.received).toHaveLength(2);
  });

  it('an empty page in the middle does not end the list', async () => {
    server.script('GET /v1/roles', { json: { items: [], next_cursor: 'x' } });
    server.script('GET /v1/roles?cursor=x', { json: { items: [{ name: 'a' }] } });
    const names: string[] = [];
    for await (const role of client.records('role').list()) names.push(role.name);
    expect(names).toEqual(['a']);
  });

  it.each([
    ['an id', '3f2c', '3f2c'],
    ['a path', 'billing/accountant', 'billing%2Faccountant'],
    ['a path with an escaped slash', 'billing/a%2Fb', 'billing%2Fa%252Fb'],
    ['a question mark', 'a?b#c', 'a%3Fb%23c'],
  ])('are named by %s', async (_name, name, segment) => {
    server.script(`GET /v1/roles/${segment}`, { json: { name } });
    expect(await client.records('role').get(name)).toEqual({ name });
  });

  it.each(['', '.', '..'])('"%s" names none: the URL would be another one', async (name) => {
    for (const work of [() => client.records('role').get(name), () => client.records('role').delete(name)]) {
      await expect(work()).rejects.toMatchObject({ code: 'invalid_request' });
    }
    expect(server.received).toHaveLength(0);
  });

  it('are changed by merge patches and removed, on condition', async () => {
    server.script('PATCH /v1/roles/a', { json: { name: 'a' } });
    server.script('DELETE /v1/roles/a', { status: 204 });
    await client.records('role').update('a', { description: null }, { ifMatch: 7 });
    expect(await client.records('role').delete('a', { ifMatch: '"8"' })).toBeUndefined();
    expect(
      server.received.map((request) => [request.headers['if-match'], request.headers['content-type'], request.body]),
    ).toEqual([
      ['"7"', 'application/merge-patch+json', '{"description":null}'],
      ['"8"', undefined, ''],
    ]);
  });

  it('credentials come with their secret', async () => {
    server.script('POST /v1/api-keys', { status: 201, json: { id: 'k', name: 'ci', secret: 'svc_x' } });
    const key = await client.records('api_key').create({ name: 'ci', scopes: ['decisions'] });
    expectTypeOf(key.secret).toEqualTypeOf<string>();
    expect(key.secret).toBe('svc_x');
  });
});

describe('types', () => {
  it('follow the kind', () => {
    const roles = client.records('role');
    expectTypeOf<Parameters<typeof roles.create>[0]>().toExtend<{ name: string; application?: string | undefined }>();
    expectTypeOf(roles.get).returns.resolves.toHaveProperty('application_id');
    expectTypeOf<{ application_id: string; name: string }>().toExtend<Parameters<typeof roles.create>[0]>();
    expectTypeOf<{ nom: string }>().not.toExtend<Parameters<typeof roles.create>[0]>();
    expectTypeOf(client.records('policy').get).returns.resolves.toHaveProperty('priority').toEqualTypeOf<number>();
  });
});
