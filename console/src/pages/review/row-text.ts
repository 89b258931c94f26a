import type { ReviewRow } from '@authz-service/sdk/console-client';
import { everyoneText } from '../../text/everyone.js';
import { review } from '../../text/review.js';
import { actionsText, resourceLines } from '../../ui/resource-lines.js';

/** Who a row is about, in words. */
export function whoText({ subject }: Pick<ReviewRow, 'subject'>): string {
  if (subject.kind === 'recorded') return subject.path;
  if (subject.kind === 'members') return review.members(titleOf(subject.of), subject.count);
  return subject.kind === 'unrecorded'
    ? review.unrecorded(subject.type)
    : review.namedRole(subject.role, subject.types, subject.types_except);
}

/** Returns the title of a row with members. */
export function titleOf(of: string): string {
  return isEveryone(of) ? review.through(ofText(of)) : of;
}

export function isEveryone(of: string): boolean {
  return of.split('/')[0] === 'everyone';
}

/** Names what subjects belong to: `group/finance`, or everyone in words. */
export function ofText(of: string): string {
  return isEveryone(of) ? everyoneText(of) : of;
}

export function nameText({ subject }: ReviewRow): string {
  return subject.kind === 'recorded' ? (subject.name ?? '') : '';
}

/** A way in a line: `group/finance > role/billing/clerk > policy/billing/read`. */
function wayText({ through, policy, place }: ReviewRow['ways'][number]): string {
  return [...through, policy].join(' > ') + (place === undefined ? '' : ` (${review.on(place)})`);
}

/** Since when: the earliest of its ways. */
export function sinceOf({ ways }: ReviewRow): string | undefined {
  return ways
    .flatMap(({ since }) => since ?? [])
    .sort()
    .at(0);
}

const COLUMNS = [
  review.who,
  review.name,
  review.action,
  review.onWhat,
  review.way,
  review.condition,
  review.from,
  review.until,
  review.since,
];

/** The words of conditions; null for one that has none. */
export type KnownWords = ReadonlyMap<string, string | null>;

/** The rows as a table of texts, with headings. */
export function tableOf(rows: readonly ReviewRow[], words: KnownWords): string[][] {
  return [COLUMNS, ...rows.map((row) => cellsOf(row, words))];
}

/** A condition in words with its text behind, as on the page. */
function conditionText(condition: string, words: string | null = null): string {
  return words === null ? condition : `${words} (${condition})`;
}

function cellsOf(row: ReviewRow, words: KnownWords): string[] {
  const { actions, actions_except, resources, ways, condition, unclear, from, until } = row;
  return [
    whoText(row),
    nameText(row),
    actionsText(actions, actions_except),
    resources.flatMap(resourceLines).join('; '),
    ways.map(wayText).join('; '),
    [condition === null ? '' : conditionText(condition, words.get(condition)), unclear ? review.unclear : '']
      .filter(Boolean)
      .join(' '),
    from ?? '',
    until ?? '',
    sinceOf(row) ?? '',
  ];
}
