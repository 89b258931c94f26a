import { isLoopbackHost } from '@authz-service/core/values/loopback';
import { getProxyForUrl } from 'proxy-from-env';

/**
 * The proxy that the environment names for this address (`HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`); undefined if there is none, and
 * always for this machine.
 */
export function environmentProxy(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  return isLoopbackHost(url.hostname) ? undefined : getProxyForUrl(url.href) || undefined;
}
