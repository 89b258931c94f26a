import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
/** An address and the number of its leading bits that count. */
export type AddressRange = [Address, number];

/** An address, or a range in CIDR notation; undefined if the text is neither. */
export function parseRange(text: string): AddressRange | undefined {
  const [host = '', bits, ...rest] = text.split('/');
  const address = parseAddress(host);
  if (address === undefined || rest.length > 0) return undefined;
  const most = address.kind() === 'ipv4' ? 32 : 128;
  if (bits === undefined) return [address, most];
  return /^\d{1,3}$/.test(bits) && Number(bits) <= most ? [address, Number(bits)] : undefined;
}

/**
 * Finds where requests come from: the peer of the connection, or the address that trusted proxies give in
 * `X-Forwarded-For`.
 */
export class ClientAddresses {
  constructor(private readonly trusted: AddressRange[]) {}

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

  #isTrusted(address: Address): boolean {
    return this.trusted.some(
      ([base, bits]) => base.kind() === address.kind() && (address as ipaddr.IPv4).match(base as ipaddr.IPv4, bits),
    );
  }
}

/**
 * The address that identifies one caller. For IPv6 that is the network of 64 bits, since a caller can use any address
 * in it.
 */
export function networkOf(text: string): string {
  const address = parseAddress(text);
  if (!(address instanceof ipaddr.IPv6)) return text;
  return `${new ipaddr.IPv6(address.parts.map((part, at) => (at < 4 ? part : 0)))}/64`;
}

/** An IPv4 address that is mapped into IPv6 is the IPv4 address. */
function parseAddress(text: string): Address | undefined {
  return isIP(text) === 0 ? undefined : ipaddr.process(text);
}
