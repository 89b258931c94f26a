import type { Requirement } from '@authz-service/core/manifest/environment';
import { boolean, integer, string } from '@oclif/core/flags';

/** The flags of commands that judge what a change does to access. */
export const gateFlags = {
  'no-new-access': boolean({
    description: 'Fail if anybody may do more than before.',
    helpGroup: 'GATES',
  }),
  'not-granted': string({
    description: 'Fail if something becomes possible that this YAML file lists: subjects, actions and resources.',
    helpValue: 'FILE',
    helpGroup: 'GATES',
  }),
  'max-gained': integer({
    description: 'Fail if more permissions than this are gained: actions of recorded subjects on recorded resources.',
    helpValue: 'N',
    min: 0,
    helpGroup: 'GATES',
  }),
  for: string({
    description:
      'What --max-gained counts: "SUBJECT ACTION RESOURCE", like "user:* approve invoice:*"; may be repeated.',
    helpValue: 'PATTERN',
    multiple: true,
    multipleNonGreedy: true,
    helpGroup: 'GATES',
  }),
  baseline: string({
    description: 'Findings that somebody has acknowledged: gates leave them alone.',
    helpValue: 'FILE',
    helpGroup: 'GATES',
  }),
  'write-baseline': string({
    description: 'Write the findings that gates judge as a new baseline.',
    helpValue: 'FILE',
    helpGroup: 'GATES',
  }),
};

export interface GateFlags {
  'no-new-access': boolean;
  'not-granted'?: string | undefined;
  'max-gained'?: number | undefined;
  for?: string[] | undefined;
  baseline?: string | undefined;
  'write-baseline'?: string | undefined;
  /** Checks that an environment demands besides; no flag says it. */
  require?: readonly Requirement[] | undefined;
}
