import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readServedKeys, type ServedKeys } from '@authz-service/core/bundle/served-keys';
import { ProblemError } from '@authz-service/core/problem';
import { isMaskable } from '@authz-service/core/questions/replay/decision-inputs';
import { durationMs } from '@authz-service/core/values/duration';
import { Secret } from '@authz-service/core/values/secret';
import { readSinks, SinkFault, type SinkSettings } from '@authz-service/pdp/sinks/sink-settings';
import { DRAIN_TIME } from '@authz-service/pdp/transport/stop-signal';
import { type ListenAddr, listenAddr } from './listen-addr.js';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The agent's settings. */
export interface AgentConfig {
  /** Absent only with `bundleUrl`. */
  apiKey?: Secret;
  cloudUrl: URL;
  /**
   * The address of a web server that distributes the bundles. Then no cloud is asked, and `tenantId` and `bundleJwks` are
   * there.
   */
  bundleUrl?: URL;
  /** A header for that server, `Name: value`. */
  bundleHeader?: Secret;
  /** The URL under which callers reach the agent, without a trailing slash. Absent: where it listens. */
  publicUrl?: string;
  /** The id or name of the tenant to serve. Absent: the only one in the bundle. */
  tenantId?: string;
  listenAddr: ListenAddr;
  pollIntervalMs: number;
  /** The age of what is known past which the agent refuses to decide. Absent: it goes on for ever. */
  maxAgeMs?: number;
  /** An absolute path. */
  cacheDir: string;
  logLevel: LogLevel;
  decisionLog: boolean;
  /** The places that it goes to. */
  decisionLogSinks: SinkSettings[];
  /** Whether its lines hold what decisions were made of, so that they can be replayed. */
  decisionLogInputs: boolean;
  /** The paths of inputs that are not logged. */
  decisionLogMask: string[];
  /** The keys with which bundles are verified. Absent: those of the first contact with the cloud. */
  bundleJwks?: Pick<ServedKeys, 'keys' | 'epochKey'>;
  /** Whether a revision older than the one served is accepted. */
  allowRollback: boolean;
  /** How long after SIGTERM requests are still answered. */
  drainMs: number;
}

/** The environment in which the text of a setting is interpreted. */
export interface SettingContext {
  /** The folder that relative paths start from. */
  cwd: string;
  /** The folder that `~` stands for. */
  home: string;
}

/** A text that is not valid for its setting. The message is shown, so it never repeats a secret. */
export class SettingFault extends Error {}

interface Setting<T> {
  /** The default; a setting without one is optional. */
  default?: string;
  read(text: string, context: SettingContext): T;
}

type Settings = { [K in keyof Required<AgentConfig>]: Setting<Required<AgentConfig>[K]> };

const MIN_POLL_MS = 10;
/** Far below 24 days, at which a timer of Node overflows. */
const MAX_POLL_MS = 24 * 3_600_000;

export const SETTINGS: Settings = {
  apiKey: {
    read: (text) => {
      if (!/^[\x21-\x7e]+$/.test(text)) {
        throw new SettingFault(
          'holds white space or characters that no API key has: remove them, for example a final newline',
        );
      }
      return new Secret(text);
    },
  },
  cloudUrl: { default: 'http://127.0.0.1:8080', read: readUrl },
  bundleUrl: { read: readUrl },
  bundleHeader: { read: readHeader },
  publicUrl: { read: (text) => readUrl(text).href.replace(/\/+$/, '') },
  tenantId: { read: (text) => text },
  listenAddr: {
    default: '0.0.0.0:8181',
    read: (text) => {
      const read = listenAddr(text);
      if (read === undefined)
        throw new SettingFault(
          `"${text}" is not an address: write HOST:PORT like "0.0.0.0:8181", or a socket like "unix:///run/service/agent.sock"`,
        );
      return read;
    },
  },
  pollIntervalMs: {
    default: '30s',
    read: (text) => {
      const ms = readDuration(text);
      if (ms < MIN_POLL_MS || ms > MAX_POLL_MS) {
        throw new SettingFault(`"${text}" is out of range: write a duration from ${MIN_POLL_MS}ms to 24h`);
      }
      return ms;
    },
  },
  maxAgeMs: { read: readDuration },
  cacheDir: { default: '~/.service/bundles', read: readPath },
  logLevel: {
    default: 'info',
    read: (text) => {
      const level = LOG_LEVELS.find((known) => known === text.toLowerCase());
      if (level === undefined) {
        throw new SettingFault(`"${text}" is not a log level: write one of ${LOG_LEVELS.join(', ')}`);
      }
      return level;
    },
  },
  decisionLog: { default: 'false', read: readBoolean },
  decisionLogSinks: { default: 'stdout', read: (text, { cwd }) => readSinksOf(text, cwd) },
  decisionLogInputs: { default: 'false', read: readBoolean },
  decisionLogMask: { default: '', read: readMask },
  bundleJwks: { read: readJwks },
  allowRollback: { default: 'false', read: readBoolean },
  drainMs: {
    default: DRAIN_TIME.default,
    read: (text) => {
      const ms = DRAIN_TIME.read(text);
      if (ms === undefined) throw new SettingFault(`is "${text}": write ${DRAIN_TIME.expected}`);
      return ms;
    },
  },
};

