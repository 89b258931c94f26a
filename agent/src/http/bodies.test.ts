import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ServedAgent, serveAgent } from '../../testing/served-agent.js';

const MIB = 1024 * 1024;

let agent: ServedAgent;
beforeEach(async () => {
  agent = await serveAgent();
});
afterEach(() => agent.close());

const asking = (subject: string) =>
  `{"subject":{"type":"user","id":"${subject}"},"action":{"name":"read"},"resource":{"type":"invoice","name":"1"}}`;
/** A request as it is sent over the wire. */
const request = (head: string, headers: string, body: string) =>
  `${head}\r\nHost: a\r\nContent-Type: application/json\r\n${headers}\r\n${body}`;
const sized = (line: string, body: string, headers = '') =>
  request(line, `${headers}Content-Length: ${Buffer.byteLength(body)}\r\n`, body);
const POST = 'POST /v1/authorize HTTP/1.1';
const decide = (subject: string) => sized(POST, asking(subject));
const CHUNKED = request(POST, 'Transfer-Encoding: chunked\r\n', '');
const chunk = (piece: string) => `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`;
const chunks = (pieces: Iterable<string>, trailer = '') => [...[...pieces].map(chunk), `0\r\n${trailer}\r\n`];
const LAST = 'GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

/** Writes these pieces one after the other on a connection; returns what comes back until it ends. */
async function answersTo(pieces: readonly (string | Buffer)[]): Promise<string> {
  const socket = connect(agent.port, '127.0.0.1');
  const answers = text(socket);
  for (const piece of pieces) {
    socket.write(piece);
    // This is answered on another connection, once the server has seen this one, too.
    await fetch(`${agent.url}/healthz`);
  }
  return await answers;
}

const statuses = (answers: string) => [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
const subjects = () =>
  agent.decisions.flatMap((lines) => [...lines.matchAll(/"subject_id":"([^"]*)"/g)].map(([, id]) => id));

describe('bodies on a connection', () => {
  const body = asking('älice');
  const inTwo = Buffer.from(sized(POST, body));
  const midst = inTwo.indexOf('ä') + 1;

  // An agent without a bundle answers 503 once it has understood the request.
  it.each<[string, (string | Buffer)[], number[], string[]]>([
    ['pipelined', [decide('a') + decide('b') + decide('c') + LAST], [503, 503, 503, 200], ['a', 'b', 'c']],
    [
      'in two pieces, within a character',
      [inTwo.subarray(0, midst), inTwo.subarray(midst), LAST],
      [503, 200],
      ['älice'],
    ],
    ['byte by byte', [...decide('a'), LAST], [503, 200], ['a']],
    ['in chunks', [CHUNKED, ...chunks([body.slice(0, 9), body.slice(9)]), LAST], [503, 200], ['älice']],
    [
      'in a chunk for each character',
      [[CHUNKED, ...chunks(body), decide('b'), LAST].join('')],
      [503, 503, 200],
      ['älice', 'b'],
    ],
    [
      'with trailers, which count for nothing',
      [CHUNKED, ...chunks([body], 'Content-Encoding: gzip\r\n'), LAST],
      [503, 200],
      ['älice'],
    ],
    [
      'waited for',
      [request(POST, `Expect: 100-continue\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`, ''), body, LAST],
      [100, 503, 200],
      ['älice'],
    ],
    ['that are empty', [sized(POST, '') + LAST], [400, 200], ['']],
    ['that are not there', [request(POST, '', '') + LAST], [400, 200], ['']],
    [
      'over HTTP/1.0',
      [
        sized('POST /v1/authorize HTTP/1.0', asking('a'), 'Connection: keep-alive\r\n'),
        sized('POST /v1/authorize HTTP/1.0', asking('b')),
      ],
      [503, 503],
      ['a', 'b'],
    ],
    [
      'that nobody reads',
      [
        sized('POST /nowhere HTTP/1.1', 'x'.repeat(3 * MIB)) + decide('a'),
        sized('PUT /v1/authorize HTTP/1.1', 'x'.repeat(3 * MIB)) + decide('b'),
        sized('GET /healthz HTTP/1.1', 'x'.repeat(3 * MIB)) + decide('c') + LAST,
      ],
      [404, 503, 405, 503, 200, 503, 200],
      ['a', 'b', 'c'],
    ],
    ['that are too large', [sized(POST, 'x'.repeat(MIB + 1)) + decide('a') + LAST], [413, 503, 200], ['', 'a']],
    ['that are a byte too large to be read to their end', [sized(POST, 'x'.repeat(17 * MIB + 1))], [413], ['']],
    ['without end', [CHUNKED, chunk('x'.repeat(MIB)).repeat(17), chunk('x')], [413], ['']],
    ['behind one that is as large', [decide('a') + sized(POST, 'x'.repeat(17 * MIB + 1))], [503, 413], ['a', '']],
    [
      'with an offer to change the protocol',
      [sized(POST, body, 'Connection: Upgrade\r\nUpgrade: h2c\r\n'), LAST],
      [503, 200],
      ['älice'],
    ],
    ['whose chunks are broken', [CHUNKED, chunk(body), 'x\r\n', decide('b')], [400], []],
  ])('%s', async (_, pieces, expected, asked) => {
    expect(statuses(await answersTo(pieces))).toEqual(expected);
    expect(subjects()).toEqual(asked);
  });

  it.each(['end', 'resetAndDestroy'] as const)('that break off by %s are nobody’s question', async (how) => {
    const socket = connect(agent.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(decide('a').slice(0, -1));
    await fetch(`${agent.url}/healthz`);
    socket[how]();
    socket.resume();
    await once(socket, 'close');
    expect(await answersTo([decide('b') + LAST])).toMatch(/ 503 /);
    expect(subjects()).toEqual(['b']);
    expect(agent.logged).toEqual([]);
  });
});
