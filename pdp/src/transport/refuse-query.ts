import { ProblemError } from '@authz-service/core/problem';

/** Refuses a query: a parameter that means nothing must not look as if it did, like `?tenant=` on a decision. */
export function refuseQuery(path: string, search: string): void {
  if (search === '') return;
  const [name = ''] = new URLSearchParams(search).keys();
  throw new ProblemError(
    'invalid_request',
    `The query parameter "${name.slice(0, 100)}" means nothing here: ${path} takes none.`,
  );
}
