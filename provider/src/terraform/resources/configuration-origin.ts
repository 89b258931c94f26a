import { publicRepository } from '@authz-service/core/origin/public-repository';
import { commitName } from '@authz-service/core/origin/record-origin';
import type { CommitSource } from '@authz-service/sdk/wire';
import { provenanceOf } from '../../connection/provenance.js';
import { refuse } from '../framework/diagnostics.js';
import type { Values } from '../framework/value.js';

/** Variables in which pipelines name the repository and commit that they run for: our own, GitHub Actions, GitLab. */
const PIPELINES: { repository(env: NodeJS.ProcessEnv): string | undefined; commit: string }[] = [
  { repository: (env) => env.SERVICE_REPOSITORY, commit: 'SERVICE_COMMIT' },
  {
    repository: ({ GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name }) => server && name && `${server}/${name}`,
    commit: 'GITHUB_SHA',
  },
  { repository: (env) => env.CI_PROJECT_URL, commit: 'CI_COMMIT_SHA' },
];

/**
 * The repository and commit of the configuration, and who stands behind it, as far as the provider block or the environment says: Terraform tells
 * providers neither files nor lines. Undefined where nothing is known. Throws for what the block says wrongly; what a
 * pipeline says is left out then.
 */
export function configurationOrigin(config: Values, env: NodeJS.ProcessEnv): CommitSource | undefined {
  const pipeline = PIPELINES.find((one) => one.repository(env) || env[one.commit]);
  const commit = given(config, 'commit', (text) => commitName.safeParse(text).data) ?? commitOf(pipeline, env);
  const repository = given(config, 'repository', publicRepository) ?? publicRepository(pipeline?.repository(env) ?? '');
  const source = {
    ...(repository !== undefined && { repository }),
    ...(commit !== undefined && { commit }),
    ...provenanceOf(env),
  };
  return Object.keys(source).length === 0 ? undefined : source;
}

function commitOf(pipeline: (typeof PIPELINES)[number] | undefined, env: NodeJS.ProcessEnv): string | undefined {
  return pipeline && commitName.safeParse(env[pipeline.commit]?.trim()).data;
}

const FORMS = {
  repository: 'is the URL of no repository: write it like "https://github.com/acme/access"',
  commit: 'is not the name of a commit: give 7 to 64 of the digits 0-9 and a-f, as "git rev-parse HEAD" prints them',
} as const;

/** The value is not repeated: the URL of a repository may hold a password. */
function given(
  config: Values,
  name: keyof typeof FORMS,
  read: (text: string) => string | undefined,
): string | undefined {
  const value = config[name];
  if (typeof value !== 'string') return undefined;
  const known = read(value);
  if (known !== undefined) return known;
  throw refuse(`Invalid ${name}`, `${name}: ${FORMS[name]}.`);
}
