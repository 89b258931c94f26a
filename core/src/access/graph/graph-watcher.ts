import type { RecordChange } from '../api/engine.js';
import type { Rule } from '../grants/rule.js';
import type { Principal } from './principal.js';

/** Is told what the compiled tenant gains, and which records changed. */
export interface GraphWatcher {
  /** A principal is a member of a group now, or holds or includes a role. */
  linked(from: Principal, to: Principal): void;
  /** The rule is granted to a principal now. */
  granted(principal: Principal, rule: Rule): void;
  /** The changes have been made. */
  changed(changes: readonly RecordChange[]): void;
}
