/** Ends with 0 if the program in this container answers `/healthz`, and with 1 if not: the image has no curl. */
import { get } from 'node:http';

const address = process.env.SERVICE_LISTEN_ADDR ?? '';
const port = /:(\d+)$/.exec(address)?.[1];
const place = address.startsWith('unix://')
  ? { socketPath: address.slice('unix://'.length) }
  : { host: '127.0.0.1', port: Number(port) };

get({ ...place, path: '/healthz', timeout: 2000 }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1))
  .on('timeout', () => process.exit(1))
  .on('error', () => process.exit(1));
