import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Workbench } from './cli/workbench.js';
import { PEOPLE } from './oidc/people.js';
import { type RunningProvider, startProvider } from './oidc/start-provider.js';

let bench: Workbench;
let provider: RunningProvider;
let url: string;
let admin: Record<string, string>;

beforeAll(async () => {
  bench = await Workbench.create();
  provider = await startProvider();
  const cloud = await bench.startCloud(provider.env);
  url = cloud.url;
  admin = cloud.operator;
  await provider.know(url);
  await bench.write({ 'tree/main.yaml': PEOPLE });
  await bench.json(['apply', 'tree', '--yes'], { env: admin });
});
afterAll(async () => {
  provider.close();
  await bench.close();
});

/** Cookies by origin, and redirects followed one by one. */
class Person {
  readonly #cookies = new Map<string, Map<string, string>>();

  /** `account` is whom the provider takes this browser for. */
  constructor(private readonly account: string) {}

  /** Goes through the whole sign-in, and returns where it ends. */
  async signIn(tenant = 'default'): Promise<string> {
    return await this.visit(`${url}/console/oidc?tenant=${tenant}`);
  }

  /** Follows redirects until a page, or until the next address is one of these. */
  async visit(address: string, until = /\/console\/(sign-in\?|$)/): Promise<string> {
    let next = address;
    for (let hops = 0; hops < 10; hops++) {
      const answer = await this.fetch(next);
      const location = answer.headers.get('location');
      if (location === null) throw new Error(`${next} answered ${answer.status}: ${await answer.text()}`);
      next = new URL(location, next).href;
      if (until.test(next)) return next.slice(url.length);
    }
    throw new Error(`no end: ${next}`);
  }

  async fetch(address: string, init: RequestInit = {}): Promise<Response> {
    const { origin } = new URL(address);
    const jar = this.#cookies.get(origin) ?? new Map([['account', this.account]]);
    this.#cookies.set(origin, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(address, { ...init, headers: { ...init.headers, cookie }, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /max-age=0/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return answer;
  }

