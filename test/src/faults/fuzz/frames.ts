import type { Random } from '../random.js';

/** The parts of a sound request, to be broken. */
interface Sound {
  path: string;
  headers: string[];
  body: string;
}

type Frame = (sound: Sound, random: Random) => string;

const CRLF = '\r\n';

function framed(start: string, headers: readonly string[], body = ''): string {
  return [start, ...headers, '', body].join(CRLF);
}

const post = ({ path, headers }: Sound, more: readonly string[], body: string, start = `POST ${path} HTTP/1.1`) =>
  framed(start, ['Host: a', 'Content-Type: application/json', ...headers, ...more], body);
const whole = (sound: Sound, more: readonly string[] = []) =>
  post(sound, [`Content-Length: ${sound.body.length}`, ...more], sound.body);
const length = ({ body }: Sound) => `Content-Length: ${body.length}`;
const chunk = (text: string) => `${text.length.toString(16)}${CRLF}${text}${CRLF}`;
const chunked = (sound: Sound, body: string) => post(sound, ['Transfer-Encoding: chunked'], body);

/** Requests whose framing is unsound, odd, or cut off. None is an HTTP request that may be taken for another one. */
export const FRAMES: { [behaviour: string]: Frame } = {
  'bytes of no meaning': (_, random) =>
    Buffer.from(Array.from({ length: 1 + random.below(400) }, () => random.below(256))).toString('latin1'),
  'a TLS greeting': () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'an HTTP/2 preface': () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'no version': (sound) => post(sound, [length(sound)], sound.body, `POST ${sound.path}`),
  'an unknown version': (sound) => post(sound, [length(sound)], sound.body, `POST ${sound.path} HTTP/9.9`),
  'an unknown method': (sound) => post(sound, [length(sound)], sound.body, `BREW ${sound.path} HTTP/1.1`),
  'a method in lower case': (sound) => post(sound, [length(sound)], sound.body, `post ${sound.path} HTTP/1.1`),
  'a CONNECT': (sound) => post(sound, [], '', 'CONNECT a:443 HTTP/1.1'),
  'an asterisk for a path': (sound) => post(sound, [], '', 'OPTIONS * HTTP/1.1'),
  'an absolute URL': (sound) =>
    post(sound, [length(sound)], sound.body, `POST http://evil.example${sound.path} HTTP/1.1`),
  'spaces in the path': (sound) => post(sound, [], '', `GET ${sound.path} x y HTTP/1.1`),
  'a path of 100,000 characters': () => framed(`GET /${'a'.repeat(100_000)} HTTP/1.1`, ['Host: a']),
  'no host': ({ path }) => framed(`GET ${path} HTTP/1.1`, []),
  'two hosts': (sound) => whole(sound, ['Host: b']),
  'a header without a colon': (sound) => whole(sound, ['Nonsense']),
  'a space before the colon': (sound) => whole(sound, ['X-A : b']),
  'NUL in a header': (sound) => whole(sound, ['X-A: a\0b']),
  'a folded header': (sound) => whole(sound, ['X-A: a', ' b']),
  'a header of 20,000 characters': (sound) => whole(sound, [`X-A: ${'a'.repeat(20_000)}`]),
  '3,000 headers': (sound) =>
    whole(
      sound,
      Array.from({ length: 3_000 }, (_, index) => `A${index}: b`),
    ),
  'bare line feeds': (sound) => whole(sound).replaceAll(CRLF, '\n'),
  'two lengths': (sound) => whole(sound, ['Content-Length: 3']),
  'a negative length': (sound) => post(sound, ['Content-Length: -5'], sound.body),
  'a length that is no number': (sound) => post(sound, ['Content-Length: 0x10'], sound.body),
  'a length beyond all numbers': (sound) => post(sound, ['Content-Length: 99999999999999999999'], sound.body),
  'a length beyond what comes': (sound) => post(sound, [`Content-Length: ${sound.body.length + 50}`], sound.body),
  'a length below what comes': (sound) => post(sound, ['Content-Length: 5'], sound.body),
  'no length': (sound) => post(sound, [], sound.body),
  'length and chunks': (sound) => whole(sound, ['Transfer-Encoding: chunked']),
  'an unknown transfer encoding': (sound) => whole(sound, ['Transfer-Encoding: xchunked']),
  'chunks encoded twice': (sound) => post(sound, ['Transfer-Encoding: gzip, chunked'], chunk(sound.body)),
  'a chunk whose size is no number': (sound) => chunked(sound, `zz${CRLF}${sound.body}${CRLF}0${CRLF}${CRLF}`),
  'a chunk of a size beyond all numbers': (sound) => chunked(sound, `ffffffffffffffffff${CRLF}${sound.body}`),
  'a chunk larger than it says': (sound) => chunked(sound, `3${CRLF}${sound.body}${CRLF}0${CRLF}${CRLF}`),
  'chunks without an end': (sound) => chunked(sound, chunk(sound.body)),
  'chunks of one byte': (sound) => chunked(sound, `${[...sound.body].map(chunk).join('')}0${CRLF}${CRLF}`),
  'chunks with trailers': (sound) =>
    chunked(sound, `${chunk(sound.body)}0${CRLF}Authorization: Bearer x${CRLF}X-Request-ID: y${CRLF}${CRLF}`),
  'a chunk with a long extension': (sound) =>
    chunked(sound, `5;${'a'.repeat(20_000)}${CRLF}hello${CRLF}0${CRLF}${CRLF}`),
  'an expectation': (sound) => whole(sound, ['Expect: 100-continue']),
  'an unknown expectation': (sound) => whole(sound, ['Expect: the-unexpected']),
  'an upgrade': (sound) => whole(sound, ['Connection: Upgrade', 'Upgrade: websocket']),
  'a request cut off': (sound, random) => whole(sound).slice(0, random.below(whole(sound).length)),
  'requests in a row, the last one cut off': (sound, random) =>
    `${whole(sound).repeat(3)}${whole(sound).slice(0, random.below(whole(sound).length))}`,
  'requests in a row, one broken': (sound) =>
    `${whole(sound)}${whole({ ...sound, body: '{' })}${whole(sound, ['Nonsense'])}${whole(sound)}`,
  'a request in the body of another': (sound) => whole({ ...sound, body: whole(sound) }),
};
