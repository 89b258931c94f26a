/**
 * The floor: parses each body as JSON and answers as the agent does, head and all, with the body and the revision that the
 * environment names. Prints its URL as JSON.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const answer = Buffer.from(process.env.ANSWER ?? '{}');
const revision = process.env.REVISION ?? '';
const server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    JSON.parse(Buffer.concat(chunks).toString('utf8'));
    response.writeHead(200, {
      'Content-Type': 'application/json',
      'Content-Length': answer.length,
      'Service-Revision': revision,
    });
    response.end(answer);
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })}\n`);
});
