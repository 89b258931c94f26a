import { createReadStream } from 'node:fs';

/** Many times what a request may be. Of a longer line the rest is not read, so that no file fills the memory. */
const LINE_CHARACTERS_MAX = 16 * 1024 * 1024;

/** The lines of a file, or of standard input for "-". Errors name the file. */
export async function* linesOf(file: string, max = LINE_CHARACTERS_MAX): AsyncGenerator<string> {
  const input = file === '-' ? process.stdin : createReadStream(file);
  input.setEncoding('utf8');
  let line = '';
  try {
    for await (const chunk of input as AsyncIterable<string>) {
      const [first = '', ...others] = chunk.split('\n');
      line += first.slice(0, max - line.length);
      for (const next of others) {
        yield withoutReturn(line);
        line = next.slice(0, max);
      }
    }
  } catch (error) {
    throw Object.assign(error as NodeJS.ErrnoException, { path: file });
  }
  if (line !== '') yield withoutReturn(line);
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
