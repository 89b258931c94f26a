import { string } from '@oclif/core/args';

export const nameArgument = (description: string) => string({ description, required: true, ignoreStdin: true });
