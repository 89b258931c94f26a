import type { RecordOrigin } from './record-origin.js';

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
  const to = PAGES.find(({ host }) => host.test(new URL(repository).hostname));
  if (to === undefined || commit === undefined) return repository;
  if (path === undefined) return `${repository}${to.commit}${commit}`;
  const file = path.split('/').map(encodeURIComponent).join('/');
  return `${repository}${to.file}${commit}/${file}${line === undefined ? '' : `#${to.line}${line}`}`;
}

const PAGES = [
  { host: /(^|\.)github\./, commit: '/commit/', file: '/blob/', line: 'L' },
  { host: /(^|\.)gitlab\./, commit: '/-/commit/', file: '/-/blob/', line: 'L' },
  { host: /(^|\.)bitbucket\.org$/, commit: '/commits/', file: '/src/', line: 'lines-' },
  { host: /(^|\.)(codeberg|gitea|forgejo)\./, commit: '/commit/', file: '/src/commit/', line: 'L' },
];
