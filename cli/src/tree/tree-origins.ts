import { realpath, stat } from 'node:fs/promises';
import { dirname, relative, resolve, sep } from 'node:path';
import type { ManifestResult } from '@authz-service/core/manifest/manifest';
import { publicRepository } from '@authz-service/core/origin/public-repository';
import type { OriginPlaces } from '@authz-service/core/origin/record-origin';
import type { Plan } from '@authz-service/core/plan/plan';
import { ProblemError } from '@authz-service/core/problem';
import type { Address } from '@authz-service/core/records/address';
import type { DeclaredOrigins } from '@authz-service/sdk/wire';
import { type GitRun, git, untrusted } from './git.js';

/**
 * Returns the places of these records of a tree. Repository and commit are told only if the commit holds the files just as
 * they are; `uncommitted` says that it does not. Outside of a repository the paths begin at the folder, as in one that Git
 * does not read, of which `warn` is told.
 */
export async function originsOf(
  tree: string,
  records: Iterable<{ address: Address }>,
  placeOf: ManifestResult['placeOf'],
  warn: (text: string) => Promise<void>,
): Promise<DeclaredOrigins> {
  const linesIn: OriginPlaces = Object.create(null);
  for (const { address } of records) {
    const place = placeOf(address);
    if (place === undefined) continue;
    linesIn[place.file] ??= {};
    Object.assign(linesIn[place.file] ?? {}, { [address]: place.line });
  }
  const folder = await realpath((await stat(tree)).isDirectory() ? tree : dirname(tree));
  const checkout = await checkoutAt(folder, (why) => warn(`Repository and commit are left out of "${tree}": ${why}`));
  const top = checkout?.top ?? folder;
  const places: OriginPlaces = Object.create(null);
  for (const [file, lines] of Object.entries(linesIn)) {
    const path = relative(top, await realpath(resolve(file)))
      .split(sep)
      .join('/');
    places[path] = { ...places[path], ...lines };
  }
  const committed = checkout !== undefined && Object.keys(places).every((path) => checkout.holds(path));
  const { commit, repository } = checkout ?? {};
  return {
    ...(committed && { commit, ...(repository !== undefined && { repository }) }),
    ...(checkout !== undefined && !committed && { uncommitted: true as const }),
    places,
  };
}

/** Returns what a plan writes, and does not remove. */
export function written({ changes }: Plan): Plan['changes'] {
  return changes.filter(({ action }) => action !== 'delete');
}

interface Checkout {
  top: string;
  commit: string;
  repository?: string;
  /** Whether the commit holds this very file. */
  holds(path: string): boolean;
}

/** Undefined outside of a repository, before its first commit, and without Git. */
async function checkoutAt(folder: string, warn: (why: string) => Promise<void>): Promise<Checkout | undefined> {
  const run = (...args: string[]): Promise<GitRun> => git(['-C', folder, '-c', 'core.fsmonitor=false', ...args]);
  const head = await run('rev-parse', '--show-toplevel', '--verify', 'HEAD').catch((error: unknown) => {
    if (error instanceof ProblemError) return undefined;
    throw error;
  });
  const foreign = head && untrusted(head);
  if (foreign !== undefined) await warn(foreign);
  const [top, commit] = head?.ok ? head.stdout.toString().trim().split('\n') : [];
  if (top === undefined || commit === undefined) return undefined;
  const [tracked, changed, remote] = await Promise.all([
    run('ls-files', '-z', '--full-name'),
    run('diff', '-z', '--name-only', '--no-renames', '--no-ext-diff', '--no-textconv', 'HEAD', '--', '.'),
    // As it is configured: Git would replace parts of it, by those with passwords, too.
    run('config', '--get', 'remote.origin.url'),
  ]);
  const repository = remote.ok ? publicRepository(remote.stdout.toString()) : undefined;
  const inCommit = new Set(tracked.ok && changed.ok ? namesIn(tracked) : []);
  for (const name of namesIn(changed)) inCommit.delete(name);
  return { top, commit, ...(repository !== undefined && { repository }), holds: (path) => inCommit.has(path) };
}

function namesIn({ stdout }: GitRun): string[] {
  return stdout.toString().split('\0');
}
