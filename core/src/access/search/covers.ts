import { visitRules } from '../grants/grants.js';
import type { Rule } from '../grants/rule.js';
import type { Target } from '../grants/target.js';
import type { Principal } from '../graph/principal.js';

/** Whether a policy of the principal allows the action on one of the targets, as far as can be told without a request. */
export function covers(principal: Principal, targets: readonly Target[], action: string): boolean {
  let allows = false;
  const visitor = {
    visit: ({ policy }: Rule) => {
      allows ||= !policy.deny;
    },
    visitUnknown: () => {},
  };
  for (const target of targets) {
    if (principal.grants !== null && !allows)
      visitRules(principal.grants, undefined, target, undefined, action, visitor, true);
  }
  return allows;
}
