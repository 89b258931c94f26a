import { APPROVERS_MAX, type Provenance } from '@authz-service/core/origin/provenance';
import type { CommitReport, Forge, PullRequest } from './forge.js';
import { type ForgeApi, shortened } from './forge-api.js';

const DESCRIPTION_LENGTH_MAX = 140;

interface Review {
  state: string;
  user: { login: string } | null;
}

/** The interfaces that GitHub and Gitea share; each says how it finds the pull request of a commit. */
export class GithubForge implements Forge {
  constructor(
    private readonly api: ForgeApi,
    private readonly project: string,
    private readonly dialect: 'github' | 'gitea',
  ) {}

  async setStatus({ commit, context, state, description }: CommitReport, signal: AbortSignal): Promise<void> {
    const body = { state, context, description: shortened(description, DESCRIPTION_LENGTH_MAX) };
    await this.api.ask('POST', `/repos/${this.project}/statuses/${commit}`, body, signal);
  }

  async pullRequests(branch: string, signal: AbortSignal): Promise<PullRequest[]> {
    const open = await this.#all<{ number: number; head: { sha: string }; base: { ref: string } }>(
      'pulls?state=open',
      signal,
    );
    return open
      .filter(({ base }) => base.ref === branch)
      .map(({ number, head }) => ({ number, head: head.sha, ref: `refs/pull/${number}/head` }));
  }

  async comment(pull: number, { marker, text }: { marker: string; text: string }, signal: AbortSignal): Promise<void> {
    const comments = await this.#all<{ id: number; body: string }>(`issues/${pull}/comments`, signal);
    const own = comments.find(({ body }) => body.startsWith(marker));
    const path = own === undefined ? `issues/${pull}/comments` : `issues/comments/${own.id}`;
    const body = { body: `${marker}\n${text}` };
    if (own?.body !== body.body)
      await this.api.ask(own === undefined ? 'POST' : 'PATCH', `/repos/${this.project}/${path}`, body, signal);
  }

  async provenance(commit: string, signal: AbortSignal): Promise<Provenance | undefined> {
    const pull = await this.#pullOf(commit, signal);
    if (pull === undefined) return undefined;
    const reviews = await this.#all<Review>(`pulls/${pull.number}/reviews`, signal);
    return provenanceOf(pull.number, pull.user?.login, approvers(reviews));
  }

  async #pullOf(
    commit: string,
    signal: AbortSignal,
  ): Promise<{ number: number; user: { login: string } | null } | undefined> {
    type Pull = { number: number; user: { login: string } | null; merged_at: string | null };
    if (this.dialect === 'gitea')
      return await this.api.ask<Pull>('GET', `/repos/${this.project}/commits/${commit}/pull`, undefined, signal);
    const pulls = await this.api.ask<Pull[]>(
      'GET',
      `/repos/${this.project}/commits/${commit}/pulls`,
      undefined,
      signal,
    );
    return pulls?.find(({ merged_at: at }) => at !== null);
  }

  async #all<T>(path: string, signal: AbortSignal): Promise<T[]> {
    return await this.api.all<T>(
      `/repos/${this.project}/${path}`,
      this.dialect === 'gitea' ? 'limit' : 'per_page',
      signal,
    );
  }
}

/** Those whose last word is an approval, in the order of their approvals. */
function approvers(reviews: readonly Review[]): string[] {
  const last = new Map<string, string>();
  for (const { state, user } of reviews) {
    if (user === null || state === 'COMMENTED' || state === 'COMMENT' || state === 'PENDING') continue;
    last.delete(user.login);
    last.set(user.login, state);
  }
  return [...last].flatMap(([login, state]) => (state === 'APPROVED' ? [login] : []));
}

export function provenanceOf(pull: number, author: string | undefined, approved: readonly string[]): Provenance {
  return {
    pull_request: pull,
    ...(author !== undefined && { author }),
    ...(approved.length > 0 && { approved_by: approved.slice(0, APPROVERS_MAX) }),
  };
}
