import { readFileSync, statSync } from 'node:fs';

/** Reads from the cloud's log how long its answers to the console took. */
export class ServerTimes {
  #read = 0;

  constructor(private readonly file: string) {
    this.#read = statSync(file).size;
  }

  /** Returns the times of the requests since it was asked last. */
  next(): number[] {
    const lines = readFileSync(this.file).subarray(this.#read).toString('utf8');
    this.#read += Buffer.byteLength(lines);
    return lines.split('\n').flatMap((line) => {
      // Decisions are asked for by POST; files of the page need no credential.
      if (!line.includes('"method":"GET"') || !line.includes('"credential"')) return [];
      const { ms, status, msg } = JSON.parse(line) as { ms: number; status: number; msg: string };
      // One that the page gave up has no answer.
      return msg !== 'request' || status === 499 ? [] : [ms];
    });
  }
}
