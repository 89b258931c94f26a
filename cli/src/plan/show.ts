import type { Plan } from '@authz-service/core/plan/plan';
import { renderText } from '@authz-service/core/plan/render-text';
import type { Terminal } from '../output/terminal.js';
import { wrapped } from '../output/wrap.js';

/** A plan for people. Long ones are summarized by kind, unless `all` is set. */
export function planText(
  plan: Plan,
  { style, columns }: Pick<Terminal, 'style' | 'columns'>,
  { all, cloud }: { all: boolean; cloud: string },
): string {
  return wrapped(renderText(plan, { style, all, cloud }).trimEnd(), columns);
}
