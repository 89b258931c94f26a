import { ProblemError } from '@authz-service/core/problem';
import { type TokenSource, tokenIn } from '../config/secret-file.js';
import type { StackConfig } from '../config/sync-config.js';
import type { Forge } from './forge.js';
import { ForgeApi } from './forge-api.js';
import { GithubForge } from './github.js';
import { appTokens } from './github-app.js';
import { GitlabForge } from './gitlab.js';

/** The tokens by which a stack's repository is read; undefined where it has none. */
export function gitTokens({ access, reports, repository }: StackConfig): TokenSource | undefined {
  const { app, token } = access;
  if (app !== undefined) return appTokens(app, reports?.api ?? githubApi(hostOf(repository)));
  return token === undefined ? undefined : tokenIn(token);
}

/** The place where a stack's pull requests are; undefined where none is named. Throws `invalid_config`. */
export function forgeOf(config: StackConfig, tokens: TokenSource | undefined): Forge | undefined {
  const { reports, repository, name } = config;
  if (reports === undefined) return undefined;
  const token = reports.token === undefined ? tokens : tokenIn(reports.token);
  const host = hostOf(repository);
  const project = reports.project ?? projectOf(repository);
  const lacking = token === undefined ? 'a token' : project === undefined ? 'the project' : undefined;
  const base = (reports.api ?? (host && API[reports.to](host)))?.replace(/\/+$/, '');
  if (token === undefined || project === undefined || base === undefined)
    throw new ProblemError(
      'invalid_config',
      `The stack "${name}" reports to ${reports.to}, and lacks ${lacking ?? 'the address of the API'}: add it to "reports".`,
    );
  const api = new ForgeApi({
    base,
    token,
    header: HEADER[reports.to],
  });
  return reports.to === 'gitlab' ? new GitlabForge(api, project) : new GithubForge(api, project, reports.to);
}

const API = {
  github: githubApi,
  gitlab: (host: string) => `https://${host}/api/v4`,
  gitea: (host: string) => `https://${host}/api/v1`,
};

const HEADER = {
  github: (secret: string): Record<string, string> => ({ authorization: `Bearer ${secret}` }),
  gitlab: (secret: string) => ({ 'private-token': secret }),
  gitea: (secret: string) => ({ authorization: `token ${secret}` }),
};

function githubApi(host: string | undefined): string {
  return host === undefined || host === 'github.com' ? 'https://api.github.com' : `https://${host}/api/v3`;
}

/** The host of `https://HOST/…`, `ssh://git@HOST/…` or `git@HOST:…`. */
function hostOf(repository: string): string | undefined {
  return (
    /^https?:\/\/(?:[^/@]*@)?([^/]+)\//.exec(repository)?.[1] ??
    /^ssh:\/\/(?:[^/@]*@)?([^/:]+)/.exec(repository)?.[1] ??
    /^[^/@:]+@([^:/]+):/.exec(repository)?.[1]
  );
}

function projectOf(repository: string): string | undefined {
  const path =
    /^(?:https?|ssh):\/\/[^/]+\/(.+)$/.exec(repository)?.[1] ?? /^[^/@:]+@[^:/]+:(.+)$/.exec(repository)?.[1];
  return path?.replace(/\/+$/, '').replace(/\.git$/, '');
}
