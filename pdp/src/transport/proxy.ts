import type { Agent } from 'node:http';
import { isLoopbackHost } from '@authz-service/core/values/loopback';
import { proxyAddress } from '@authz-service/core/values/proxy-address';
import { HttpProxyAgent } from 'http-proxy-agent';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { getProxyForUrl } from 'proxy-from-env';

/** The agents of Node that go through a proxy: one keeps connections, the other makes a new one for each request. */
export interface ProxyAgents {
  /** The address of the proxy without user and password. */
  name: string;
  kept: Agent;
  fresh: Agent;
}

/** The options of agents that keep connections; milliseconds. */
export const KEPT = { keepAlive: true, timeout: 1000 };

const known = new Map<string, ProxyAgents>();

/**
 * The way through the proxy that the environment names for this address (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`,
 * `NO_PROXY`); undefined if there is none, and always for this machine. Throws `invalid_config` for what is no address of a
 * proxy, and repeats no password.
 */
export function proxyAgents(url: URL): ProxyAgents | undefined {
  const given = isLoopbackHost(url.hostname) ? '' : getProxyForUrl(url.href);
  if (given === '') return undefined;
  const key = `${url.protocol} ${given}`;
  const agents = known.get(key) ?? agentsOf(url, given);
  known.set(key, agents);
  return agents;
}

function agentsOf(url: URL, given: string): ProxyAgents {
  const proxy = proxyAddress(given, url, { env: process.env, protocols: ['http:', 'https:'] });
  const make = (options: object): Agent =>
    url.protocol === 'https:' ? new HttpsProxyAgent(proxy, options) : new HttpProxyAgent(proxy, options);
  return { name: proxy.origin, kept: make(KEPT), fresh: make({}) };
}
