import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { closeLingering } from './lingering-close.js';

describe('a connection whose last answer comes before the request has ended', () => {
  let server: Server;
  let closed: Promise<void>;

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    server = createServer((request, response) => {
      closed = new Promise((resolve) => request.socket.once('close', () => resolve()));
      response.shouldKeepAlive = false;
      closeLingering(request.socket);
      request.on('error', () => {}).resume();
      response.end('enough');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  afterEach(async () => {
    vi.useRealTimers();
    await new Promise((resolve) => server.close(resolve));
  });

  const caller = (allowHalfOpen: boolean) => {
    const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen });
    socket.on('error', () => {}).write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n');
    return socket;
  };

  it('ends when the caller has read it', async () => {
    expect(await text(caller(false))).toMatch(/enough$/);
    await closed;
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is cut where the caller goes on', async () => {
    const socket = caller(true);
    await once(socket.resume(), 'end');
    expect(socket.writable).toBe(true);
    await vi.advanceTimersToNextTimerAsync();
    await closed;
    socket.destroy();
  });
});
