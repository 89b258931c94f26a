import { readFile } from 'node:fs/promises';
import { ProblemError } from '@authz-service/core/problem';

/** Asks for a token that is not older than it may be, such as an app's. */
export type TokenSource = () => Promise<string>;

/** Reads a file with a secret, without the white space at its end. Throws `invalid_config`, which names the file and never its text. */
export async function readSecret(path: string): Promise<string> {
  const text = (
    await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      throw new ProblemError('invalid_config', `The file "${path}" with a secret cannot be read (${error.code}).`);
    })
  ).trim();
  if (text === '' || /\p{Cc}/u.test(text))
    throw new ProblemError('invalid_config', `The file "${path}" must hold one line, the secret.`);
  return text;
}

/** The token of a file, read anew each time: it may be replaced. */
export function tokenIn(file: string): TokenSource {
  return () => readSecret(file);
}
