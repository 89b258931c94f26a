import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LineWriter } from './line-writer.js';
import { type LogLine, lineId } from './log-line.js';
import { type OpenedSink, openSink } from './open-sinks.js';
import { readSinks } from './sink-settings.js';

let folder: string;
/** The lines that the receiver has taken, its answer, and the messages in the program's log. */
let received: { id?: string; msg: string }[];
let answer: (lines: string[]) => number;
let logged: string[];
let server: Server;
let address: string;
const opened: OpenedSink[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sink-'));
  [received, logged, answer] = [[], [], () => 200];
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const lines = gunzipSync(Buffer.concat(chunks)).toString().trimEnd().split('\n');
    const status = answer(lines);
    if (status === 200) received.push(...lines.map((line) => JSON.parse(line)));
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/logs`;
});
const closeAll = () => Promise.all(opened.splice(0).map(({ sink }) => sink.close(200)));
afterEach(async () => {
  await closeAll();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

function open(text: string, process = 'p', stdout = new Writable()): OpenedSink {
  const note = (_fields: object, message: string) => logged.push(message);
  const [settings] = readSinks(text, folder);
  if (settings === undefined) throw new Error('no sink');
  const one = openSink(settings, {
    folder,
    stdout: new LineWriter(stdout, 200),
    origin: { service: 'test', version: '1', process },
    log: { info: note, warn: note, error: note },
  });
  opened.push(one);
  return one;
}

function lineOf(order: number, process = 'p', padding = ''): LogLine {
  const time = new Date(order * 1000).toISOString();
  const fields = { time, level: 'INFO', msg: 'decision', id: lineId(process, order), padding };
  return { process, order, time, text: `${JSON.stringify(fields)}\n` };
}

const ids = () => received.map(({ id }) => id);
const until = (check: () => void) => vi.waitFor(check, { timeout: 10_000, interval: 10 });

describe('a sink', () => {
  it('sends lines as JSON lines, again until they arrive', async () => {
    answer = () => 503;
    const { sink } = open(address);
    for (let order = 1; order <= 3; order++) expect(sink.write(lineOf(order))).toBe(true);
    await until(() => expect(logged).toContain('the receiver of a log takes no lines: they wait in the queue'));
    answer = () => 200;
    await until(() => expect(ids()).toEqual(['p.1', 'p.2', 'p.3']));
    expect(logged.at(-1)).toBe('the receiver of a log takes lines again');
  });

  it('tells of each line that it had no room for, in the log itself, even where its process was killed meanwhile', async () => {
    answer = () => 503;
    const first = open(`${address}#queue=1MiB`).sink;
    const padding = 'x'.repeat(100_000);
    const kept = Array.from({ length: 14 }, (_, at) => first.write(lineOf(at + 1, 'p', padding)));
    expect(kept.indexOf(false)).toBe(10);
    // As if it were killed now: its successor finds the queue and the note of the gap.
    cpSync(folder, `${folder}.copy`, { recursive: true });
    await closeAll();
    rmSync(folder, { recursive: true });
    renameSync(`${folder}.copy`, folder);
    const { sink, lastId } = open(`${address}#queue=1MiB`, 'q');
    expect(lastId).toBe('p.14');
    expect(sink.write(lineOf(1, 'q', padding))).toBe(false);
    answer = () => 200;
    await until(() => expect(received.filter(({ msg }) => msg === 'gap')).toHaveLength(2));
    sink.write(lineOf(2, 'q'));
    await until(() => expect(ids()).toContain('q.2'));
    expect(received.filter(({ msg }) => msg === 'gap')).toMatchObject([
      {
        lost: 4,
        first: 'p.11',
        last: 'p.14',
        from: new Date(11_000).toISOString(),
        to: new Date(14_000).toISOString(),
      },
      { lost: 1, first: 'q.1', last: 'q.1', cause: 'full' },
    ]);
    expect(new Set(ids())).toEqual(
      new Set([...Array.from({ length: 10 }, (_, at) => `p.${at + 1}`), undefined, 'q.2']),
    );
  });

  it('leaves out the one line that its receiver refuses, and tells of it', async () => {
    answer = (lines) => (lines.some((line) => line.includes('"id":"p.77"')) ? 400 : 200);
    const { sink } = open(address);
    for (let order = 1; order <= 200; order++) sink.write(lineOf(order));
    await until(() => expect(received).toHaveLength(200));
    const gap = received.find(({ msg }) => msg === 'gap');
    expect(gap).toMatchObject({ lost: 1, first: 'p.77', last: 'p.77', cause: 'refused' });
    expect(ids().filter((id) => id !== undefined)).toHaveLength(199);
    expect(sink.lostLines).toBe(1);
  });

  it('sends what is queued when it is closed, and keeps what did not arrive', async () => {
    const { sink } = open(address);
    sink.write(lineOf(1));
    await closeAll();
    expect(ids()).toEqual(['p.1']);
    answer = () => 503;
    const next = open(address, 'q').sink;
    next.write(lineOf(1, 'q'));
    await closeAll();
    answer = () => 200;
    open(address, 'r');
    await until(() => expect(ids()).toEqual(['p.1', 'q.1']));
  });

  it('that blocks says when there is room', async () => {
    answer = () => 503;
    const { sink } = open(`${address}#queue=1MiB&when_full=block`);
    expect(sink.room()).toBeUndefined();
    for (let order = 1; order <= 11; order++) sink.write(lineOf(order, 'p', 'x'.repeat(95_300)));
    const room = sink.room();
    expect(room).toBeDefined();
    answer = () => 200;
    await room;
    expect(sink.room()).toBeUndefined();
  });

  it('on a stream that nobody reads tells of what it dropped once somebody does', async () => {
    const written: string[] = [];
    let release = () => {};
    const stdout = new Writable({
      decodeStrings: false,
      highWaterMark: 1,
      write(chunk, _encoding, done) {
        written.push(String(chunk));
        release = done;
      },
    });
    const { sink } = open('stdout', 'p', stdout);
    for (let order = 1; order <= 5; order++) sink.write(lineOf(order));
    expect(sink.lostLines).toBe(3);
    for (let turn = 0; turn < 4; turn++) {
      release();
      await new Promise(setImmediate);
    }
    expect(
      written.map((text) => JSON.parse(text)).map(({ msg, id, first, last }) => id ?? `${msg} ${first} ${last}`),
    ).toEqual([...['p.1', 'p.2', 'gap p.3 p.5']]);
  });

  it('on a file rotates it, and knows its last line', () => {
    const path = join(folder, 'd.jsonl');
    const text = `file://${path}#max_size=1MiB&max_files=3`;
    const { sink } = open(text);
    for (let order = 1; order <= 45; order++) sink.write(lineOf(order, 'p', 'x'.repeat(100_000)));
    const first = (name: string) => JSON.parse(readFileSync(name, 'utf8').split('\n')[0] ?? '').id;
    expect([`${path}.2`, `${path}.1`, path].map(first)).toEqual(['p.21', 'p.31', 'p.41']);
    expect(open(text, 'q').lastId).toBe('p.45');
  });
});

