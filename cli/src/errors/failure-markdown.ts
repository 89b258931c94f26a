import { markdownCode, markdownText } from '@authz-service/core/text/markdown-code';
import type { Failure } from './failure.js';

/** A comment on a pull request shows no more. */
const ITEMS_SHOWN = 20;

/** A failure in the place of a comment on a pull request: nothing that the command would have said is known. */
export function failureMarkdown({ detail, errors, hint }: Failure): string {
  const items = errors.slice(0, ITEMS_SHOWN).map(({ detail: text, ...item }) => {
    const placed = item as { file?: string; line?: number };
    const place = placed.file === undefined ? item.address : `${placed.file}:${placed.line}`;
    return `- ${place === undefined ? '' : `${markdownCode(place, 200)}: `}${markdownText(text)}`;
  });
  if (errors.length > ITEMS_SHOWN) items.push(`- and ${errors.length - ITEMS_SHOWN} more`);
  return [
    `### ❌ Must not be applied, since it could not be judged: ${markdownText(detail)}`,
    ...(items.length > 0 ? ['', ...items] : []),
    ...(hint === undefined ? [] : ['', markdownText(hint)]),
  ].join('\n');
}
