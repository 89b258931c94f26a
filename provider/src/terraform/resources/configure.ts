import { type ProblemCode, ProblemError } from '@authz-service/core/problem';
import { quote } from '@authz-service/core/records/describe';
import { nameText } from '@authz-service/core/records/fields';
import { durationMs } from '@authz-service/core/values/duration';
import { baseAddress } from '@authz-service/sdk/base-address';
import { ServiceClient } from '@authz-service/sdk/client';
import { routeOf } from '@authz-service/sdk/connection';
import { environmentProxy } from '../../connection/environment-proxy.js';
import { type Diagnostic, type Path, Refusal, refuse } from '../framework/diagnostics.js';
import type { Context } from '../framework/provider.js';
import type { Schema } from '../framework/schema.js';
import { UNKNOWN, type Values } from '../framework/value.js';
import { configurationOrigin } from './configuration-origin.js';
import { issueToken } from './issue-token.js';
import { diagnosticOfProblem, refusalOf } from './problem-diagnostics.js';
import { interrupted } from './refusals.js';
import { type Configured, Pending, Service } from './service.js';

const DEFAULT_CLOUD_URL = 'http://127.0.0.1:8080';
const DEFAULT_STACK = 'terraform';
const USER_AGENT = 'authz-service-terraform-provider';
/** No user's request waits for a decision that a plan asks for. */
const DECISION_TIMEOUT_MS = 30_000;
const ENFORCED = 'enforced';
const DEFAULT_TIMEOUT = '60s';
const TIMEOUT_MS_MAX = 86_400_000;

/** The attributes that environment variables can provide instead of the provider block. */
const VARIABLES = {
  cloud_url: 'SERVICE_CLOUD_URL',
  client_id: 'SERVICE_CLIENT_ID',
  client_secret: 'SERVICE_CLIENT_SECRET',
} as const;
type Setting = keyof typeof VARIABLES;

export const providerSchema: Schema = {
  version: 0,
  description: 'Declares the records of one tenant: who may do what on which resources.',
  attributes: {
    cloud_url: text(`The base address of the cloud. Default: \`SERVICE_CLOUD_URL\`, or else \`${DEFAULT_CLOUD_URL}\`.`),
    client_id: text('The id of the OAuth client to act as. Default: `SERVICE_CLIENT_ID`.'),
    client_secret: { ...text('The secret of that client. Default: `SERVICE_CLIENT_SECRET`.'), sensitive: true },
    stack: text(
      `The stack that owns what this configuration declares; two configurations on one tenant have two. Default: \`${DEFAULT_STACK}\`.`,
    ),
    tenant: text(
      'The name of the tenant that this configuration is for. Credentials of another tenant are then refused.',
    ),
    repository: text(
      'The repository that holds this configuration, shown beside its records: `https://github.com/acme/access`. User and password are left out. Default: `SERVICE_REPOSITORY`, or that of the pipeline in GitHub Actions and GitLab.',
    ),
    commit: text(
      'The commit of it that is applied. Default: `SERVICE_COMMIT`, or that of the pipeline. Terraform tells providers no files and lines, so that these are not shown.',
    ),
    wait_for: text(
      `\`${ENFORCED}\`: each change of an apply ends only once every agent of the tenant enforces it, or fails and names those that do not. What was changed stays: a record that was created then is taken over by the next apply, which needs \`stack\`. Without it, an apply ends once the service has taken the changes.`,
    ),
    wait_timeout: text(
      `How long a change waits for that: \`90s\`, \`5m\`. Default: \`${DEFAULT_TIMEOUT}\`. After one has waited in vain, the others of the apply are made without waiting, and fail, too, while agents lag.`,
    ),
    take_ownership: {
      type: 'bool',
      description:
        'Whether to take over records that exist already instead of refusing them: those of another stack, and those of this one that the state does not hold, which needs no consent where `stack` is given and they are no credentials.',
      optional: true,
    },
  },
};

function text(description: string) {
  return { type: 'string' as const, description, optional: true };
}

/**
 * Sets the provider up: settings come from the block or the environment and are checked against the service once, so
 * that wrong ones give one diagnostic instead of one per resource.
 */