describe('after a loss of power', () => {
  it('starts with a note of a gap that is damaged', async () => {
    open(address, 'first');
    await closeAll();
    const [queue = ''] = readdirSync(folder);
    writeFileSync(join(folder, queue, 'gap-first.json'), '\0'.repeat(512));
    open(address, 'second').sink.write(lineOf(1, 'second'));
    await until(() => expect(ids()).toEqual(['second.1']));
  });

  it('leaves out a line of its queue that is damaged, and sends those after it', async () => {
    answer = () => 503;
    open(`otlp+${address}`, 'first').sink.write(lineOf(1, 'first'));
    await closeAll();
    const [queue = ''] = readdirSync(folder);
    appendFileSync(join(folder, queue, '000000000001.jsonl'), '\0\0\0\n');
    answer = () => 200;
    const { sink } = open(`otlp+${address}`, 'second');
    sink.write(lineOf(1, 'second'));
    await until(() => expect(JSON.stringify(received)).toContain('second.1'));
    expect(JSON.stringify(received)).toContain('first.1');
    expect(sink.lostLines).toBe(1);
  });

  it('cuts a line of a file that is torn within a character, and no other', () => {
    const file = join(folder, 'log.jsonl');
    const whole = lineOf(1).text;
    writeFileSync(file, whole);
    appendFileSync(file, Buffer.from('{"€').subarray(0, 3));
    open(`file://${file}`);
    expect(readFileSync(file, 'utf8')).toBe(whole);
  });
});
