import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { LineWriter } from './line-writer.js';
import { lineId } from './log-line.js';
import { openSink } from './open-sinks.js';
import type { Sink } from './sink.js';
import { readSinks } from './sink-settings.js';

let folder: string;
let server: Server;
let port: number;
let answer: (lines: string[], response: ServerResponse) => void;
let requests: { headers: IncomingHttpHeaders; client: string | undefined; ids: string[]; at: number }[] = [];
const sinks: Sink[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'receivers-'));
  for (const [name, subject] of [
    ['server', 'subjectAltName=IP:127.0.0.1'],
    ['client', 'subjectAltName=DNS:agent'],
  ]) {
    const files = ['-keyout', join(folder, `${name}.key`), '-out', join(folder, `${name}.pem`)];
    const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${name}`];
    execFileSync('openssl', [...args, '-addext', subject ?? '', ...files], { stdio: 'ignore' });
  }
  const read = (name: string) => readFileSync(join(folder, name));
  const tls = { key: read('server.key'), cert: read('server.pem'), ca: read('client.pem') };
  server = createServer({ ...tls, requestCert: true, rejectUnauthorized: false }, async (request, response) => {
    const body = await bodyOf(request);
    const lines = request.url === '/v1/logs' ? bodiesIn(body) : body.trimEnd().split('\n');
    const { socket } = request as IncomingMessage & { socket: { getPeerCertificate(): { subject?: { CN: string } } } };
    const ids = lines.map((line) => JSON.parse(line).id ?? 'gap');
    requests.push({
      headers: request.headers,
      client: socket.getPeerCertificate().subject?.CN,
      ids,
      at: performance.now(),
    });
    answer(lines, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterEach(async () => {
  await Promise.all(sinks.splice(0).map((sink) => sink.close(0)));
  requests = [];
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return gunzipSync(Buffer.concat(chunks)).toString();
}

const bodiesIn = (body: string): string[] =>
  JSON.parse(body).resourceLogs[0].scopeLogs[0].logRecords.map(
    (record: { body: { stringValue: string } }) => record.body.stringValue,
  );

/** Opens a sink with an empty queue and writes so many lines to it. */
function write(text: string, count: number): string[] {
  const logged: string[] = [];
  const [settings] = readSinks(text, folder);
  if (settings === undefined) throw new Error('no sink');
  const note = (fields: object, message: string) => logged.push(`${message} ${JSON.stringify(fields)}`);
  const { sink } = openSink(settings, {
    folder: mkdtempSync(join(folder, 'queue-')),
    stdout: new LineWriter(new Writable()),
    origin: { service: 'test', version: '1', process: 'p' },
    log: { info: note, warn: note, error: note },
  });
  sinks.push(sink);
  for (let order = 1; order <= count; order++) {
    const [id, time] = [lineId('p', order), new Date(order).toISOString()];
    const line = JSON.stringify({ time, level: 'INFO', msg: 'decision', id });
    sink.write({ process: 'p', order, time, text: `${line}\n` });
  }
  return logged;
}

const until = (check: () => void) => vi.waitFor(check, { timeout: 10_000, interval: 10 });

describe('a receiver over TLS', () => {
  it('is believed by its authority, and given the header and the certificate that files hold now', async () => {
    answer = (_, response) => response.writeHead(requests.length === 1 ? 503 : 204).end();
    const header = join(folder, 'header');
    writeFileSync(header, 'Authorization: Bearer first\n');
    write(
      `https://127.0.0.1:${port}/in#ca_file=server.pem&cert_file=client.pem&key_file=client.key&header_file=header`,
      1,
    );
    await until(() => expect(requests).toHaveLength(1));
    writeFileSync(header, 'Authorization: Bearer second\n');
    await until(() => expect(requests).toHaveLength(2));
    expect(requests.map(({ headers, client, ids }) => [headers.authorization, client, ids])).toEqual([
      ['Bearer first', 'client', ['p.1']],
      ['Bearer second', 'client', ['p.1']],
    ]);
    expect(requests[0]?.headers).toMatchObject({ 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' });
  });

  it('is given nothing where its certificate comes from nobody, and the log names no path', async () => {
    const logged = write(`https://127.0.0.1:${port}/hunter2?token=hunter2`, 1);
    await until(() => expect(logged.join()).toContain('self-signed certificate'));
    expect(requests).toEqual([]);
    expect(logged.join()).not.toContain('hunter2');
  });

  it('is left alone for as long as it asks', async () => {
    answer = (_, response) => response.writeHead(requests.length === 1 ? 429 : 200, { 'retry-after': '2' }).end();
    write(`https://127.0.0.1:${port}/in#ca_file=server.pem`, 1);
    await until(() => expect(requests).toHaveLength(2));
    expect((requests[1]?.at ?? 0) - (requests[0]?.at ?? 0)).toBeGreaterThan(1_900);
  });

  it('that rejects a record of OTLP gets the others, and a gap in its place', async () => {
    const rejects = (line: string) => line.includes('"id":"p.3"');
    const kept = new Set<string>();
    answer = (lines, response) => {
      const rejected = lines.filter(rejects).length;
      for (const line of lines) if (!rejects(line)) kept.add(JSON.parse(line).id ?? 'gap');
      response
        .writeHead(200)
        .end(JSON.stringify(rejected > 0 ? { partialSuccess: { rejectedLogRecords: `${rejected}` } } : {}));
    };
    write(`otlp+https://127.0.0.1:${port}#ca_file=server.pem`, 5);
    await until(() => expect(kept).toEqual(new Set(['p.1', 'p.2', 'p.4', 'p.5', 'gap'])));
  });
});
