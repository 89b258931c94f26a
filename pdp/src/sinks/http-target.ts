import { post, type Receiver } from './post.js';
import type { Target } from './target.js';

/** Posts JSON lines (`application/x-ndjson`), compressed by gzip. */
export class HttpTarget implements Target {
  constructor(private readonly receiver: Receiver) {}

  async send(lines: readonly string[], stop: AbortSignal): Promise<void> {
    await post(this.receiver, 'application/x-ndjson', lines.map((line) => `${line}\n`).join(''), stop);
  }
}
