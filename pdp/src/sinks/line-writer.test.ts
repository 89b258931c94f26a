import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { LineWriter } from './line-writer.js';

/** A stream that holds back what it is given until it is told to continue. */
function heldStream() {
  const written: string[] = [];
  let release: (() => void) | undefined;
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk));
      release = done;
    },
  });
  return { stream, written, release: () => release?.() };
}

describe('LineWriter', () => {
  it('takes nothing that exceeds the bound while nobody reads, and takes lines again afterwards', () => {
    const { stream, written, release } = heldStream();
    const writer = new LineWriter(stream, 12);
    expect(['12345\n', '67890\n', 'x\n', 'y\n'].map((line) => writer.write(line))).toEqual([true, true, false, false]);
    release();
    release();
    expect(writer.write('z\n')).toBe(true);
    expect(written).toEqual(['12345\n', '67890\n', 'z\n']);
  });

  it('survives a reader that has gone', () => {
    const stream = new Writable({
      write(_chunk, _encoding, done) {
        done(new Error('EPIPE'));
      },
    });
    const writer = new LineWriter(stream);
    writer.write('1\n');
    return new Promise<void>((resolve) => {
      stream.on('error', () => {
        expect(writer.write('2\n')).toBe(false);
        resolve();
      });
    });
  });

  it('waits for the reader, but not for ever', async () => {
    const { stream } = heldStream();
    const writer = new LineWriter(stream);
    writer.write('1\n');
    await writer.drained(1);

    const quick: string[] = [];
    const read = new LineWriter(
      new Writable({
        write(chunk, _encoding, done) {
          quick.push(String(chunk));
          setImmediate(done);
        },
      }),
    );
    read.write('1\n');
    read.write('2\n');
    await read.drained(60_000);
    expect(quick.join('')).toBe('1\n2\n');
  });
});
