import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nearest } from '@authz-service/core/text/nearest';
import { bytesOf } from '@authz-service/core/values/bytes';
import { readHeader, type TlsFiles, tlsOptions } from './tls-files.js';

const KINDS = ['stdout', 'file', 'http', 'otlp', 'syslog'] as const;

/** A place that a log goes to. Printed, it is its name, since an address may hold a secret. */
export interface SinkSettings {
  kind: (typeof KINDS)[number];
  /** How logs and metrics call it: its kind, and its host or path. */
  name: string;
  /** Whether decisions go on without their lines when it can take no more, or wait. */
  whenFull: 'drop' | 'block';
  toJSON(): string;
  /** The file of the kind `file`. */
  path?: string;
  /** The address of the kinds `http`, `otlp` and `syslog`. */
  url?: URL;
  queueBytesMax: number;
  fileBytesMax: number;
  filesMax: number;
  headerFile?: string;
  tls: TlsFiles;
}

/** A text that names no sinks. The message repeats no address that may hold a secret. */
export class SinkFault extends Error {}

const MIB = 1024 * 1024;
const QUEUE_BYTES = { min: MIB, default: 128 * MIB };
const FILE_BYTES = { min: MIB, default: 100 * MIB };
const FILES = 5;

/** The options after `#`, and the kinds that have them. */
const OPTIONS: { [name: string]: readonly (typeof KINDS)[number][] } = {
  when_full: KINDS,
  queue: ['http', 'otlp', 'syslog'],
  max_size: ['file'],
  max_files: ['file'],
  header_file: ['http', 'otlp'],
  ca_file: ['http', 'otlp', 'syslog'],
  cert_file: ['http', 'otlp', 'syslog'],
  key_file: ['http', 'otlp', 'syslog'],
};

/**
 * Reads sinks from a text, separated by white space: `stdout`, `file:///PATH`, `https://…`, `otlp+https://…` or `syslog+tls://…`, each
 * with options after `#`, like `#when_full=block&queue=1GiB`. Relative paths start from `cwd`.
 */
export function readSinks(text: string, cwd: string): SinkSettings[] {
  const sinks = text.split(/\s+/).flatMap((part) => (part === '' ? [] : readSink(part, cwd)));
  if (sinks.length === 0)
    throw new SinkFault('names no sink: write "stdout", or an address like "otlp+https://collector.example.com:4318"');
  const twice = sinks.find(({ name }, at) => sinks.findIndex((other) => other.name === name) < at);
  if (twice !== undefined) throw new SinkFault(`names ${twice.name} twice: a receiver has one sink`);
  return sinks;
}

function readSink(text: string, cwd: string): SinkSettings {
  const [address = '', fragment = ''] = text.split('#', 2);
  const place = placeOf(address);
  const { kind, name } = place;
  const options = optionsOf(fragment, kind, name);
  const path = (key: string) => {
    const given = options.get(key);
    return given === undefined ? undefined : resolve(cwd, given);
  };
  const whenFull = options.get('when_full') ?? 'drop';
  if (whenFull !== 'drop' && whenFull !== 'block') {
    throw new SinkFault(`${name}: when_full is "${whenFull}": write drop or block`);
  }
  const tls = { caFile: path('ca_file'), certFile: path('cert_file'), keyFile: path('key_file') };
  if ((tls.certFile === undefined) !== (tls.keyFile === undefined)) {
    throw new SinkFault(`${name}: cert_file and key_file belong together: give both or none`);
  }
  const headerFile = path('header_file');
  for (const file of [tls.caFile, tls.certFile, tls.keyFile, headerFile]) {
    if (file !== undefined && !existsSync(file)) throw new SinkFault(`${name}: there is no file "${file}"`);
  }
  try {
    tlsOptions(tls);
    if (headerFile !== undefined) readHeader(headerFile);
  } catch (error) {
    throw new SinkFault(`${name}: ${(error as Error).message}`);
  }
  return {
    ...place,
    whenFull,
    tls,
    ...(headerFile !== undefined && { headerFile }),
    queueBytesMax: sizeIn(options, 'queue', name, QUEUE_BYTES),
    fileBytesMax: sizeIn(options, 'max_size', name, FILE_BYTES),
    filesMax: filesIn(options, name),
    toJSON: () => name,
  };
}

