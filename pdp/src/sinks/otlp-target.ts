import type { LogOrigin } from './log-origin.js';
import { post, type Receiver } from './post.js';
import { RefusedLines, type Target } from './target.js';

/** Posts log records of OpenTelemetry (OTLP over HTTP, JSON). Its library is loaded with the first of them. */
export class OtlpTarget implements Target {
  constructor(
    private readonly receiver: Receiver,
    private readonly origin: LogOrigin,
  ) {}

  async send(lines: readonly string[], stop: AbortSignal): Promise<void> {
    const { otlpRequest } = await import('./otlp-request.js');
    const answer = await post(this.receiver, 'application/json', otlpRequest(lines, this.origin), stop);
    if (rejectedIn(answer) > 0) throw new RefusedLines('the receiver rejects log records');
  }
}

/** How many records a receiver says that it did not keep and wants no more. */
function rejectedIn(answer: string): number {
  try {
    return Number(JSON.parse(answer).partialSuccess?.rejectedLogRecords ?? 0) || 0;
  } catch {
    return 0;
  }
}
