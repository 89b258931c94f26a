import type { RecordOrigin } from '@authz-service/sdk/wire';

/** Enough of a commit's name to know it by. */
const COMMIT_LENGTH = 10;

/** The texts of where records are declared in Git. */
export const origin = {
  declaredIn: 'Declared in',
  from: 'from',
  gitCommit: 'Git commit',
  givenBy: 'Given by',
  unknown: 'unknown: “servicectl apply” reports it with the next change, or for all records with --origins',
  of: 'Where they are declared',
  where: ({ repository, path, line }: RecordOrigin): string => {
    const place = path && line ? `${path}:${line}` : path;
    const name = repository?.replace(/^[a-z]+:\/\/[^/]+\//, '');
    return [name, place].filter((part) => part !== undefined).join(' at ');
  },
  state: ({ commit, uncommitted }: RecordOrigin): string | undefined =>
    uncommitted ? 'with uncommitted changes' : commit && `commit ${commit.slice(0, COMMIT_LENGTH)}`,
};
