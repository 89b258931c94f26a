import { ProblemError } from '@authz-service/core/problem';
import { ownerOf } from '../auth/demand-directory.js';
import type { Tenant } from '../tenants/tenant.js';
import { DirectoryView } from './directory-view.js';

/** The index lacks a commit: it is to be asked again. */
class NotIndexedError extends Error {}

/** The people and groups of a directory now. Throws `NotIndexedError`, see `whenViewed`, and `not_found` where it is gone. */
export function viewNow(tenant: Tenant, directory: string, now: number): DirectoryView {
  const owner = ownerOf(directory);
  const record = tenant.state.get(owner);
  if (record?.kind !== 'directory')
    throw new ProblemError('not_found', `There is no directory "${directory}" any more: ask for another key.`);
  const users = tenant.entriesNow('subject');
  const groups = tenant.entriesNow('group');
  const memberships = tenant.entriesNow('group_membership');
  if (users === undefined || groups === undefined || memberships === undefined) throw new NotIndexedError();
  return new DirectoryView(owner, record.fields, tenant.state, users, groups, memberships, now);
}

/** Does what needs a view, again if the index lacked a commit. */
export async function whenViewed<T>(tenant: Tenant, work: () => T | Promise<T>): Promise<T> {
  for (;;) {
    await tenant.entries('subject');
    await tenant.entries('group');
    await tenant.entries('group_membership');
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof NotIndexedError)) throw error;
    }
  }
}