/** The key of each setting in YAML. The environment variable is the same in capitals after `SERVICE_`. */
export const YAML_KEYS: { [K in keyof Settings]: string } = {
  apiKey: 'api_key',
  cloudUrl: 'cloud_url',
  bundleUrl: 'bundle_url',
  bundleHeader: 'bundle_header',
  publicUrl: 'public_url',
  tenantId: 'tenant_id',
  listenAddr: 'listen_addr',
  pollIntervalMs: 'poll_interval',
  maxAgeMs: 'max_age',
  cacheDir: 'cache_dir',
  logLevel: 'log_level',
  decisionLog: 'decision_log',
  decisionLogSinks: 'decision_log_sinks',
  decisionLogInputs: 'decision_log_inputs',
  decisionLogMask: 'decision_log_mask',
  bundleJwks: 'bundle_jwks',
  allowRollback: 'allow_rollback',
  drainMs: 'drain_time',
};

export function variableOf(yamlKey: string): string {
  return `SERVICE_${yamlKey.toUpperCase()}`;
}

function readPath(text: string, { cwd, home }: SettingContext): string {
  return resolve(
    cwd,
    text.replace(/^~(?=\/|$)/, () => home),
  );
}

function readDuration(text: string): number {
  const ms = durationMs(text);
  if (ms !== undefined) return ms;
  throw new SettingFault(`"${text}" is not a duration: write numbers with units like "30s", "500ms" or "1h30m"`);
}

function readBoolean(text: string): boolean {
  const lower = text.toLowerCase();
  if (lower !== 'true' && lower !== 'false') {
    const meant = /^(1|yes|y|on)$/.test(lower) ? 'true' : /^(0|no|n|off)$/.test(lower) ? 'false' : 'true or false';
    throw new SettingFault(`"${text}" is neither true nor false: write ${meant}`);
  }
  return lower === 'true';
}

function readSinksOf(text: string, cwd: string): SinkSettings[] {
  try {
    return readSinks(text, cwd);
  } catch (error) {
    throw error instanceof SinkFault ? new SettingFault(error.message) : error;
  }
}

function readMask(text: string): string[] {
  const paths = text.split(',').flatMap((part) => part.trim() || []);
  const wrong = paths.find((path) => !isMaskable(path));
  if (wrong === undefined) return paths;
  throw new SettingFault(
    `"${wrong}" is not the path of an input: write the paths of single values, like "context.ip,subject.properties.email"`,
  );
}

/** A JWKS given directly, or the path of one. */
function readJwks(text: string, context: SettingContext): Pick<ServedKeys, 'keys' | 'epochKey'> {
  const inline = text.trimStart().startsWith('{');
  const path = readPath(text, context);
  const where = inline ? 'the JSON' : `"${path}"`;
  try {
    const { keys, epochKey } = readServedKeys(inline ? text : readFileSync(path, 'utf8'));
    return { keys, ...(epochKey && { epochKey }) };
  } catch (error) {
    if (error instanceof ProblemError) {
      throw new SettingFault(
        `${where} does not pin keys: ${error.detail} The cloud serves one at /.well-known/jwks.json`,
      );
    }
    throw new SettingFault(`${where} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
  }
}

/** The headers that requests have anyway, or that change what an answer is. */
const OWN_HEADERS =
  /^(host|connection|content-length|transfer-encoding|accept|accept-encoding|if-.*|range|cache-control)$/i;

function readHeader(text: string): Secret {
  const [, name = ''] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.exec(text) ?? [];
  if (name === '') throw new SettingFault('is not a header: write one like "Authorization: Bearer TOKEN"');
  if (OWN_HEADERS.test(name))
    throw new SettingFault(`names the header "${name}", which the agent sends itself: name another one`);
  return new Secret(text);
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    // The text before an "@" may be a password.
    const shown = text.includes('@') ? 'the value' : `"${text}"`;
    throw new SettingFault(`${shown} is not an http or https URL: write one like "https://cloud.example.com"`);
  }
  // The URL is logged, and a password in it would be, too.
  if (url.username !== '' || url.password !== '') {
    throw new SettingFault('must not contain a user or password: credentials are settings of their own');
  }
  if (url.search !== '' || url.hash !== '') {
    throw new SettingFault(`"${text}" must end after its path: remove the query and the fragment`);
  }
  return url;
}
