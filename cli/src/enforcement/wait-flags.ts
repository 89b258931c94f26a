import { option, string } from '@oclif/core/flags';

/** The flags of commands that can wait until what they changed is enforced. */
export const waitFlags = {
  wait: option({
    description: 'Wait until every agent enforces the revision.',
    options: ['enforced'] as const,
  })(),
  timeout: string({
    description: 'How long to wait, as a duration like 90s or 5m.',
    helpValue: 'DURATION',
    default: '60s',
  }),
};
