import type { TokenSource } from '../config/secret-file.js';

const TIMEOUT_MS = 20_000;
const PAGES_MAX = 10;
export const PAGE_SIZE = 100;

/** A report that could not be made: it is tried again with the next one, and stops nothing. */
export class ForgeError extends Error {}

interface ApiOptions {
  /** The address, without a slash at its end. */
  base: string;
  token: TokenSource;
  /** The header that the token goes into. */
  header(token: string): Record<string, string>;
}

/** The JSON interface of a forge. Errors name the request and the status, never the token. */
export class ForgeApi {
  constructor(private readonly options: ApiOptions) {}

  /** Returns the JSON of the answer; undefined for 404. Throws `ForgeError`. */
  async ask<T>(
    method: 'GET' | 'POST' | 'PATCH' | 'PUT',
    path: string,
    body: object | undefined,
    signal: AbortSignal,
  ): Promise<T | undefined> {
    const { base, token, header } = this.options;
    const at = `${method} ${base}${path}`;
    try {
      const response = await fetch(`${base}${path}`, {
        method,
        headers: {
          accept: 'application/json',
          'user-agent': 'authz-service-sync',
          ...(body && { 'content-type': 'application/json' }),
          ...header(await token()),
        },
        ...(body && { body: JSON.stringify(body) }),
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      if (response.status === 404 && method === 'GET') return undefined;
      const text = await response.text();
      if (response.ok) return text === '' ? undefined : (JSON.parse(text) as T);
      throw new ForgeError(`${at} answered ${response.status}: ${messageIn(text)}`);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (error instanceof ForgeError) throw error;
      throw new ForgeError(`${at} failed: ${causeOf(error)}`);
    }
  }

  /** Returns the items of a list, page by page. Throws `ForgeError`. */
  async all<T>(path: string, pageParameter: string, signal: AbortSignal): Promise<T[]> {
    const items: T[] = [];
    for (let page = 1; page <= PAGES_MAX; page++) {
      const query = `${path.includes('?') ? '&' : '?'}${pageParameter}=${PAGE_SIZE}&page=${page}`;
      const found = (await this.ask<T[]>('GET', `${path}${query}`, undefined, signal)) ?? [];
      items.push(...found);
      if (found.length === 0) break;
    }
    return items;
  }
}

function messageIn(text: string): string {
  try {
    const { message, error } = JSON.parse(text) as { message?: unknown; error?: unknown };
    return String(typeof message === 'string' ? message : (error ?? 'no reason given')).slice(0, 200);
  } catch {
    return 'no reason given';
  }
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

/** Shortens text to what a field takes. */
export function shortened(text: string, max: number): string {
  const line = text.split('\n')[0] ?? '';
  return line.length <= max ? line : `${line.slice(0, max - 1)}…`;
}
