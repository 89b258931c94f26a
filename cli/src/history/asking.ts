import { ProblemError } from '@authz-service/core/problem';
import { historyPoint } from '@authz-service/core/state/history-point';
import type { DecisionPoint } from '@authz-service/sdk';
import type { RecordCollection } from '@authz-service/sdk/records';
import type { Kind } from '@authz-service/sdk/wire';
import { string } from '@oclif/core/flags';
import { chosenConnection, clientOf } from '../config/connect.js';
import type { ConnectionFlags } from '../config/connection.js';
import { UsageError } from '../errors/usage-error.js';
import { err } from '../output/terminal.js';
import { TreeClient } from './tree-client.js';

/** A source that commands ask: the service, as it is or as it was, or the records of a tree. */
export interface Asking
  extends Pick<
    DecisionPoint,
    'decide' | 'filterRows' | 'filterParts' | 'searchSubjects' | 'searchResources' | 'searchActions'
  > {
  /** The service, or what names the tree. */
  readonly url: string;
  records<K extends Kind>(kind: K): Pick<RecordCollection<K>, 'list' | 'get'>;
}

export const atFlag = {
  at: string({
    description:
      'Answer as of a revision (42), a time (2027-03-01T12:00:00Z), which sets the clock, or a Git revision (main:tenant/), offline.',
    helpValue: 'WHEN',
    exclusive: ['local'],
    helpGroup: 'ASKING',
  }),
};

/** Whom a command asks: at a revision or a time the service, at a Git revision its tree, and the service as it is otherwise. */
export async function asking(flags: ConnectionFlags & { at?: string | undefined }): Promise<Asking> {
  const { at } = flags;
  if (at === undefined || isOfService(at)) return await clientOf(await chosenConnection(flags), at);
  return await treeAt(at);
}

/** Whether `--at` names a point of the service's history; otherwise it names a Git revision. */
export function isOfService(at: string): boolean {
  return historyPoint(at) !== undefined;
}

/** The tree of the Git revision that `--at` names. */
export async function treeAt(at: string): Promise<TreeClient> {
  try {
    return await TreeClient.read(at, (text) => err.warning(text));
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== 'invalid_config') throw error;
    throw new UsageError(`--at is neither a revision of the tenant nor a time, and as a Git revision ${error.detail}`);
  }
}
