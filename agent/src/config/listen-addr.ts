/** The address to listen on: a port, or the path of a unix socket. Without `host`, on every interface, IPv6 included. */
export type ListenAddr = { host?: string; port: number } | { path: string };

const FORM = /^(?:\[(?<bracketed>[0-9A-Fa-f:.%\w]+)\]|(?<plain>[^:[\]\s/]*)):(?<port>\d{1,5})$/;
const SOCKET = /^unix:\/\/(\/.*[^/])$/;

/** Reads `HOST:PORT`, `[IPV6]:PORT`, `:PORT` or `unix:///PATH`; undefined if the text is none of these. */
export function listenAddr(text: string): ListenAddr | undefined {
  const path = SOCKET.exec(text)?.[1];
  if (path !== undefined) return { path };
  const groups = FORM.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const port = Number(groups.port);
  if (port > 65_535) return undefined;
  const host = groups.bracketed ?? groups.plain;
  return host ? { host, port } : { port };
}

/** The URL under which a caller on this machine reaches who listens there. */
export function reachableUrl(bound: ListenAddr): string {
  if ('path' in bound) return addressText(bound);
  const { host, port } = bound;
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (host === '::') return `http://localhost:${port}`;
  return `http://${addressText(bound)}`;
}

/** Writes the address in the form that `listenAddr` reads. */
export function addressText(address: ListenAddr): string {
  if ('path' in address) return `unix://${address.path}`;
  const { host = '', port } = address;
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
