import { string } from '@oclif/core/flags';

/** For whom a single credential is written: what limits of the credential in use can demand. */
export const stackFlag = string({
  description: 'The stack that owns it; a credential with limits has to name one of its own.',
  helpValue: 'STACK',
});
