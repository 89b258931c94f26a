import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ServedAgent, serveAgent } from '../../../agent/testing/served-agent.js';
import { heldBytes } from '../../../core/testing/held-bytes.js';

const MIB = 1024 * 1024;

let agent: ServedAgent;
beforeEach(async () => {
  agent = await serveAgent();
});
afterEach(() => agent.close());

it('the agent does not keep bodies once they were answered, while the connection lasts', async () => {
  const sockets = Array.from({ length: 32 }, () => connect(agent.port, '127.0.0.1'));
  const before = heldBytes();
  for (const socket of sockets) {
    socket.write(
      `POST /v1/authorize HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${MIB}\r\n\r\n`,
    );
    socket.write('x'.repeat(MIB));
    expect(String((await once(socket, 'data'))[0])).toMatch(/ 400 /);
  }
  expect(heldBytes() - before).toBeLessThan(8 * MIB);
  for (const socket of sockets) socket.destroy();
});
