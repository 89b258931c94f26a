import type { DecisionPoint } from './decision-point.js';

/** The levels of the working group's certification, and the one that each builds on. */
export const LEVELS = {
  'basic-core': undefined,
  'basic-properties': undefined,
  'batch-core': 'basic-core',
  'batch-properties': 'basic-properties',
  'search-core': undefined,
  'search-properties': 'search-core',
  discovery: undefined,
} as const;

export type Level = keyof typeof LEVELS;

/** One requirement for a decision point; `section` is where the certification scenario asks for it. */
export interface Check {
  level: Level;
  section: string;
  name: string;
  /** Throws `CheckFailed` if the decision point does not meet it. */
  run(point: DecisionPoint): Promise<void>;
}

/** The decision point did not answer as required. The message contains both answers. */
export class CheckFailed extends Error {
  override readonly name = 'CheckFailed';
}
