import { firstLine, git } from '../tree/git.js';
import { contains } from './commit-folder.js';
import { refused } from './enforced-commit.js';

const BRANCHES = 'refs/heads/';

/** Moves a branch forward to a commit, or makes it there. Returns whether it has moved. Throws `conflict` where it cannot. */
export async function forwardBranch(branch: string, commit: string): Promise<boolean> {
  const ref = `${BRANCHES}${branch}`;
  if (!(await git(['check-ref-format', '--branch', branch])).ok)
    throw refused(`"${branch}" is no name of a branch: write one like "prod"`);
  const local = await commitAt(ref);
  const remote = await commitAt(`refs/remotes/origin/${branch}`);
  if (local === commit) return false;
  for (const [name, present] of [
    [branch, local],
    [`origin/${branch}`, remote],
  ] as const) {
    if (present === undefined || present === commit) continue;
    if (await contains(present, commit)) throw refused(`the branch "${name}" has moved on past ${commit}`);
    if (!(await contains(commit, present)))
      throw refused(
        `the branch "${name}" has commits that ${commit} does not contain: merge it into the branch that is applied first`,
      );
  }
  const trees = await git(['worktree', 'list', '--porcelain']);
  if (trees.stdout.toString().split('\n').includes(`branch ${ref}`))
    throw refused(`the branch "${branch}" is checked out: run "git merge --ff-only ${commit}" there`);
  // Moved only if nobody else has moved it meanwhile.
  const moved = await git(['update-ref', '-m', 'servicectl promote', ref, commit, local ?? '']);
  if (!moved.ok) throw refused(`Git cannot move the branch "${branch}": ${firstLine(moved.stderr)}`);
  return true;
}

async function commitAt(ref: string): Promise<string | undefined> {
  const found = await git(['rev-parse', '--verify', '--quiet', `${ref}^{commit}`]);
  return found.ok ? found.stdout.toString().trim() : undefined;
}
