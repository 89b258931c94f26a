import type { IncomingMessage } from 'node:http';
import { type IpAddress, type IpRange, inRange, parseIp } from '@authz-service/core/values/ip-range';
import ipaddr from 'ipaddr.js';

/**
 * Finds where requests come from: the peer of the connection, or the address that trusted proxies give in
 * `X-Forwarded-For`.
 */
export class ClientAddresses {
  constructor(private readonly trusted: readonly IpRange[]) {}

  /**
   * The nearest address that is not a trusted proxy's. The list counts only up to the first entry that is not an
   * address.
   */
  of({ socket, headers }: IncomingMessage): string {
    const peer = parseAddress(socket.remoteAddress ?? '');
    if (peer === undefined) return 'unknown';
    const forwarded = String(headers['x-forwarded-for'] ?? '')
      .split(',')
      .reverse();
    let nearest = peer;
    for (const text of forwarded) {
      const next = this.#isTrusted(nearest) ? parseAddress(text.trim()) : undefined;
      if (next === undefined) break;
      nearest = next;
    }
    return nearest.toString();
  }

  #isTrusted(address: IpAddress): boolean {
    return this.trusted.some((range) => inRange(address, range));
  }
}

/**
 * The address that identifies one caller. For IPv6 that is the network of 64 bits, since a caller can use any address
 * in it.
 */
export function networkOf(text: string): string {
  const address = parseAddress(text);
  if (address?.kind() !== 'ipv6') return text;
  return `${new ipaddr.IPv6((address as ipaddr.IPv6).parts.map((part, at) => (at < 4 ? part : 0)))}/64`;
}

/** The address of a peer, or of whom a proxy names; a zone says only through which interface it is reached. */
function parseAddress(text: string): IpAddress | undefined {
  return parseIp(text.replace(/%.*$/, ''));
}
