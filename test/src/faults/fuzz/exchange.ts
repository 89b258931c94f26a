import { type Agent, type OutgoingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';

/** No request here takes long, so a process that is silent for this long hangs. */
const HANGS_MS = 20_000;

export interface Probe {
  method: string;
  path: string;
  headers: OutgoingHttpHeaders;
  body?: Buffer;
}

export interface Reply {
  status: number;
  type: string;
  text: string;
}

/** Sends a request whose framing is sound. Undefined where the connection ended without an answer. */
export function send(base: string, { method, path, headers, body }: Probe, agent: Agent): Promise<Reply | undefined> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', () => resolve(undefined));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', text });
      });
    });
    sent.setTimeout(HANGS_MS, () => {
      reject(new Error(`no answer to ${method} ${path.slice(0, 100)}`));
      sent.destroy();
    });
    sent.on('error', () => resolve(undefined));
    sent.end(body);
  });
}

/** Writes bytes to a connection of their own and returns all that comes back until it ends. */
export function sendRaw(base: string, bytes: Buffer, ending: 'end' | 'reset'): Promise<string> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const done = () => resolve(Buffer.concat(chunks).toString('latin1'));
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      if (ending === 'end') socket.end(bytes);
      else socket.write(bytes, () => socket.resetAndDestroy());
    });
    socket.setTimeout(HANGS_MS, () => {
      reject(new Error(`no end after ${JSON.stringify(bytes.toString('latin1').slice(0, 200))}`));
      socket.destroy();
    });
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', done);
    socket.on('close', done);
  });
}
