import { ProblemError } from '../problem.js';

interface Options {
  /** The environment that the address was found in. */
  env: Readonly<Record<string, string | undefined>>;
  /** The protocols that the proxy may be reached by. */
  protocols: readonly string[];
}

/**
 * The proxy for `target` that `proxy-from-env` has found. That adds the scheme of the target to an address without one,
 * which other programs take for `http`, and so does this. Throws `invalid_config` for what is no address of a proxy, and
 * repeats no password.
 */
export function proxyAddress(found: string, { protocol }: URL, { env, protocols }: Options): URL {
  const isSecure = protocol === 'https:';
  const bare = found.slice(`${protocol}//`.length);
  const names = [isSecure ? 'HTTPS_PROXY' : 'HTTP_PROXY', 'ALL_PROXY'];
  const isBare = names.some((name) => env[name] === bare || env[name.toLowerCase()] === bare);
  const text = isBare ? `http://${bare}` : found;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && protocols.includes(url.protocol) && isDecodable(url)) return url;
  const shown = found.includes('@') ? 'its value' : `"${found}"`;
  const detail = `${names.join(' or ')}: ${shown} is no address of a proxy: write it like "http://proxy.example.com:3128".`;
  throw new ProblemError('invalid_config', detail);
}

/** Whether each "%" in user and password begins the code of a character. */
function isDecodable({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}
