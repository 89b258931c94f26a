import { string } from '@oclif/core/flags';

/** The arguments that repeat the flag, for a command that a text proposes. */
export function environmentArguments({ environment }: { environment?: string | undefined }): string[] {
  return environment === undefined ? [] : ['-e', environment];
}

/** The flag of a command that reads a tree in one of its environments. */
export const environmentFlag = string({
  char: 'e',
  description: 'Read the tree in this environment: environments/NAME.yaml in its folder says what is different there.',
  helpValue: 'NAME',
});
