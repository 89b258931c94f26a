import type { Provenance } from '@authz-service/core/origin/provenance';
import type { CommitReport, Forge, PullRequest } from './forge.js';
import { type ForgeApi, shortened } from './forge-api.js';
import { provenanceOf } from './github.js';

const DESCRIPTION_LENGTH_MAX = 255;

/** GitLab: its names of the states differ, and a merge request has a number within its project. */
export class GitlabForge implements Forge {
  readonly #project: string;

  constructor(
    private readonly api: ForgeApi,
    project: string,
  ) {
    this.#project = `/projects/${encodeURIComponent(project)}`;
  }

  async setStatus({ commit, context, state, description }: CommitReport, signal: AbortSignal): Promise<void> {
    const body = {
      name: context,
      state: state === 'failure' ? 'failed' : state,
      description: shortened(description, DESCRIPTION_LENGTH_MAX),
    };
    await this.api.ask('POST', `${this.#project}/statuses/${commit}`, body, signal);
  }

  async pullRequests(branch: string, signal: AbortSignal): Promise<PullRequest[]> {
    const path = `${this.#project}/merge_requests?state=opened&target_branch=${encodeURIComponent(branch)}`;
    const open = await this.api.all<{ iid: number; sha: string | null }>(path, 'per_page', signal);
    return open.flatMap(({ iid, sha }) =>
      sha === null ? [] : [{ number: iid, head: sha, ref: `refs/merge-requests/${iid}/head` }],
    );
  }

  async comment(pull: number, { marker, text }: { marker: string; text: string }, signal: AbortSignal): Promise<void> {
    const path = `${this.#project}/merge_requests/${pull}/notes`;
    const notes = await this.api.all<{ id: number; body: string }>(path, 'per_page', signal);
    const own = notes.find(({ body }) => body.startsWith(marker));
    const body = `${marker}\n${text}`;
    if (own?.body === body) return;
    await this.api.ask(
      own === undefined ? 'POST' : 'PUT',
      own === undefined ? path : `${path}/${own.id}`,
      { body },
      signal,
    );
  }

  async provenance(commit: string, signal: AbortSignal): Promise<Provenance | undefined> {
    type Merge = { iid: number; state: string; author: { username: string } | null };
    const path = `${this.#project}/repository/commits/${commit}/merge_requests`;
    const merges = await this.api.ask<Merge[]>('GET', path, undefined, signal);
    const merge = merges?.find(({ state }) => state === 'merged');
    if (merge === undefined) return undefined;
    const approvals = await this.api.ask<{ approved_by?: { user: { username: string } }[] }>(
      'GET',
      `${this.#project}/merge_requests/${merge.iid}/approvals`,
      undefined,
      signal,
    );
    const names = (approvals?.approved_by ?? []).map(({ user }) => user.username);
    return provenanceOf(merge.iid, merge.author?.username, names);
  }
}
