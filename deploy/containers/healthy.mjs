/**
 * Ends with 0 if the program in this container answers 200 at a path, or else at `/healthz`, and with 1 if not, saying why: the
 * image has no curl.
 *   node healthy.mjs [PATH]
 */
import { get } from 'node:http';

/** The addresses that lead to who listens at all. */
const HOSTS = { '': '127.0.0.1', '0.0.0.0': '127.0.0.1', '[::]': '::1' };

const [path = '/healthz'] = process.argv.slice(2);
const address = process.env.SERVICE_LISTEN_ADDR ?? '';
const [, host = '', port] = /^(.*):(\d+)$/.exec(address) ?? [];

function end(code, reason) {
  process.stderr.write(`${path} of ${address}: ${reason}\n`);
  process.exit(code);
}

if (!address.startsWith('unix://') && port === undefined)
  end(1, 'SERVICE_LISTEN_ADDR is no address like 0.0.0.0:8080 or unix:///run/agent.sock');
const place = address.startsWith('unix://')
  ? { socketPath: address.slice('unix://'.length) }
  : { host: HOSTS[host] ?? host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) };

get({ ...place, path, timeout: 2000 }, ({ statusCode }) => end(statusCode === 200 ? 0 : 1, statusCode))
  .on('timeout', () => end(1, 'no answer within 2 s'))
  .on('error', ({ message }) => end(1, message));
