import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { firstLine, type GitRun, git } from '../../tree/git.js';
import type { StackConfig } from '../config/sync-config.js';

/** A commit that is not applied as it is, or a repository that cannot be used: somebody has to change something. */
export class Held extends Error {}

/** Git could not be reached, or did not answer: it may be otherwise later. */
export class Unreachable extends Error {}

/** Words by which Git says that the remote is there and refuses. */
const REFUSALS: readonly [RegExp, string][] = [
  [
    /Host key verification failed/,
    'the key of the host is not the one in known_hosts: ask its operator, then change the file',
  ],
  [/Permission denied \(publickey/, 'the host refuses the SSH key: look at access.ssh_key'],
  [
    /Authentication failed|could not read Username|HTTP Basic: Access denied|returned error: 40[13]/,
    'the credential is refused: look at access',
  ],
  [
    /Repository not found|does not appear to be a git repository|returned error: 404|does not exist/,
    'there is no such repository, or the credential may not see it',
  ],
];

/** Words by which Git says that the remote did not answer, or not to the end. */
const AWAY =
  /unable to access|Could not (?:resolve|read from remote)|Connection |timed out|early EOF|hung up|RPC failed|disconnect/i;

/**
 * The clone of a stack's repository: all commits and folders of the followed ref, and of files only those of the checked-out
 * tree. It holds nothing of its own, and is made anew where Git finds fault with it.
 */
export class Clone {
  readonly #config: StackConfig;
  readonly #folder: string;
  readonly #environment: () => Promise<Record<string, string>>;

  constructor(config: StackConfig, folder: string, environment: () => Promise<Record<string, string>>) {
    this.#config = config;
    this.#folder = folder;
    this.#environment = environment;
  }

  /** The folder of the tree within the checkout. */
  get tree(): string {
    return join(this.#folder, this.#config.path);
  }

  /** Fetches, and returns the newest commit of the ref. Throws `Held` where there is none, and `Unreachable`. */
  async newest(signal: AbortSignal): Promise<string> {
    const { branch, tags } = this.#config;
    if (branch !== undefined) return await this.fetch(`refs/heads/${branch}`, `the branch "${branch}"`, signal);
    // A tag that is gone at the remote goes here, too.
    await this.#fetched(['--no-tags', '--prune', `+refs/tags/${tags}:refs/tags/${tags}`], signal);
    const args = ['for-each-ref', '--sort=-version:refname', '--count=1', '--format=%(refname)', `refs/tags/${tags}`];
    const [tag = ''] = (await this.#run(args, signal)).stdout.toString().split('\n');
    if (tag === '') throw new Held(`The repository has no tag "${tags}".`);
    return await this.#commitOf(tag, signal);
  }

  /** Fetches one ref, and returns its commit. Throws `Held` where there is none, and `Unreachable`. */
  async fetch(ref: string, what: string, signal: AbortSignal): Promise<string> {
    const kept = `refs/sync/${ref}`;
    await this.#fetched(['--no-tags', `+${ref}:${kept}`], signal, what);
    return await this.#commitOf(kept, signal);
  }

  /** Whether a commit is another one's ancestor, or the same. A commit that the clone lacks is none. */
  async isAncestor(earlier: string, later: string, signal: AbortSignal): Promise<boolean> {
    return (await this.#run(['merge-base', '--is-ancestor', earlier, later], signal)).ok;
  }

  /** Throws `Held` if no allowed signer has signed the commit. */
  async verify(commit: string, signers: string, signal: AbortSignal): Promise<void> {
    // Only keys of the file count, and none that other programs of the machine trust.
    const none = ['gpg.program', 'gpg.openpgp.program', 'gpg.x509.program'].flatMap((name) => [
      '-c',
      `${name}=/bin/false`,
    ]);
    const settings = ['-c', `gpg.ssh.allowedSignersFile=${signers}`, ...none];
    const { ok, stderr } = await this.#run([...settings, 'verify-commit', commit], signal);
    if (ok) return;
    const why = firstLine(stderr) || 'it has no signature';
    throw new Held(`No allowed signer has signed the commit: ${why}. Let somebody of "${signers}" sign it.`);
  }

  /** Writes the tree of a commit to the folder. Throws `Held` for what a clone does not hold, and `Unreachable`. */
  async checkOut(commit: string, signal: AbortSignal): Promise<void> {
    const { path } = this.#config;
    await this.#sound(commit, signal);
    const pattern = path === '.' ? '/*' : `/${path.replace(/\/+$/, '')}/`;
    for (const args of [
      ['sparse-checkout', 'set', '--no-cone', pattern],
      ['checkout', '--quiet', '--force', '--detach', commit],
      ['clean', '--quiet', '-ffdx'],
    ]) {
      const run = await this.#run(args, signal);
      if (!run.ok) throw await this.#failed(run, 'the commit');
    }
  }

  /** The author of a commit, and its message. */
  async description(commit: string, signal: AbortSignal): Promise<{ author: string; message: string }> {
    const { stdout } = await this.#run(['show', '--no-patch', '--format=%an%n%B', commit], signal);
    const [author = '', ...message] = stdout.toString().split('\n');
    return { author, message: message.join('\n') };
  }

  /** Refuses what the commit does not hold as text below the folder of the tree: submodules, symbolic links and files of Git LFS. */
  async #sound(commit: string, signal: AbortSignal): Promise<void> {
    const { path } = this.#config;
    const listed = await this.#run(['ls-tree', '-r', '-z', '--full-tree', commit, '--', path], signal);
    if (!listed.ok) throw await this.#failed(listed, 'the commit');
    const entries = listed.stdout.toString().split('\0').filter(Boolean);
    if (entries.length === 0)
      throw new Held(`There is no folder "${path}" in the commit: its records would all be removed.`);
    const submodule = entries.find((entry) => entry.startsWith('160000 '))?.split('\t')[1];
    if (submodule !== undefined)
      throw new Held(
        `"${submodule}" is a submodule, whose files the commit does not hold: move its records into the repository.`,
      );
    const link = entries.find((entry) => entry.startsWith('120000 '))?.split('\t')[1];
    if (link !== undefined)
      throw new Held(
        `"${link}" is a symbolic link, which may lead to files of the controller: put the file itself into the repository.`,
      );
    const attributes = await this.#run(
      ['grep', '-I', '-l', '-e', 'filter=lfs', commit, '--', '.gitattributes', '**/.gitattributes'],
      signal,
    );
    if (!attributes.ok) return;
    const pointer = await this.#run(['grep', '-l', '-e', '^version https://git-lfs', commit, '--', path], signal);
    const [file] = pointer.stdout.toString().split('\n');
    if (file)
      throw new Held(`${file} is a pointer of Git LFS and not its text: take the files of the tree out of LFS.`);
  }

  async #commitOf(ref: string, signal: AbortSignal): Promise<string> {
    const found = await this.#run(['rev-parse', '--verify', '--quiet', `${ref}^{commit}`], signal);
    if (!found.ok) throw new Held(`"${ref}" names no commit.`);
    return found.stdout.toString().trim();
  }

  async #fetched(args: readonly string[], signal: AbortSignal, what = 'the repository'): Promise<void> {
    await this.#made(signal);
    const run = await this.#run(
      ['fetch', '--quiet', '--filter=blob:none', '--no-write-fetch-head', 'origin', ...args],
      signal,
    );
    if (!run.ok) throw await this.#failed(run, what);
  }

  /** Makes the clone where there is none, or one of another repository. */
  async #made(signal: AbortSignal): Promise<void> {
    const { repository } = this.#config;
    const origin = await this.#run(['config', '--get', 'remote.origin.url'], signal);
    if (origin.ok && origin.stdout.toString().trim() === repository) return;
    await rm(this.#folder, { recursive: true, force: true });
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    for (const args of [
      ['init', '--quiet'],
      ['remote', 'add', 'origin', repository],
      ['config', 'remote.origin.promisor', 'true'],
      ['config', 'remote.origin.partialclonefilter', 'blob:none'],
    ]) {
      const run = await this.#run(args, signal);
      if (!run.ok) throw new Unreachable(`Git cannot make a clone in "${this.#folder}": ${firstLine(run.stderr)}.`);
    }
  }

  async #run(args: readonly string[], signal: AbortSignal): Promise<GitRun> {
    // Without this, Git would look for a repository in the folders above.
    const env = { ...(await this.#environment()), GIT_DIR: join(this.#folder, '.git'), GIT_WORK_TREE: this.#folder };
    return await git(['-C', this.#folder, ...args], { env, signal }).catch((error: NodeJS.ErrnoException) => {
      if (signal.aborted) throw signal.reason;
      throw error;
    });
  }

  /** Tells what a failed run means. A clone that is broken goes. */
  async #failed({ stderr }: GitRun, what: string): Promise<Error> {
    const { repository } = this.#config;
    const said = firstLine(stderr.replace(/^warning: .*\n/gm, ''));
    if (/couldn't find remote ref|Couldn't find remote ref|no such ref was fetched/i.test(stderr))
      return new Held(`The repository has no longer ${what}: what was applied last stays.`);
    for (const [pattern, remedy] of REFUSALS)
      if (pattern.test(stderr)) return new Held(`Git cannot read "${repository}": ${remedy}.`);
    // The clone itself may be at fault, as after a crash: it is made anew at the next look.
    if (!AWAY.test(stderr)) await rm(this.#folder, { recursive: true, force: true });
    return new Unreachable(`Git cannot fetch ${what} from "${repository}": ${said || 'it gave no reason'}.`);
  }
}
