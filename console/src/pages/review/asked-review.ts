import type { AccessReview, ReviewPage, ReviewRow } from '@authz-service/sdk/console-client';
import { client } from '../../api/client.js';
import { type Reviewed, scopeOf } from './review-form.js';

/** A review whose pages fit together: of one revision and clock. */
export interface AskedReview {
  reviewed: Reviewed;
  revision: string;
  as_of: string;
}

/** The number of rows that are fetched at once for a file. */
const FILE_PAGE = 1000;

export function keyOfPage({ reviewed: { kind, path, actions }, revision, as_of }: AskedReview, page: ReviewPage) {
  return ['access-review-page', kind, path, actions, revision, as_of, page] as const;
}

export function askedPage(
  { reviewed, revision, as_of }: AskedReview,
  page: ReviewPage,
  signal?: AbortSignal,
): Promise<AccessReview> {
  return client.reviewAccess(scopeOf(reviewed), { at: revision, as_of, ...page }, signal && { signal });
}

/** All subjects of a review by themselves; `note` is told how many of how many are there. */
export async function allSubjects(
  asked: AskedReview,
  words: string,
  note: (done: number, all: number) => void,
): Promise<ReviewRow[]> {
  const found: ReviewRow[] = [];
  for (;;) {
    const page = { list: 'subjects', limit: FILE_PAGE, offset: found.length, ...(words && { words }) } as const;
    const { rows, listed } = await askedPage(asked, page);
    found.push(...rows);
    note(found.length, listed.subjects);
    if (rows.length === 0 || found.length >= listed.subjects) return found;
  }
}
