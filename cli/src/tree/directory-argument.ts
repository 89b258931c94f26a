import { string } from '@oclif/core/args';

/**
 * An argument of a command. oclif would read a missing one from standard input, where pipelines send other data, so
 * every argument here disables that.
 */
export const directory = string({
  description: 'The folder of YAML files, or one file.',
  default: '.',
  ignoreStdin: true,
});
