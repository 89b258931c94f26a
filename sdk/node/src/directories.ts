import { pathSegment } from './path-segment.js';
import type { Send } from './records.js';
import type { CallOptions, ServiceRequest } from './transport.js';
import type { AdoptedRecords, DirectoryPlan, DirectoryStatus, ScimOperation } from './wire.js';

/** The directories of the tenant: what they hold, and what their brakes hold. */
export class Directories {
  readonly #send: Send;

  constructor(send: Send) {
    this.#send = send;
  }

  /** The status of a directory; with `access`, also what letting through what is held would do to access. */
  async status(
    name: string,
    { access, ...options }: CallOptions & { access?: boolean } = {},
  ): Promise<DirectoryStatus> {
    const query = access ? { access: 'true' } : {};
    const request = { method: 'GET', ...place(name, 'status'), query, repeat: 'harmless' } as const;
    return (await this.#send(request, options)) as DirectoryStatus;
  }

  /** Lets through what the brake holds now, once the directory asks for it again, or discards it. Returns how much it is. */
  async decide(name: string, decision: 'release' | 'discard', options?: CallOptions): Promise<number> {
    const request = {
      method: 'POST',
      ...place(name, 'held-changes'),
      body: { decision },
      repeat: 'once',
      writes: true,
    } as const;
    return ((await this.#send(request, options)) as { decided: number }).decided;
  }

  /** The effect of requests of SCIM on access and access rules, without sending them. */
  async plan(name: string, operations: readonly ScimOperation[], options?: CallOptions): Promise<DirectoryPlan> {
    const request = { method: 'POST', ...place(name, 'plans'), body: { operations }, repeat: 'harmless' } as const;
    return (await this.#send(request, options)) as DirectoryPlan;
  }

  /** A request of SCIM 2.0, for whoever holds the key of a directory; `path` is `Users` or `Users/ID`, or the same of `Groups`. */
  async scim(
    { path, ...request }: Pick<ServiceRequest, 'method' | 'query' | 'body'> & { path: string },
    options?: CallOptions,
  ): Promise<unknown> {
    const [collection, id] = path.split('/');
    const route = `/scim/v2/${collection}${id === undefined ? '' : '/{id}'}`;
    for (const segment of path.split('/')) pathSegment(segment, 'a resource of SCIM');
    const writes = request.method === 'GET' ? {} : { writes: true as const };
    const sent = { ...request, path: `/scim/v2/${path}`, route, repeat: 'harmless', ...writes } as const;
    return await this.#send(sent, options);
  }

  /** Hands subjects, groups and memberships of other owners over to a directory. */
  async adopt(
    name: string,
    records: { addresses: string[]; base_revision?: string },
    options?: CallOptions,
  ): Promise<AdoptedRecords> {
    const request = {
      method: 'POST',
      ...place(name, 'adopted-records'),
      body: records,
      repeat: 'once',
      writes: true,
    } as const;
    return (await this.#send(request, options)) as AdoptedRecords;
  }
}

function place(name: string, what: string): { path: string; route: string } {
  return { path: `/v1/directories/${pathSegment(name, 'a directory')}/${what}`, route: `/v1/directories/{id}/${what}` };
}
