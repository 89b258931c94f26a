/**
 * Ends with 0 if the program in this container answers 200 at a path, or else at `/healthz`, and with 1 if not: the image has no
 * curl.
 *   node healthy.mjs [PATH]
 */
import { get } from 'node:http';

const address = process.env.SERVICE_LISTEN_ADDR ?? '';
const port = /:(\d+)$/.exec(address)?.[1];
const place = address.startsWith('unix://')
  ? { socketPath: address.slice('unix://'.length) }
  : { host: '127.0.0.1', port: Number(port) };

const [path = '/healthz'] = process.argv.slice(2);

get({ ...place, path, timeout: 2000 }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1))
  .on('timeout', () => process.exit(1))
  .on('error', () => process.exit(1));
