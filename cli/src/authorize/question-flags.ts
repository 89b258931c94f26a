import { string } from '@oclif/core/flags';

/** NAME=VALUE, any number of times. */
export const pairFlag = (description: string) =>
  string({ description, helpValue: 'NAME=VALUE', multiple: true, multipleNonGreedy: true });

export const roleFlag = string({
  description: 'A role that the request names, besides those that the subject holds; may be repeated.',
  helpValue: 'ROLE',
  multiple: true,
  multipleNonGreedy: true,
});

export const contextFlag = pairFlag('Something about the request: ip, time, mfa, or any other name.');
