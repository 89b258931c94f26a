import { PassThrough } from 'node:stream';
import { Terminal } from '../src/output/terminal.js';

/** A terminal that records what is written to it. */
export function capturedTerminal(): { terminal: Terminal; text(): string } {
  const stream = new PassThrough();
  let text = '';
  stream.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return { terminal: new Terminal(stream, {}), text: () => text };
}