function placeOf(address: string): Pick<SinkSettings, 'kind' | 'name' | 'path' | 'url'> {
  if (address === 'stdout') return { kind: 'stdout', name: 'stdout' };
  const [, scheme = ''] = /^([a-z+]+):/.exec(address) ?? [];
  const isOtlp = scheme === 'otlp+http' || scheme === 'otlp+https';
  const plain = isOtlp ? address.slice('otlp+'.length) : address;
  const url = URL.canParse(plain) ? new URL(plain) : undefined;
  const isKnown = isOtlp || ['file', 'http', 'https', 'syslog+tls'].includes(scheme);
  if (!isKnown || url === undefined) {
    // Before an "@" may be a password, and a path or what is after a "?" may be a token.
    const shown = /[@?]/.test(address) ? 'an address' : `"${address.replace(/^(\w[\w+]*:\/\/[^/]*\/).+$/, '$1…')}"`;
    throw new SinkFault(
      `${shown} is no sink: write stdout, file:///PATH, https://HOST/PATH, otlp+https://HOST:4318 or syslog+tls://HOST:6514`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new SinkFault(
      `the sink at ${url.host} must not contain a user or password: write a header into a file, and #header_file=PATH`,
    );
  }
  if (scheme === 'file') {
    if (url.host !== '') throw new SinkFault(`"${address}" names a host: write three slashes, file:///PATH`);
    const path = decoded(() => fileURLToPath(url), `the path of "${address}"`);
    return { kind: 'file', name: `file ${path}`, path };
  }
  if (url.hostname === '')
    throw new SinkFault(`"${scheme}:" names no host: write one like ${scheme}://logs.example.com`);
  if (scheme === 'syslog+tls')
    return { kind: 'syslog', name: `syslog ${url.hostname}:${url.port || SYSLOG_PORT}`, url };
  if (isOtlp && url.pathname === '/') url.pathname = '/v1/logs';
  return { kind: isOtlp ? 'otlp' : 'http', name: `${isOtlp ? 'otlp' : 'http'} ${url.host}`, url };
}

/** The port of syslog over TLS (RFC 5425 section 4.1). */
export const SYSLOG_PORT = 6514;

function optionsOf(fragment: string, kind: SinkSettings['kind'], name: string): Map<string, string> {
  const options = new Map<string, string>();
  for (const part of fragment.split('&').filter((one) => one !== '')) {
    const [key = '', value = ''] = part.split(/=(.*)/s, 2);
    const known = Object.keys(OPTIONS).filter((option) => OPTIONS[option]?.includes(kind));
    if (!known.includes(key)) {
      const close = nearest(key, known);
      const remedy = close === undefined ? `it has ${known.join(', ')}` : `did you mean "${close}"?`;
      throw new SinkFault(`${name}: there is no option "${key}": ${remedy}`);
    }
    if (options.has(key)) throw new SinkFault(`${name}: the option "${key}" is given twice: keep one`);
    if (value === '') throw new SinkFault(`${name}: the option "${key}" has no value: write ${key}=VALUE`);
    options.set(
      key,
      decoded(() => decodeURIComponent(value), `${name}: ${key}`),
    );
  }
  return options;
}

function decoded(decode: () => string, place: string): string {
  try {
    return decode();
  } catch {
    throw new SinkFault(`${place} has a "%" that encodes nothing it may hold: write "%25" for a "%"`);
  }
}

function sizeIn(
  options: Map<string, string>,
  key: string,
  name: string,
  range: { min: number; default: number },
): number {
  const text = options.get(key);
  if (text === undefined) return range.default;
  const bytes = bytesOf(text);
  if (bytes !== undefined && bytes >= range.min) return bytes;
  throw new SinkFault(
    `${name}: ${key} is "${text}": write a size of at least ${range.min / MIB}MiB, like "512MiB" or "2GiB"`,
  );
}

function filesIn(options: Map<string, string>, name: string): number {
  const text = options.get('max_files') ?? String(FILES);
  if (/^[1-9]\d{0,3}$/.test(text) && Number(text) >= 2) return Number(text);
  throw new SinkFault(`${name}: max_files is "${text}": write a number from 2 to 9999`);
}