  ask(method: string, path: string, body?: unknown): Promise<Response> {
    return this.fetch(`${url}/console/api${path}`, {
      method,
      headers: { origin: url, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  // biome-ignore lint/suspicious/noExplicitAny: the test looks into answers of any shape.
  async json(path: string): Promise<any> {
    return await (await this.ask('GET', path)).json();
  }
}

const signedIn = async (account: string) => {
  const person = new Person(account);
  expect(await person.signIn()).toBe('/console/');
  return person;
};

describe('a sign-in with the identity provider', () => {
  it('gives what the records of the tenant let the person do', async () => {
    const alice = await signedIn('alice');
    expect(await alice.json('/session')).toMatchObject({
      person: { kind: 'person', id: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+#alice$/), name: 'Alice' },
      tenant: { name: 'default' },
      sign_in: 'oidc',
      scopes: ['decisions', 'records:read', 'records:write'],
    });
    expect(await alice.json('/sign-in')).toEqual({ link: true, oidc: true });
  });

  it('counts groups of the provider as the groups that the settings name', async () => {
    const bob = await signedIn('bob');
    expect((await bob.json('/session')).scopes).toEqual(['decisions', 'records:read']);
    expect((await bob.ask('POST', '/v1/roles', { name: 'made' })).status).toBe(403);
  });

  it('lets whoever may view sign off a review as the person, and nobody without a session', async () => {
    const bob = await signedIn('bob');
    const scope = { scope: 'application/service-console' };
    const { revision, as_of, rows } = await bob.json('/access-review?scope=application/service-console');
    const made = await bob.ask('POST', '/sign-offs', { ...scope, revision, as_of, decision: 'keep', note: '' });
    expect(made.status).toBe(201);
    expect(await made.json()).toMatchObject({
      person: { kind: 'person', id: expect.stringMatching(/#bob$/) },
      row_count: rows.length,
    });
    const nobody = new Person('nobody');
    expect((await nobody.ask('POST', '/sign-offs', { ...scope, revision, as_of, decision: 'keep' })).status).toBe(401);
  });

  it('is refused for those who may do nothing, whatever address or group they name', async () => {
    const mallory = new Person('mallory');
    expect(await mallory.signIn()).toBe('/console/sign-in?problem=forbidden');
    expect((await mallory.ask('GET', '/session')).status).toBe(401);
    expect(await new Person('alice').signIn('nobody')).toBe('/console/sign-in?problem=forbidden');
  });

  it('is audited as the person, and each commit decides anew', async () => {
    const alice = await signedIn('alice');
    const commit = async (name: string) =>
      await alice.ask('POST', '/v1/changesets', {
        stack: 'console',
        base_revision: (await alice.json('/v1/state')).revision,
        changes: [{ op: 'create', kind: 'role', fields: { name } }],
      });
    expect((await commit('of-alice')).status).toBe(200);
    const [entry] = (await alice.json('/v1/audit')).items;
    expect(entry.credential).toMatchObject({ kind: 'person', name: 'Alice' });
    await bench.write({
      'tree/main.yaml': PEOPLE.replace('roles: [service-console/editor]', 'roles: [service-console/viewer]'),
    });
    await bench.json(['apply', 'tree', '--yes', '--prune'], { env: admin });
    expect((await commit('more')).status).toBe(403);
    expect((await alice.json('/session')).scopes).toEqual(['decisions', 'records:read']);
    await bench.write({ 'tree/main.yaml': PEOPLE });
    await bench.json(['apply', 'tree', '--yes', '--prune'], { env: admin });
  });

  it('gives rights beyond records by a client that names the person, which only its equals make', async () => {
    const root = new Person('root');
    expect(await root.signIn()).toBe('/console/sign-in?problem=forbidden');
    const issuer = (await (await signedIn('alice')).json('/session')).person.id.replace(/#.*/, '');
    const client = (name: string) => `
oauth_clients:
  ${name}:
    scopes: [credentials]
    limits: { stacks: [console] }
    person: { issuer: "${issuer}", subject: root }
`;
    await bench.write({ 'tree/clients.yaml': `version: 1\nstack: people${client('of-root')}` });
    const keep = ['--credentials-out', 'secrets.json'];
    await bench.json(['apply', 'tree', '--yes', ...keep], { env: admin });
    expect(await root.signIn()).toBe('/console/');
    expect(await root.json('/session')).toMatchObject({
      person: { kind: 'person', name: 'Root' },
      scopes: ['credentials'],
      limits: { stacks: ['console'] },
    });
    const key = { name: 'made', scopes: ['credentials'], limits: { stacks: ['console'] } };
    const made = (more: object) =>
      root.ask('POST', '/v1/changesets', {
        stack: 'console',
        changes: [{ op: 'create', kind: 'api_key', fields: { ...key, ...more } }],
      });
    expect((await made({ scopes: ['records:write'] })).status).toBe(403);
    expect((await made({ limits: undefined })).status).toBe(403);
    expect((await made({})).status).toBe(200);
    // A second one that names the person is refused.
    const second = bench.path('second');
    await bench.write({ 'second/more.yaml': `version: 1\nstack: more${client('too')}` });
    const twin = await bench.run(['apply', second, '--yes', '--credentials-out', 'more.json'], { env: admin });
    expect(twin).toMatchObject({ code: 1, stderr: expect.stringContaining('names already') });
    expect((await root.json('/session')).scopes).toEqual(['credentials']);
  });

  it('makes nobody who writes records an administrator', async () => {
    const alice = await signedIn('alice');
    const scopes = ['credentials', 'records:write'];
    const changes = [{ op: 'create', kind: 'oauth_client', fields: { name: 'mine', scopes } }];
    for (const refused of [
      alice.ask('POST', '/v1/api-keys', { name: 'mine', scopes }),
      alice.ask('POST', '/v1/oauth-clients', { name: 'mine', scopes }),
      alice.ask('POST', '/v1/changesets', { changes }),
      alice.ask('PATCH', '/v1/oauth-clients/operator', {
        person: { issuer: 'https://id.example.com', subject: 'alice' },
      }),
      alice.ask('POST', '/v1/access-rules', { name: 'mine', never: { actions: ['x'], resources: { types: ['*'] } } }),
      alice.ask('GET', '/v1/tenants'),
    ])
      expect((await refused).status).toBe(403);
    // Neither does a record that grants whatever the console may be asked for.
    const all = `version: 1
stack: people
applications:
  service-console:
    policies:
      all: { effect: ALLOW, resource_type: service-console/console, actions: ["*"], assigned_to: [user/alice] }
`;
    await bench.write({ 'tree/all.yaml': all });
    await bench.json(['apply', 'tree', '--yes', '--prune', '--credentials-out', 'all.json'], { env: admin });
    expect((await alice.json('/session')).scopes).toEqual(['decisions', 'records:read', 'records:write']);
  });

  /** Somebody who has come back from the provider, and the address that they are to visit. */
  const atCallback = async (account: string) => {
    const person = new Person(account);
    return { person, callback: url + (await person.visit(`${url}/console/oidc`, /\/console\/oidc\/callback/)) };
  };
  const refused = async (person: Person, callback: string) => {
    expect(await person.visit(callback)).toBe('/console/sign-in?problem=unauthorized');
    expect((await person.ask('GET', '/session')).status).toBe(401);
  };

  it('is refused in a browser that did not begin it, so that nobody is signed in as somebody else', async () => {
    const { callback } = await atCallback('alice');
    await refused(new Person('bob'), callback);
    await refused((await atCallback('bob')).person, callback);
  });

  it('is refused with another state, and with a code that was used', async () => {
    const { person, callback } = await atCallback('alice');
    await refused(person, callback.replace(/state=[^&]+/, 'state=x'));
    const other = await atCallback('alice');
    expect(await other.person.visit(other.callback)).toBe('/console/');
    await other.person.ask('DELETE', '/session');
    await refused(other.person, other.callback);
  });
});
