import type { RecordOrigin } from '@authz-service/sdk/wire';

/** Enough of a commit's name to know it by. */
const COMMIT_LENGTH = 10;

/** What the console says of where records stand in Git. */
export const origin = {
  standsIn: 'Stands in',
  unknown: 'not known: “service apply” tells it with the next change, or of all with --origins',
  of: 'Where they stand',
  where: ({ repository, path, line }: RecordOrigin): string => {
    const place = path && line ? `${path}:${line}` : path;
    const name = repository?.replace(/^[a-z]+:\/\/[^/]+\//, '');
    return [name, place].filter((part) => part !== undefined).join(' at ');
  },
  state: ({ commit, uncommitted }: RecordOrigin): string | undefined =>
    uncommitted ? 'with uncommitted changes' : commit && `commit ${commit.slice(0, COMMIT_LENGTH)}`,
};
