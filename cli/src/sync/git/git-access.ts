import type { TokenSource } from '../config/secret-file.js';
import type { StackConfig } from '../config/sync-config.js';

/** Git reads the secret from its environment: a command line would show it to others. */
const HELPER =
  '!f() { test "$1" = get && printf "username=%s\\npassword=%s\\n" "$SYNC_GIT_USERNAME" "$SYNC_GIT_TOKEN"; }; f';

/**
 * The environment in which Git reaches a repository: it never asks a terminal, believes only known hosts, runs no program of the
 * repository's, and has the token or key of the stack.
 */
export async function gitEnvironment(
  { ssh_key: key, known_hosts: hosts, username = 'x-access-token' }: StackConfig['access'],
  token: TokenSource | undefined,
): Promise<Record<string, string>> {
  const ssh = [
    'ssh',
    ...['-o', 'BatchMode=yes', '-o', 'StrictHostKeyChecking=yes', '-o', 'ConnectTimeout=20'],
    ...(key === undefined ? [] : ['-i', quoted(key), '-o', 'IdentitiesOnly=yes']),
    ...(hosts === undefined ? [] : ['-o', quoted(`UserKnownHostsFile="${hosts}"`)]),
  ];
  const settings: [string, string][] = [
    // A repository's own files must not run programs.
    ['core.hooksPath', '/dev/null'],
    ['core.fsmonitor', 'false'],
    ['core.symlinks', 'true'],
    ['protocol.ext.allow', 'never'],
    ['gc.auto', '256'],
    ['credential.helper', ''],
    ...(token === undefined ? [] : ([['credential.helper', HELPER]] as [string, string][])),
  ];
  return {
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
    GIT_SSH_COMMAND: ssh.join(' '),
    GIT_NO_LAZY_FETCH: '0',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_HTTP_LOW_SPEED_LIMIT: '1000',
    GIT_HTTP_LOW_SPEED_TIME: '30',
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([name, value], at) => [
        [`GIT_CONFIG_KEY_${at}`, name],
        [`GIT_CONFIG_VALUE_${at}`, value],
      ]),
    ),
    ...(token !== undefined && { SYNC_GIT_USERNAME: username, SYNC_GIT_TOKEN: await token() }),
  };
}

/** A word for the shell by which Git starts `ssh`. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