export async function configure(config: Values, context: Context, env: NodeJS.ProcessEnv): Promise<Configured> {
  const unknown = Object.keys(providerSchema.attributes).find((name) => config[name] === UNKNOWN);
  if (unknown !== undefined) return new Pending(unknown);

  const address = addressFrom(config, env);
  const clientId = settingFrom('client_id', config, env);
  const clientSecret = settingFrom('client_secret', config, env);
  if (clientId === undefined || clientSecret === undefined) throw new Refusal([missing(clientId, clientSecret)]);
  const stack = nameOf('stack', config, ` Without one it is "${DEFAULT_STACK}".`) ?? DEFAULT_STACK;
  const declaredFor = nameOf('tenant', config, ' Without one it is that of the credentials.');
  const enforcedWithin = enforcedWithinOf(config);
  const origin = configurationOrigin(config, env);
  try {
    const { fetch } = routeOf({ url: address.url, proxy: environmentProxy(address.url) });
    const client = new ServiceClient({
      url: address.url,
      fetch,
      credentials: { clientId, clientSecret },
      userAgent: USER_AGENT,
      decisionTimeoutMs: DECISION_TIMEOUT_MS,
      attemptTimeoutMs: DECISION_TIMEOUT_MS,
    });
    const service = new Service({
      client,
      token: (scopes, signal) =>
        issueToken({ url: client.url, fetch, clientId, clientSecret, userAgent: USER_AGENT }, scopes, signal),
      stack,
      stackIsNamed: typeof config.stack === 'string',
      origin,
      takeOwnership: config.take_ownership === true,
      enforcedWithin,
      log: context.log,
    });
    // The records, which are read in any case, are fetched while the credential is checked; errors appear when they are
    // used.
    const reading = service.records(context.signal).catch(() => {});
    const { tenant, scopes, limits, credential } = await client.whoami({ signal: context.signal });
    context.log.log('info', 'configured', {
      url: client.url,
      tenant: tenant.name,
      client: credential.name,
      stack,
      scopes,
    });
    if (declaredFor !== undefined && declaredFor !== tenant.name)
      throw new Refusal([otherTenant(declaredFor, tenant.name)]);
    if (!scopes.some((scope) => READING.has(scope))) throw new Refusal([unreadable(credential.name, scopes)]);
    if (limits !== undefined) service.writer = { name: credential.name, limits };
    await reading;
    return service;
  } catch (error) {
    if (error instanceof ProblemError) throw new Refusal([refused(error, config, address)]);
    throw context.signal.aborted && !(error instanceof Refusal) ? interrupted() : error;
  }
}

/** The scopes that allow reading records. */
const READING: ReadonlySet<string> = new Set(['records:read', 'records:write']);

function otherTenant(wanted: string, tenant: string): Diagnostic {
  return {
    severity: 'error',
    summary: 'Another tenant',
    detail: `This configuration is for the tenant "${wanted}", but the credentials are those of "${tenant}": use those of "${wanted}", or change "tenant" in the provider block.`,
    path: ['tenant'],
  };
}

function unreadable(client: string, scopes: readonly string[]): Diagnostic {
  return {
    severity: 'error',
    summary: 'Scope missing',
    detail: `The client "${client}" may not read records (it has ${scopes.join(', ')}): give it the scope records:write, or records:read for plans alone.`,
  };
}

/**
 * Refuses empty text in the provider block, as from an empty variable: the environment must not be used by accident.
 */
function givenIn(config: Values, name: Setting): string | undefined {
  const given = config[name];
  if (typeof given !== 'string') return undefined;
  if (given.trim() !== '') return textOf(given);
  throw refuse(`Invalid ${name}`, `${name}: "" must not be empty. Without one it is ${VARIABLES[name]}.`, [name]);
}

/**
 * An empty environment variable counts as absent. A final line feed is removed, since pipelines often add one to
 * secrets.
 */
function textOf(value: unknown): string | undefined {
  const given = typeof value === 'string' ? value.trim() : '';
  return given === '' ? undefined : given;
}

/** Refuses empty text, as from an empty variable: tenant and stack must not be chosen by accident. */
function nameOf(attribute: 'stack' | 'tenant', config: Values, without: string): string | undefined {
  const name = config[attribute];
  if (typeof name !== 'string') return undefined;
  const { success, error } = nameText.safeParse(name);
  if (success) return name;
  throw refuse(`Invalid ${attribute}`, `${attribute}: ${quote(name)} ${error.issues[0]?.message}.${without}`, [
    attribute,
  ]);
}

