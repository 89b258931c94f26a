import { ProblemError } from '@authz-service/core/problem';

/** Refuses a query: an unknown parameter must not seem to have an effect, such as `?tenant=` on a decision. */
export function refuseQuery(path: string, search: string): void {
  if (search === '') return;
  const [name = ''] = new URLSearchParams(search).keys();
  throw new ProblemError(
    'invalid_request',
    `The query parameter "${name.slice(0, 100)}" is not known: ${path} takes no query parameters.`,
  );
}
