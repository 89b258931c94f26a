import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { unknownVariables } from '@authz-service/core/settings/variables';
import { type AgentConfig, SETTINGS, SettingFault, variableOf, YAML_KEYS } from './config/settings.js';
import { type PlacedText, readYamlSettings } from './config/yaml-file.js';

/** The outcome of reading: the configuration, or all faults at once. */
export interface LoadedConfig {
  /** Absent when there are faults. */
  config?: AgentConfig;
  /** Each begins with its place: `file:line:column`, or the environment variable. */
  faults: string[];
  warnings: string[];
  /** The file that was read, if there was one. */
  path?: string;
}

export interface ConfigSources {
  /** The file of `--config`, which must exist. */
  configPath?: string | undefined;
  env: NodeJS.ProcessEnv;
  cwd: string;
}

const YAML_NAMES = Object.values(YAML_KEYS);

/**
 * Reads the configuration: YAML from `--config`, or else `./service-agent.yaml`, or else `$HOME/.service/agent.yaml`.
 * Environment variables override it; an empty one counts as unset. Nothing else reads the environment.
 */
export function loadConfig({ configPath, env, cwd }: ConfigSources): LoadedConfig {
  const home = env.HOME || homedir();
  const { path, values, faults } = readFile(configPath, cwd, home);
  const warnings = unknownVariables(Object.keys(env)).map(({ text }) => text);

  function read<K extends keyof AgentConfig>(key: K): AgentConfig[K] | undefined {
    const setting = SETTINGS[key];
    const name = YAML_KEYS[key];
    const given = fromEnvironment(env, name) ?? values.get(name);
    const text = given?.text ?? setting.default;
    if (text === undefined) return undefined;
    try {
      return setting.read(text, { cwd, home });
    } catch (error) {
      if (!(error instanceof SettingFault)) throw error;
      faults.push(`${given?.place ?? name}: ${given?.place === variableOf(name) ? '' : `${name}: `}${error.message}`);
      return undefined;
    }
  }

  const isGiven = (name: string) => fromEnvironment(env, name) !== undefined || values.has(name);
  const isStatic = isGiven(YAML_KEYS.bundleUrl);
  if (isStatic) faults.push(...faultsOfStatic(isGiven));
  else if (isGiven(YAML_KEYS.bundleHeader)) {
    faults.push(
      `${variableOf(YAML_KEYS.bundleHeader)}: no web server is asked: set ${variableOf(YAML_KEYS.bundleUrl)}, too`,
    );
  }
  if (!isStatic && !isGiven(YAML_KEYS.apiKey)) {
    faults.push(`API key is required: set ${variableOf(YAML_KEYS.apiKey)}, or ${YAML_KEYS.apiKey} in the YAML file`);
  }
  const config = {
    apiKey: isStatic ? undefined : read('apiKey'),
    cloudUrl: read('cloudUrl'),
    bundleUrl: read('bundleUrl'),
    bundleHeader: read('bundleHeader'),
    publicUrl: read('publicUrl'),
    tenantId: read('tenantId'),
    listenAddr: read('listenAddr'),
    pollIntervalMs: read('pollIntervalMs'),
    maxAgeMs: read('maxAgeMs'),
    cacheDir: read('cacheDir'),
    logLevel: read('logLevel'),
    decisionLog: read('decisionLog'),
    decisionLogSinks: read('decisionLogSinks'),
    decisionLogInputs: read('decisionLogInputs'),
    decisionLogMask: read('decisionLogMask'),
    bundleJwks: read('bundleJwks'),
    allowRollback: read('allowRollback'),
    drainMs: read('drainMs'),
  };
  for (const key of ['decisionLogSinks', 'decisionLogInputs'] as const) {
    const isWanted = key === 'decisionLogInputs' ? config[key] : isGiven(YAML_KEYS[key]);
    if (!isWanted || config.decisionLog !== false) continue;
    faults.push(
      `${variableOf(YAML_KEYS[key])}: there is no decision log: set ${variableOf(YAML_KEYS.decisionLog)}=true, too`,
    );
  }
  const { maxAgeMs, pollIntervalMs } = config;
  if (maxAgeMs !== undefined && pollIntervalMs !== undefined && maxAgeMs < 2 * pollIntervalMs) {
    faults.push(
      `${variableOf(YAML_KEYS.maxAgeMs)}: ${maxAgeMs / 1000} s is less than two poll intervals, so that the agent would refuse decisions while all is well: ` +
        `write at least ${(2 * pollIntervalMs) / 1000}s, or a shorter ${variableOf(YAML_KEYS.pollIntervalMs)}`,
    );
  }
  const source = path === undefined ? {} : { path };
  if (faults.length > 0) return { faults, warnings, ...source };
  return { config: config as AgentConfig, faults, warnings, ...source };
}

/**
 * A web server proves nothing of who made its files, and one set of keys signs the bundles of all tenants: the agent must know
 * both beforehand.
 */
function faultsOfStatic(isGiven: (name: string) => boolean): string[] {
  const { bundleUrl, bundleJwks, tenantId, cloudUrl } = YAML_KEYS;
  const [url, keys, tenant] = [variableOf(bundleUrl), variableOf(bundleJwks), variableOf(tenantId)];
  const faults: string[] = [];
  if (isGiven(cloudUrl)) faults.push(`${url}: no cloud is asked then: remove it or ${variableOf(cloudUrl)}`);
  if (!isGiven(bundleJwks)) {
    faults.push(
      `${url}: the web server proves nothing of who signed its files: set ${keys} to a copy of keys.json, or of what the cloud serves at /.well-known/jwks.json, that came another way`,
    );
  }
  if (!isGiven(tenantId)) {
    faults.push(
      `${url}: the keys sign the bundles of all tenants: set ${tenant} to the id that "servicectl bundle publish" names`,
    );
  }
  return faults;
}

function fromEnvironment(env: NodeJS.ProcessEnv, yamlKey: string): PlacedText | undefined {
  const variable = variableOf(yamlKey);
  const text = env[variable];
  return text ? { text, place: variable } : undefined;
}

function readFile(configPath: string | undefined, cwd: string, home: string) {
  const candidates =
    configPath === undefined
      ? [join(cwd, 'service-agent.yaml'), join(home, '.service', 'agent.yaml')]
      : [resolve(cwd, configPath)];
  for (const path of candidates) {
    try {
      return { path, ...readYamlSettings(path, readFileSync(path, 'utf8'), YAML_NAMES) };
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' && configPath === undefined) continue;
      const remedy = code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${code})`;
      return { path, values: new Map<string, PlacedText>(), faults: [`${path}: ${remedy}`] };
    }
  }
  return { path: undefined, values: new Map<string, PlacedText>(), faults: [] as string[] };
}
