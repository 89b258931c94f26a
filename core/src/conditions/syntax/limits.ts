import { CONDITION_LENGTH_MAX } from '../../records/condition-length.js';

/** A tenant's condition runs in a process that others use, too, so its cost is limited. */
export const CONDITION_LIMITS = {
  /** Characters of a condition. */
  length: CONDITION_LENGTH_MAX,
  /** Levels of brackets, selections, indexes and operands. */
  depth: 48,
  /** Nodes of the parsed expression. */
  nodes: 1000,
  /** Items of a list or map written in the condition. */
  items: 500,
  callArguments: 8,
  /** Characters of a pattern for `matches`. */
  patternLength: 256,
  /** Sum of the upper bounds of all `{n,m}` in a pattern: each is unrolled. */
  patternRepeats: 1000,
  /**
   * Steps of all the conditions and modifiers that one decision evaluates, together: a step is one node evaluated, a few
   * items compared, or some characters copied, compared or matched. Steps are counted instead of milliseconds so that
   * cloud and agent give the same answer to the same request. `npm run bench -- conditions` shows what they take.
   */
  decisionSteps: 100_000,
  /** Steps of all decisions of one batch: what twenty of the costliest decisions take. */
  batchSteps: 2_000_000,
  /** Characters of a string that a condition builds. */
  stringLength: 65_536,
  /** Items of a list that a condition builds. */
  listLength: 100_000,
} as const;
