import { APPROVERS_MAX, type Provenance, provenanceSchema } from './provenance.js';

/** The variable with the whole provenance as JSON, by which a controller tells it to the commands that it runs. */
export const PROVENANCE = 'SERVICE_PROVENANCE';

type Environment = Readonly<Record<string, string | undefined>>;

/** The variable with the names of those who approved the commit, separated by commas: no pipeline has one of its own. */
export const APPROVED_BY = 'SERVICE_APPROVED_BY';

/**
 * The provenance that a pipeline knows: GitHub Actions, with the event that its `GITHUB_EVENT_PATH` holds as JSON, or GitLab. What
 * it says in a form that nobody takes is left out.
 */
export function pipelineProvenance(env: Environment, event?: unknown): Provenance {
  const whole = provenanceIn(env[PROVENANCE]);
  if (whole !== undefined) return whole;
  const known = env.GITHUB_ACTIONS === 'true' ? ofGithub(env, event) : env.GITLAB_CI === 'true' ? ofGitlab(env) : {};
  const names = (env[APPROVED_BY] ?? '').split(',').map((name) => name.trim());
  const approvers = names.filter((name) => provenanceSchema.safeParse({ approved_by: [name] }).success);
  const all = { ...known, approved_by: approvers.slice(0, APPROVERS_MAX) };
  return taken(all);
}

/** The number of the pull request that a merge or squashed commit names, as GitHub, Gitea and GitLab write their messages. */
export function pullRequestIn(message: string): number | undefined {
  const merged =
    /^Merge pull request (?:'.*' )?\(?#(\d+)\)? /.exec(message) ??
    /^[^\n]* \(#(\d+)\)(?:\n|$)/.exec(message) ??
    /^See merge request \S*!(\d+)$/m.exec(message);
  return merged === null ? undefined : Number(merged[1]);
}

/** The members that have a form that the service takes. */
function taken(all: object): Provenance {
  return Object.fromEntries(
    Object.entries(all).filter(([member, value]) => provenanceSchema.safeParse({ [member]: value }).success),
  );
}

function ofGithub(env: Environment, event: unknown): object {
  const { pull_request: pull, head_commit: head } = (event ?? {}) as {
    pull_request?: { number?: unknown; user?: { login?: unknown } };
    head_commit?: { message?: unknown; author?: { username?: unknown; name?: unknown } };
  };
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run } = env;
  return {
    author: pull?.user?.login ?? head?.author?.username ?? head?.author?.name,
    pull_request: pull?.number ?? pullRequestIn(String(head?.message ?? '')),
    pipeline: server && repository && run && `${server}/${repository}/actions/runs/${run}`,
  };
}

function ofGitlab(env: Environment): object {
  return {
    author: env.CI_COMMIT_AUTHOR?.replace(/\s*<[^>]*>$/, ''),
    pull_request:
      env.CI_MERGE_REQUEST_IID === undefined
        ? pullRequestIn(env.CI_COMMIT_MESSAGE ?? '')
        : Number(env.CI_MERGE_REQUEST_IID),
    pipeline: env.CI_PIPELINE_URL,
  };
}

function provenanceIn(text: string | undefined): Provenance | undefined {
  try {
    const all: unknown = JSON.parse(text ?? '');
    return typeof all === 'object' && all !== null ? taken(all) : undefined;
  } catch {
    return undefined;
  }
}