/** How long a change waits until agents enforce it; undefined if it does not. */
function enforcedWithinOf(config: Values): { ms: number; text: string } | undefined {
  const { wait_for: what, wait_timeout: timeout, stack } = config;
  if (typeof what !== 'string') {
    if (typeof timeout !== 'string') return undefined;
    throw refuse('Invalid wait_timeout', `wait_timeout: nothing waits without wait_for = "${ENFORCED}".`, [
      'wait_timeout',
    ]);
  }
  if (what !== ENFORCED)
    throw refuse('Invalid wait_for', `wait_for: ${quote(what)} must be "${ENFORCED}", or be left out.`, ['wait_for']);
  if (typeof stack !== 'string')
    throw refuse(
      'Stack missing',
      `wait_for: give the configuration a name, stack = "…": a record whose creation waits in vain is not in the state, and only a named stack takes it over in the next apply.`,
      ['wait_for'],
    );
  const text = typeof timeout === 'string' ? timeout : DEFAULT_TIMEOUT;
  const ms = durationMs(text);
  if (ms !== undefined && ms <= TIMEOUT_MS_MAX) return { ms, text };
  throw refuse(
    'Invalid wait_timeout',
    `wait_timeout: ${quote(text)} must be a duration up to 24h, like "90s" or "5m".`,
    ['wait_timeout'],
  );
}

function settingFrom(name: Setting, config: Values, env: NodeJS.ProcessEnv): string | undefined {
  return givenIn(config, name) ?? textOf(env[VARIABLES[name]]);
}

/** The cloud's address and where that setting came from. */
interface CloudAddress {
  url: string;
  origin: string;
}

function addressFrom(config: Values, env: NodeJS.ProcessEnv): CloudAddress {
  const text = settingFrom('cloud_url', config, env);
  if (text === undefined) {
    const origin = `is the default: neither cloud_url in the provider block nor ${VARIABLES.cloud_url} is set`;
    return { url: DEFAULT_CLOUD_URL, origin };
  }
  const source = sourceOf('cloud_url', config);
  try {
    return { url: baseAddress(text, source), origin: `comes from ${source}` };
  } catch (error) {
    throw error instanceof ProblemError ? refusalOf(error, pathOfAddress(config)) : error;
  }
}

/** The attribute to point at for a fault of the address; a value from the environment stands in no file. */
function pathOfAddress(config: Values): Path | undefined {
  return textOf(config.cloud_url) === undefined ? undefined : ['cloud_url'];
}

const BLOCK = 'in the provider block';

function sourceOf(name: Setting, config: Values): string {
  return textOf(config[name]) === undefined ? VARIABLES[name] : `${name} ${BLOCK}`;
}

function missing(clientId: string | undefined, clientSecret: string | undefined): Diagnostic {
  const absent: Setting[] = [
    ...(clientId === undefined ? (['client_id'] as const) : []),
    ...(clientSecret === undefined ? (['client_secret'] as const) : []),
  ];
  const variables = absent.map((name) => VARIABLES[name]).join(' and ');
  return {
    severity: 'error',
    summary: 'Credentials missing',
    detail:
      `${variables} ${absent.length === 1 ? 'is' : 'are'} not set: set ${absent.length === 1 ? 'it' : 'them'} in the environment, ` +
      `or give ${absent.join(' and ')} ${BLOCK}. "servicectl clients create NAME --scope records:write" makes a client.`,
  };
}

/** Names the setting at fault and where it came from. */
function refused(problem: ProblemError, config: Values, { url, origin }: CloudAddress): Diagnostic {
  if (problem.code === 'invalid_client' || problem.code === 'unauthorized') {
    const [id, secret] = [sourceOf('client_id', config), sourceOf('client_secret', config)];
    const both = id.endsWith(BLOCK) && secret.endsWith(BLOCK) ? 'client_id' : id;
    // The diagnostic has no path, because Terraform would show the line, and with it the secret.
    return {
      severity: 'error',
      summary: 'Client credentials refused',
      detail: `${url} refused the client: check ${both} and ${secret}, and that the client still exists there.`,
    };
  }
  if (!ADDRESSED.has(problem.code)) return diagnosticOfProblem(problem);
  return diagnosticOfProblem(problem, pathOfAddress(config), `The address ${url} ${origin}.`);
}

/** The errors that a wrong address can cause. */
const ADDRESSED: ReadonlySet<ProblemCode> = new Set(['network', 'timeout', 'not_found', 'not_ready']);
