import type { Random } from '../random.js';
import { malformed } from './bodies.js';
import type { Probe } from './exchange.js';

// biome-ignore lint/suspicious/noExplicitAny: a schema is whatever JSON Schema allows.
type Schema = any;

interface Operation {
  method: string;
  path: string;
  /** One of these is needed; undefined where anybody may call, none where any credential does. */
  scopes: string[] | undefined;
  parameters: { name: string; in: 'path' | 'query' | 'header' }[];
  types: string[];
  schema: Schema;
}

const TEXTS = [
  'x',
  '',
  'a/b',
  '../..',
  '%2f',
  '%00',
  'é',
  'null',
  '0',
  '-1',
  '1e9',
  'a'.repeat(300),
  '__proto__',
  'ALLOW',
  'role',
  '[',
  '\u202e',
];
const HEADER_VALUES = [
  '"1"',
  'W/"x"',
  '',
  ',',
  'é',
  'a'.repeat(3_000),
  'wait=0',
  'wait=abc',
  'wait=99999999999',
  '1.0',
  '"',
];

/** The operations that a cloud says it has. */
export async function operationsOf(url: string): Promise<{ operations: Operation[]; document: Schema }> {
  const document: Schema = await (await fetch(`${url}/openapi.json`)).json();
  const operations = Object.entries<Schema>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Schema>(methods).map(([method, operation]): Operation => {
      const content = operation.requestBody?.content ?? {};
      return {
        method: method.toUpperCase(),
        path,
        scopes: operation.security.length === 0 ? undefined : (operation['x-scopes-any-of'] ?? []),
        parameters: operation.parameters,
        types: Object.keys(content),
        schema: Object.values<Schema>(content)[0]?.schema,
      };
    }),
  );
  return { operations, document };
}

/** A request to an operation: what its description asks for, mostly malformed somewhere. */
export function operationProbe(random: Random, operation: Operation, document: Schema): Probe {
  const path = operation.path.replaceAll(/\{\w+\}/g, () => encoded(random, random.pick(TEXTS)) || 'x');
  const headers: Probe['headers'] = {};
  const query: string[] = [];
  for (const parameter of operation.parameters) {
    if (!random.chance(0.3)) continue;
    if (parameter.in === 'header') headers[parameter.name.toLowerCase()] = latin(random.pick(HEADER_VALUES));
    if (parameter.in === 'query') query.push(`${parameter.name}=${encoded(random, random.pick(TEXTS))}`);
  }
  if (random.chance(0.1))
    query.push(random.pick(['a', '=', '&&', 'limit=1&limit=2', '%', '%ff=%ff', '__proto__=1', 'a[b]=c', '?']));
  const probe: Probe = {
    method: operation.method,
    path: query.length === 0 ? path : `${path}?${query.join('&')}`,
    headers,
  };
  if (operation.schema === undefined && !random.chance(0.1)) return probe;
  const sample = sampleOf(random, operation.schema ?? {}, document, 0);
  const body =
    typeof sample === 'object' && sample !== null ? malformed(random, sample) : Buffer.from(JSON.stringify(sample));
  headers['content-length'] = body.length;
  headers['content-type'] = random.chance(0.9) ? random.pick([...operation.types, 'application/json']) : 'text/html';
  return { ...probe, body };
}

const PATHS = [
  '/',
  '//',
  '/v1',
  '/v1/',
  '/v1/authorize/',
  '//v1/authorize',
  '/V1/authorize',
  '/v1/authorize%00',
  '/v1/%ff',
  '/v1/%',
  '/v1/%2e%2e/metrics',
  '/v1/authorize;a',
  '/.well-known/',
  '/.env',
  '/__proto__',
  '/constructor',
  '/metrics/../v1/state',
  `/${'a'.repeat(8_000)}`,
  '/v1/state#a',
  '/favicon.ico',
  '/livez',
  '/readyz',
  '/metrics',
  '/v1/status',
  '/.well-known/authzen-configuration',
  '/v1/authorize',
  '/access/v1/evaluation',
];
const METHODS = ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD', 'TRACE', 'PROPFIND', 'SEARCH', 'POST'];

/** A request for what is not there, or by a method that is not. */
export function strayProbe(random: Random): Probe {
  const query = random.chance(0.3) ? `?${encoded(random, random.pick(TEXTS))}` : '';
  const headers: Probe['headers'] = random.chance(0.3)
    ? {
        [random.pick(['accept', 'range', 'cookie', 'x-forwarded-host', 'x-http-method-override', 'te'])]: latin(
          random.pick(HEADER_VALUES),
        ),
      }
    : {};
  return { method: random.pick(METHODS), path: `${random.pick(PATHS)}${query}`, headers };
}

const latin = (text: string) => text.replaceAll(/[^\x20-\xff]/g, '?');
/** Mostly encoded as URLs require. */
const encoded = (random: Random, text: string) =>
  random.chance(0.8) ? encodeURIComponent(text) : text.replaceAll(/[^\x21-\x7e]|[?#]/g, '%');

function sampleOf(random: Random, schema: Schema, document: Schema, depth: number): unknown {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1);
    return sampleOf(random, document.components.schemas[name], document, depth + 1);
  }
  if ('const' in schema) return schema.const;
  if (schema.enum) return random.pick(schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return sampleOf(random, random.pick(choices as Schema[]), document, depth + 1);
  if (schema.type === 'array') {
    const length = depth > 8 ? 0 : random.below(3);
    return Array.from({ length }, () => sampleOf(random, schema.items ?? {}, document, depth + 1));
  }
  if (schema.type === 'object') {
    const required: string[] = schema.required ?? [];
    const members = Object.entries<Schema>(schema.properties ?? {}).filter(
      ([name]) => required.includes(name) || (depth < 8 && random.chance(0.4)),
    );
    return Object.fromEntries(members.map(([name, member]) => [name, sampleOf(random, member, document, depth + 1)]));
  }
  if (schema.type === 'integer' || schema.type === 'number') return random.pick([0, 1, -1, 2 ** 31, 2 ** 53, 0.5]);
  if (schema.type === 'boolean') return random.chance(0.5);
  return random.pick(TEXTS);
}
