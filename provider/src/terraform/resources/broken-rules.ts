import type { Context } from '../framework/provider.js';
import type { Granted } from './change-queue.js';

/** Warns of access rules that an apply broke and that did not refuse it. */
export function reportBrokenRules(rules: Granted['brokenRules'], context: Context): void {
  for (const { rule, detail } of rules ?? [])
    context.report({ severity: 'warning', summary: `The access rule "${rule}" is broken`, detail });
}
