import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { readConfig } from '../src/config/config.js';
import { type RunningCloud, type StartOptions, startCloud } from '../src/main.js';
import { type Reference, referenceOf } from './reference.js';

export const ADMIN = { id: 'admin', secret: 'correct horse battery staple' };

export interface TestAnswer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape.
  body: any;
}

export interface Ask {
  /** A bearer credential. */
  as?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** A cloud in this process, on a free port and with its own database, and methods to call it. */
export class TestCloud {
  #reference: Promise<Reference> | undefined;

  private constructor(
    readonly dir: string,
    private running: RunningCloud,
    private readonly options: StartOptions,
    private readonly env: Record<string, string>,
  ) {}

  static async start(options: StartOptions = {}, env: Record<string, string> = {}): Promise<TestCloud> {
    const dir = await mkdtemp(join(tmpdir(), 'authz-cloud-'));
    return new TestCloud(dir, await run(dir, options, env), options, env);
  }

  get url(): string {
    return this.running.url;
  }

  /** Waits until so many requests wait for a commit. */
  async waiters(count: number): Promise<void> {
    await vi.waitFor(() => expect(this.running.waiting()).toBe(count), { timeout: 10_000, interval: 2 });
  }

  async restart(): Promise<void> {
    await this.running.close();
    this.running = await run(this.dir, this.options, this.env);
  }

  /** Ends the process's part; the data stays until `close`. */
  async stop(): Promise<void> {
    await this.running.close();
  }

  async close(): Promise<void> {
    await this.stop();
    await rm(this.dir, { recursive: true, force: true });
  }

  /** The content of `/openapi.json`, against which every answer is checked. */
  async reference(): Promise<Reference> {
    this.#reference ??= fetch(`${this.url}/openapi.json`)
      .then((response) => response.text())
      .then(referenceOf);
    return await this.#reference;
  }

  /**
   * Sends a request; a body that is not a string is sent as JSON. The answer must be as `/openapi.json` documents it.
   */
  async ask(method: string, path: string, { as, body, headers }: Ask = {}): Promise<TestAnswer> {
    const isText = typeof body === 'string' || body instanceof Uint8Array;
    const response = await fetch(this.url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(as !== undefined && { authorization: `Bearer ${as}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    const answer: TestAnswer = {
      status: response.status,
      headers: response.headers,
      body: isJson && bytes.length > 0 ? JSON.parse(bytes.toString()) : bytes,
    };
    (await this.reference()).assertDocumented(method, path, answer);
    return answer;
  }

  /** An access token of a client. */
  async token(client: { id: string; secret: string } = ADMIN, scope?: string): Promise<string> {
    const basic = Buffer.from(`${encodeURIComponent(client.id)}:${encodeURIComponent(client.secret)}`).toString(
      'base64',
    );
    const { status, body } = await this.ask('POST', '/oauth/token', {
      body: new URLSearchParams({ grant_type: 'client_credentials', ...(scope !== undefined && { scope }) }).toString(),
      headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
    });
    if (status !== 200) throw new Error(`no token: ${status} ${JSON.stringify(body)}`);
    return body.access_token;
  }

  /** Creates a tenant and returns a token of its administrator. */
  async tenant(name: string): Promise<string> {
    const { body } = await this.ask('POST', '/v1/tenants', { as: await this.token(), body: { name } });
    return await this.token({ id: body.client_id, secret: body.client_secret });
  }

  /** A new API key. */
  async key(as: string, scopes: string[], more: object = {}): Promise<string> {
    const name = `key-${Math.random().toString(36).slice(2)}`;
    const { status, body } = await this.ask('POST', '/v1/api-keys', { as, body: { name, scopes, ...more } });
    if (status !== 201) throw new Error(`no key: ${status} ${JSON.stringify(body)}`);
    return body.secret;
  }

  /** Commits changes that must be accepted. */
  async commit(as: string, changes: object[]): Promise<TestAnswer['body']> {
    const { status, body } = await this.ask('POST', '/v1/changesets', { as, body: { changes } });
    if (status !== 200) throw new Error(`not committed: ${status} ${JSON.stringify(body)}`);
    return body;
  }
}

async function run(dir: string, options: StartOptions, env: Record<string, string>): Promise<RunningCloud> {
  const config = readConfig(
    { SERVICE_BOOTSTRAP_CLIENT_ID: ADMIN.id, SERVICE_BOOTSTRAP_CLIENT_SECRET: ADMIN.secret, ...env },
    { ...(env.DATABASE_URL === undefined && { dataDir: dir }), listenAddr: '127.0.0.1:0', logLevel: 'silent' },
  );
  return await startCloud(config, options);
}

/** The tenant that most tests use: alice, an accountant of billing, may read and approve invoices. */
export function billing(): object[] {
  return [
    { op: 'create', kind: 'application', fields: { name: 'billing' } },
    {
      op: 'create',
      kind: 'resource_type',
      fields: { application: 'billing', name: 'invoice', actions: ['read', 'approve', 'delete'] },
    },
    { op: 'create', kind: 'resource', fields: { type: 'billing/invoice', name: 'INV-1' } },
    { op: 'create', kind: 'subject', fields: { type: 'user', id: 'alice', name: 'Alice' } },
    { op: 'create', kind: 'role', fields: { application: 'billing', name: 'accountant' } },
    { op: 'create', kind: 'group', fields: { name: 'finance' } },
    {
      op: 'create',
      kind: 'policy',
      fields: {
        application: 'billing',
        name: 'approve',
        effect: 'ALLOW',
        resource_type: 'billing/invoice',
        actions: ['read', 'approve'],
      },
    },
    {
      op: 'create',
      kind: 'policy_assignment',
      fields: { policy: 'billing/approve', entity_type: 'role', entity: 'billing/accountant' },
    },
    {
      op: 'create',
      kind: 'role_assignment',
      fields: { role: 'billing/accountant', entity_type: 'subject', entity: 'user/alice' },
    },
    {
      op: 'create',
      kind: 'group_membership',
      fields: { group: 'finance', entity_type: 'subject', entity: 'user/alice' },
    },
  ];
}

/** Whether alice may read the invoice INV-1. */
export const ALICE_READS = {
  subject: { type: 'user', id: 'alice' },
  action: { name: 'read' },
  resource: { type: 'invoice', name: 'INV-1' },
};
