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
 * Like some systems, the library also accepts IPv4 in fewer parts, in octal or hexadecimal, and IPv6 with a zone, and
 * takes `::10.0.0.1` for an IPv4 address mapped into IPv6. Leading zeros are refused, since some read them as octal.
 */
function parseStrictly(text: string): IpAddress | undefined {
  if (text.length > LENGTH_MAX) return undefined;
  if (!text.includes(':')) return parseIpv4(text);
  const colon = text.lastIndexOf(':');
  if (!text.includes('.', colon)) return parseIpv6(text);
  const last = parseIpv4(text.slice(colon + 1))?.toByteArray();
  if (last === undefined) return undefined;
  const [first, second] = [0, 2].map((at) => (((last[at] ?? 0) << 8) | (last[at + 1] ?? 0)).toString(16));
  return parseIpv6(`${text.slice(0, colon + 1)}${first}:${second}`);
}

function parseIpv4(text: string): ipaddr.IPv4 | undefined {
  return ipaddr.IPv4.isValidFourPartDecimal(text) ? ipaddr.IPv4.parse(text) : undefined;
}

function parseIpv6(text: string): ipaddr.IPv6 | undefined {
  return !text.includes('%') && ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text) : undefined;
}

/** An address or CIDR range; undefined if the text is neither. A range inside `::ffff:0:0/96` is an IPv4 range. */
export function parseIpRange(text: string): IpRange | undefined {
  const slash = text.indexOf('/');
  const base = parseStrictly(slash < 0 ? text : text.slice(0, slash));
  if (base === undefined) return undefined;
  const most = base instanceof ipaddr.IPv6 ? 128 : 32;
  const written = slash < 0 ? String(most) : text.slice(slash + 1);
  const bits = /^(?:0|[1-9]\d{0,2})$/.test(written) ? Number(written) : Number.POSITIVE_INFINITY;
  if (bits > most) return undefined;
  return base instanceof ipaddr.IPv6 && base.isIPv4MappedAddress() && bits >= 96
    ? [base.toIPv4Address(), bits - 96]
    : [base, bits];
}

export function inRange(address: IpAddress, [base, bits]: IpRange): boolean {
  return address.kind() === base.kind() && (address as ipaddr.IPv4).match(base as ipaddr.IPv4, bits);
}
