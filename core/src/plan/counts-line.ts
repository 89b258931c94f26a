import type { PlanCounts } from './plan.js';

/** `Plan: 3 to add, 1 to change, 0 to remove, 120 unchanged.` */
export function countsLine({ added, changed, removed, unchanged }: PlanCounts): string {
  return `Plan: ${added} to add, ${changed} to change, ${removed} to remove, ${unchanged} unchanged.`;
}
