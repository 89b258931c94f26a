/** The address to listen on. Without `host`, every interface, IPv6 included. */
export interface ListenAddr {
  host?: string;
  port: number;
}

const FORM = /^(?:\[(?<bracketed>[0-9A-Fa-f:.%\w]+)\]|(?<plain>[^:[\]\s/]*)):(?<port>\d{1,5})$/;

/** Reads `HOST:PORT`, `[IPV6]:PORT` or `:PORT`; undefined if the text is none of these. */
export function listenAddr(text: string): ListenAddr | undefined {
  const groups = FORM.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const port = Number(groups.port);
  if (port > 65_535) return undefined;
  const host = groups.bracketed ?? groups.plain;
  return host ? { host, port } : { port };
}

/** The URL under which a caller on this machine reaches a listening socket. */
export function reachableUrl(address: string, port: number): string {
  if (address === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (address === '::') return `http://localhost:${port}`;
  return `http://${addressText({ host: address, port })}`;
}

/** Writes the address in the form that `listenAddr` reads. */
export function addressText({ host = '', port }: ListenAddr): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
