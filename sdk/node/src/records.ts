import { COLLECTIONS } from './generated/record-types.js';
import { pathSegment } from './path-segment.js';
import type { CallOptions, ServiceRequest } from './transport.js';
import type { Kind, MadeRecord, NewRecord, Page, RecordPatch, RotatedSecret, WireRecord } from './wire.js';

/** Sends a request with the client's credential and gives the JSON of the answer. */
export type Send = (request: ServiceRequest, options?: CallOptions) => Promise<unknown>;

/** Equality on fields: `{ application: 'billing' }`. */
export type RecordFilter = Record<string, string | number | undefined>;

export interface ListOptions extends CallOptions {
  /** How many records one page holds. */
  limit?: number;
}

export interface WriteOptions extends CallOptions {
  /** The stack that the change is made for; without one, ownership is not asked for. Limited credentials must name it. */
  stack?: string | undefined;
}

export interface MatchOptions extends WriteOptions {
  /** Only while the record's `revision` is this; else `precondition_failed`. */
  ifMatch?: number | string;
}

/** The records of one kind. Records are named by id, or by path: `billing/accountant`. */
export class RecordCollection<K extends Kind> {
  readonly kind: K;
  readonly #send: Send;

  constructor(kind: K, send: Send) {
    this.kind = kind;
    this.#send = send;
  }

  /** Every record that the filter fits, fetched page by page as the loop goes on. */
  async *list(filter: RecordFilter = {}, options: ListOptions = {}): AsyncGenerator<WireRecord<K>, void, undefined> {
    yield* everyItem((cursor) => this.page(filter, { ...options, cursor }));
  }

  async page(
    filter: RecordFilter = {},
    { limit, cursor, ...options }: ListOptions & { cursor?: string | undefined } = {},
  ): Promise<Page<WireRecord<K>>> {
    const query = { ...filter, limit, cursor };
    const request: ServiceRequest = { method: 'GET', path: this.#path, query, repeat: 'harmless', past: true };
    return (await this.#send(request, options)) as Page<WireRecord<K>>;
  }

  async get(idOrPath: string, options?: CallOptions): Promise<WireRecord<K>> {
    const request: ServiceRequest = { method: 'GET', ...this.#item(idOrPath), repeat: 'harmless', past: true };
    return (await this.#send(request, options)) as WireRecord<K>;
  }

  /** A credential's secret is in this answer, and is never shown again. */
  async create(fields: NewRecord<K>, { stack, ...options }: WriteOptions = {}): Promise<MadeRecord<K>> {
    return (await this.#send(
      { method: 'POST', path: this.#path, query: { stack }, body: fields, repeat: 'once', writes: true },
      options,
    )) as MadeRecord<K>;
  }

  async update(idOrPath: string, patch: RecordPatch<K>, given: MatchOptions = {}): Promise<WireRecord<K>> {
    const { stack, ifMatch, ...options } = given;
    const headers = matchHeaders(ifMatch);
    const item = this.#item(idOrPath);
    return (await this.#send(
      { method: 'PATCH', ...item, query: { stack }, body: patch, headers, repeat: 'once', writes: true },
      options,
    )) as WireRecord<K>;
  }

  async delete(idOrPath: string, { stack, ifMatch, ...options }: MatchOptions = {}): Promise<void> {
    const headers = matchHeaders(ifMatch);
    const item = this.#item(idOrPath);
    await this.#send({ method: 'DELETE', ...item, query: { stack }, headers, repeat: 'once', writes: true }, options);
  }

  /** Gives a credential another secret. The one before ends now, or after `overlapSeconds`. */
  async rotateSecret(
    idOrPath: string,
    { stack, ifMatch, overlapSeconds, ...options }: MatchOptions & { overlapSeconds?: number } = {},
  ): Promise<RotatedSecret> {
    const headers = matchHeaders(ifMatch);
    const { path, route } = this.#item(idOrPath);
    const at = { path: `${path}/secret`, route: `${route}/secret` };
    const body = overlapSeconds === undefined ? {} : { overlap_seconds: overlapSeconds };
    const request: ServiceRequest = {
      method: 'POST',
      ...at,
      query: { stack },
      body,
      headers,
      repeat: 'once',
      writes: true,
    };
    return (await this.#send(request, options)) as RotatedSecret;
  }

  get #path(): string {
    return `/v1/${COLLECTIONS[this.kind]}`;
  }

  /** An empty id would name the whole collection, and a dot segment would vanish from the URL. */
  #item(idOrPath: string): { path: string; route: string } {
    return { path: `${this.#path}/${pathSegment(idOrPath, 'a record')}`, route: `${this.#path}/{id}` };
  }
}

/** Walks pages by their cursors. */
export async function* everyItem<T>(
  page: (cursor: string | undefined) => Promise<Page<T>>,
): AsyncGenerator<T, void, undefined> {
  let cursor: string | undefined;
  do {
    const { items, next_cursor: next } = await page(cursor);
    yield* items;
    cursor = next;
  } while (cursor !== undefined);
}

function matchHeaders(ifMatch: MatchOptions['ifMatch']): Record<string, string> {
  if (ifMatch === undefined) return {};
  return { 'if-match': typeof ifMatch === 'number' ? `"${ifMatch}"` : ifMatch };
}
