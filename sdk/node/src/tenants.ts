import { pathSegment } from './path-segment.js';
import { everyItem, type ListOptions, type Send } from './records.js';
import type { CallOptions, ServiceRequest } from './transport.js';
import type { DisabledCredential, MadeTenant, Page, Tenant } from './wire.js';

/** The tenants, for operators. */
export class Tenants {
  readonly #send: Send;

  constructor(send: Send) {
    this.#send = send;
  }

  async *list({ limit, ...options }: ListOptions = {}): AsyncGenerator<Tenant, void, undefined> {
    yield* everyItem(
      async (cursor) =>
        (await this.#send(
          { method: 'GET', path: '/v1/tenants', query: { limit, cursor }, repeat: 'harmless' },
          options,
        )) as Page<Tenant>,
    );
  }

  async get(name: string, options?: CallOptions): Promise<Tenant> {
    return (await this.#send(
      { method: 'GET', path: itemPath(name), route: '/v1/tenants/{name}', repeat: 'harmless' },
      options,
    )) as Tenant;
  }

  /** Makes a tenant. Only this answer holds the secret of its first administrator. */
  async create(tenant: { name: string }, options?: CallOptions): Promise<MadeTenant> {
    return (await this.#send(
      { method: 'POST', path: '/v1/tenants', body: tenant, repeat: 'once', writes: true },
      options,
    )) as MadeTenant;
  }

  /**
   * Erases properties of a subject (all of them and its name, unless named) from the history of the tenant. The answer
   * says how many past versions of the subject lost something, and which of the named properties none has, or none any
   * more.
   */
  async erase(
    name: string,
    erasure: { subject: string; properties?: string[] | undefined },
    options?: CallOptions,
  ): Promise<{ versions: number; absent: string[] }> {
    const path = `${itemPath(name)}/erasures`;
    const route = '/v1/tenants/{name}/erasures';
    const request: ServiceRequest = { method: 'POST', path, route, body: erasure, repeat: 'harmless', writes: true };
    return (await this.#send(request, options)) as { versions: number; absent: string[] };
  }

  /** The credentials of the tenant that are off since a restore. */
  async disabledCredentials(name: string, options?: CallOptions): Promise<DisabledCredential[]> {
    const path = `${itemPath(name)}/disabled-credentials`;
    const route = '/v1/tenants/{name}/disabled-credentials';
    const answer = await this.#send({ method: 'GET', path, route, repeat: 'harmless' }, options);
    return (answer as { items: DisabledCredential[] }).items;
  }

  /** Turns credentials on that are off since a restore: those with these addresses, or all. Returns the addresses. */
  async enableCredentials(
    name: string,
    chosen: { credentials?: string[] | undefined } = {},
    options?: CallOptions,
  ): Promise<string[]> {
    const path = `${itemPath(name)}/enabled-credentials`;
    const route = '/v1/tenants/{name}/enabled-credentials';
    const request: ServiceRequest = { method: 'POST', path, route, body: chosen, repeat: 'once', writes: true };
    return ((await this.#send(request, options)) as { enabled: string[] }).enabled;
  }

  /** Deletes credentials that are off since a restore, by their addresses. Returns the revision without them. */
  async deleteDisabledCredentials(name: string, credentials: string[], options?: CallOptions): Promise<string> {
    const path = `${itemPath(name)}/deleted-credentials`;
    const route = '/v1/tenants/{name}/deleted-credentials';
    const request: ServiceRequest = {
      method: 'POST',
      path,
      route,
      body: { credentials },
      repeat: 'once',
      writes: true,
    };
    return ((await this.#send(request, options)) as { revision: string }).revision;
  }

  /** Removes the tenant with all its records. */
  async delete(name: string, options?: CallOptions): Promise<void> {
    await this.#send(
      { method: 'DELETE', path: itemPath(name), route: '/v1/tenants/{name}', repeat: 'once', writes: true },
      options,
    );
  }
}

function itemPath(name: string): string {
  return `/v1/tenants/${pathSegment(name, 'a tenant')}`;
}
