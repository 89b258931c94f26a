import type { Plan } from '@authz-service/core/plan/plan';
import { renderText } from '@authz-service/core/plan/render-text';
import type { Style } from '../output/terminal.js';

/** A plan for people. Long ones are summarized by kind, unless `all` is set. */
export function planText(plan: Plan, style: Style, all: boolean): string {
  return renderText(plan, { style, all }).trimEnd();
}
