import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { publicRepository } from '@authz-service/core/origin/public-repository';
import { fetchHint, firstLine, git, untrusted } from '../tree/git.js';
import type { EnforcedCommit } from './enforced-commit.js';
import { refused } from './enforced-commit.js';

/** Nothing of a repository is run by looking at a commit of it. */
const QUIET = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '-c', 'advice.detachedHead=false'];

/** The full name of a commit that Git knows here. Throws `conflict` where it does not, or where it is of another repository. */
export async function knownCommit({ commit, repository }: EnforcedCommit, name: string): Promise<string> {
  const own = await git(['rev-parse', '--git-dir']);
  if (!own.ok) throw refused(untrusted(own) ?? `this folder is in no Git repository (${firstLine(own.stderr)})`);
  const found = await git(['rev-parse', '--verify', '--quiet', `${commit}^{commit}`]);
  if (found.ok) return found.stdout.toString().trim();
  const remote = await git(['config', '--get', 'remote.origin.url']);
  const here = remote.ok ? publicRepository(remote.stdout.toString()) : undefined;
  const where = repository !== undefined && here !== repository ? `, which is of ${repository}` : '';
  const hint = where === '' ? await fetchHint(commit) : undefined;
  const remedy = hint === undefined ? ': use a checkout of that repository' : `: ${hint.replace(/ and write .*/, '')}`;
  throw refused(`"${name}" has commit ${commit}${where}, and Git does not know it here${remedy}`);
}

/** Whether a commit contains another one; `undefined` where Git does not know one of them. */
export async function contains(commit: string, other: string): Promise<boolean | undefined> {
  const known = await git(['rev-parse', '--verify', '--quiet', `${other}^{commit}`]);
  if (!known.ok) return undefined;
  return (await git(['merge-base', '--is-ancestor', other, commit])).ok;
}

/** Checks a commit out beside the repository, hands over the folder that `folder` is there, and removes it afterwards. */
export async function inCommit<T>(commit: string, folder: string, work: (folder: string) => Promise<T>): Promise<T> {
  const prefix = await git(['-C', folder, 'rev-parse', '--show-prefix']);
  if (!prefix.ok) throw refused(`"${folder}" is no folder of a Git repository (${firstLine(prefix.stderr)})`);
  const parent = await realpath(await mkdtemp(join(tmpdir(), 'service-promote-')));
  const at = join(parent, 'tree');
  try {
    const added = await git([...QUIET, 'worktree', 'add', '--quiet', '--detach', at, commit]);
    if (!added.ok) throw refused(`Git cannot check commit ${commit} out: ${firstLine(added.stderr)}`);
    return await work(resolve(at, prefix.stdout.toString().trim()));
  } finally {
    await git(['worktree', 'remove', '--force', at]);
    await rm(parent, { recursive: true, force: true });
  }
}
