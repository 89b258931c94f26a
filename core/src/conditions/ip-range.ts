import ipaddr from 'ipaddr.js';

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/** A range of addresses of one family: its base, and how many leading bits count. */
export type IpRange = readonly [IpAddress, number];

/** The steps for reading an address or a range. */
export const ADDRESS_STEPS = 200;

/** The longest text of an address (RFC 4291 section 2.2). */
const LENGTH_MAX = 45;

/**
 * An IPv4 or IPv6 address; undefined if the text is not an address. An IPv4 address mapped into IPv6
 * (`::ffff:10.0.0.1`) is the IPv4 address.
 */
export function parseIp(text: string): IpAddress | undefined {
  const address = parseStrictly(text);
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/**
 * Like some systems, the library also accepts IPv4 in fewer parts, in octal or hexadecimal, and IPv6 with a zone.
 * Leading zeros are refused, since some read them as octal.
 */
function parseStrictly(text: string): IpAddress | undefined {
  if (text.length > LENGTH_MAX) return undefined;
  if (!text.includes(':')) return ipaddr.IPv4.isValidFourPartDecimal(text) ? ipaddr.IPv4.parse(text) : undefined;
  const last = text.slice(text.lastIndexOf(':') + 1);
  if (text.includes('%') || (last.includes('.') && !ipaddr.IPv4.isValidFourPartDecimal(last))) return undefined;
  return ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text) : undefined;
}

/** An address or CIDR range; undefined if the text is neither. A range inside `::ffff:0:0/96` is an IPv4 range. */
export function parseIpRange(text: string): IpRange | undefined {
  const slash = text.indexOf('/');
  const base = parseStrictly(slash < 0 ? text : text.slice(0, slash));
  if (base === undefined) return undefined;
  const most = base instanceof ipaddr.IPv6 ? 128 : 32;
  const written = slash < 0 ? String(most) : text.slice(slash + 1);
  const bits = /^\d{1,3}$/.test(written) ? Number(written) : Number.POSITIVE_INFINITY;
  if (bits > most) return undefined;
  return base instanceof ipaddr.IPv6 && base.isIPv4MappedAddress() && bits >= 96
    ? [base.toIPv4Address(), bits - 96]
    : [base, bits];
}

export function inRange(address: IpAddress, [base, bits]: IpRange): boolean {
  return address.kind() === base.kind() && (address as ipaddr.IPv4).match(base as ipaddr.IPv4, bits);
}
