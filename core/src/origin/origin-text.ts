import type { CommitSource, RecordOrigin } from './record-origin.js';

/** Enough of a commit's name to know it by, as Git shows it. */
const COMMIT_LENGTH = 10;

/** In a sentence: `acme/access at tenant/roles.yaml:14, commit abc1234567`. */
export function originText({ repository, commit, path, line, uncommitted }: RecordOrigin): string {
  const place = path === undefined ? undefined : line === undefined ? path : `${path}:${line}`;
  const where = [repository && repositoryName(repository), place].filter((part) => part !== undefined).join(' at ');
  const state = uncommitted ? 'with uncommitted changes' : commit && `commit ${commit.slice(0, COMMIT_LENGTH)}`;
  return [where, state].filter((part) => part !== undefined && part !== '').join(', ');
}

function repositoryName(repository: string): string {
  return repository.replace(/^[a-z]+:\/\/[^/]+\//, '');
}

/**
 * The page that shows the line: of hosts whose addresses are known, else that of the repository. Undefined where the
 * repository is not served by HTTPS.
 */
export function originLink({ repository, commit, path, line }: RecordOrigin): string | undefined {
  if (repository === undefined || !repository.startsWith('https://')) return undefined;
  const to = pagesOf(repository);
  if (to === undefined || commit === undefined) return repository;
  if (path === undefined) return `${repository}${to.commit}${commit}`;
  const file = path.split('/').map(encodeURIComponent).join('/');
  return `${repository}${to.file}${commit}/${file}${line === undefined ? '' : `#${to.line}${line}`}`;
}

/** The page of the pull request that brought a commit, of hosts whose addresses are known. */
export function pullRequestLink({ repository, pull_request: number }: CommitSource): string | undefined {
  if (number === undefined || !repository?.startsWith('https://')) return undefined;
  const to = pagesOf(repository);
  return to && `${repository}${to.pull}${number}`;
}

function pagesOf(repository: string): (typeof PAGES)[number] | undefined {
  return PAGES.find(({ host }) => host.test(new URL(repository).hostname));
}

const PAGES = [
  { host: /(^|\.)github\./, pull: '/pull/', commit: '/commit/', file: '/blob/', line: 'L' },
  { host: /(^|\.)gitlab\./, pull: '/-/merge_requests/', commit: '/-/commit/', file: '/-/blob/', line: 'L' },
  { host: /(^|\.)bitbucket\.org$/, pull: '/pull-requests/', commit: '/commits/', file: '/src/', line: 'lines-' },
  { host: /(^|\.)(codeberg|gitea|forgejo)\./, pull: '/pulls/', commit: '/commit/', file: '/src/commit/', line: 'L' },
];
