import { string } from '@oclif/core/flags';
import { UsageError } from '../errors/usage-error.js';
import { counted } from '../output/text.js';

/** The flags of commands that set a database back. */
export const setBackFlags = {
  'epoch-key': string({
    description: 'The file of the key that signs epochs, by which agents know a restore from the work of a thief.',
    helpValue: 'FILE',
    env: 'SERVICE_EPOCH_KEY_FILE',
  }),
  'revocation-log': string({
    description:
      'A file of the revocation log: one for each process of the cloud. What it says is still good is on at once.',
    helpValue: 'FILE',
    multiple: true,
    multipleNonGreedy: true,
  }),
  'revocation-log-key': string({
    description: 'The file of the key that the log was written with.',
    helpValue: 'FILE',
    env: 'SERVICE_REVOCATION_LOG_KEY_FILE',
  }),
};

/** The files that these flags name. */
export function setBackFiles(flags: {
  'epoch-key'?: string | undefined;
  'revocation-log'?: string[] | undefined;
  'revocation-log-key'?: string | undefined;
}): { epochKeyFile: string | undefined; logFiles?: { files: string[]; keyFile: string } } {
  const { 'epoch-key': epochKeyFile, 'revocation-log': files, 'revocation-log-key': keyFile } = flags;
  if (files === undefined) return { epochKeyFile };
  if (keyFile === undefined)
    throw new UsageError(
      'The revocation log cannot be read without its key: name its file with --revocation-log-key, or in SERVICE_REVOCATION_LOG_KEY_FILE.',
    );
  return { epochKeyFile, logFiles: { files, keyFile } };
}

/** Says what became of the credentials by the log. */
export function logLine(enabled: number, end = ''): string {
  return `${counted(enabled, 'credential')} that the revocation log says ${enabled === 1 ? 'was' : 'were'} good ${enabled === 1 ? 'is' : 'are'} on. It ends at ${end}: what was revoked later is not in it.`;
}
