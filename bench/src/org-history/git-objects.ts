import { spawn } from 'node:child_process';

export interface TreeEntry {
  readonly name: string;
  readonly oid: string;
  readonly folder: boolean;
}

/** The objects of a clone, by one process of git that is asked for them by name. */
export class GitObjects {
  readonly #child;
  readonly #chunks: AsyncIterator<Buffer>;
  #rest = Buffer.alloc(0);

  constructor(folder: string) {
    this.#child = spawn('git', ['-C', folder, 'cat-file', '--batch'], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#chunks = this.#child.stdout[Symbol.asyncIterator]();
  }

  /** The content of an object; undefined if there is none of that name. */
  async read(name: string): Promise<Buffer | undefined> {
    this.#child.stdin.write(`${name}\n`);
    while (!this.#rest.includes('\n')) await this.#more();
    const end = this.#rest.indexOf('\n');
    const header = this.#rest.subarray(0, end).toString();
    this.#rest = this.#rest.subarray(end + 1);
    if (header.endsWith(' missing')) return undefined;
    const size = Number(header.slice(header.lastIndexOf(' ') + 1));
    while (this.#rest.length < size + 1) await this.#more();
    const content = this.#rest.subarray(0, size);
    this.#rest = this.#rest.subarray(size + 1);
    return content;
  }

  async tree(name: string): Promise<readonly TreeEntry[] | undefined> {
    const content = await this.read(name);
    if (content === undefined) return undefined;
    const entries: TreeEntry[] = [];
    for (let at = 0; at < content.length; ) {
      const zero = content.indexOf(0, at);
      const [mode = '', entry = ''] = content.subarray(at, zero).toString().split(' ');
      at = zero + 21;
      entries.push({ name: entry, oid: content.subarray(zero + 1, at).toString('hex'), folder: mode === '40000' });
    }
    return entries;
  }

  close(): void {
    this.#child.stdin.end();
  }

  async #more(): Promise<void> {
    const { value, done } = await this.#chunks.next();
    if (done) throw new Error('git cat-file ended: is the folder a clone?');
    this.#rest = Buffer.concat([this.#rest, value]);
  }
}
