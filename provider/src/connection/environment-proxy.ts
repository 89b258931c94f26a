import { isLoopbackHost } from '@authz-service/core/values/loopback';
import { proxyAddress } from '@authz-service/core/values/proxy-address';
import { getProxyForUrl } from 'proxy-from-env';

/**
 * The proxy that the environment names for this address (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`); undefined if
 * there is none, and always for this machine. Throws `invalid_config` for what is no `http` address of a proxy.
 */
export function environmentProxy(address: string): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const found = url === undefined || isLoopbackHost(url.hostname) ? '' : getProxyForUrl(url.href);
  if (url === undefined || found === '') return undefined;
  return proxyAddress(found, url, { env: process.env, protocols: ['http:'] }).href;
}
