/** Hosts that serve the pages of a repository under the name that they serve Git by over SSH. */
const SAME_HOST = new Set(['bitbucket.org', 'codeberg.org', 'github.com', 'gitlab.com']);

/** As in `git@github.com:acme/access.git`, which is no URL. */
const SCP_LIKE = /^(?:[^@/:]+@)?([A-Za-z0-9][A-Za-z0-9.-]+):(?!:|\/\/)\/?(.+)$/;

/**
 * The URL of a repository without anything secret or needless in it: no user, password, query, fragment, `.git` or
 * final slash. Undefined for what names no place that others can reach, such as a folder of this machine.
 */
export function publicRepository(remote: string): string | undefined {
  const given = remote.trim();
  const [, host, path] = given.includes('://') ? [] : (SCP_LIKE.exec(given) ?? []);
  const url = parsed(host === undefined ? given : `ssh://${host}/${path}`);
  if (url === undefined || !['https:', 'http:', 'ssh:'].includes(url.protocol) || url.hostname === '') return undefined;
  const at = url.pathname.replace(/\/+$/, '').replace(/\.git$/, '');
  if (at === '') return undefined;
  const known = SAME_HOST.has(url.hostname) && url.protocol === 'ssh:';
  return known ? `https://${url.hostname}${at}` : `${url.protocol}//${url.host}${at}`;
}

function parsed(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
