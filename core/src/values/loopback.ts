import { parseIp } from './ip-range.js';

/** Whether this host, of a URL or a `Host` header and without a port, is the machine itself whatever resolves names. */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || isLoopbackAddress(host.replace(/^\[(.*)\]$/, '$1'));
}

export function isLoopbackAddress(address: string): boolean {
  return parseIp(address)?.range() === 'loopback';
}
