import { IncomingMessage } from 'node:http';
import { ProblemError } from '@authz-service/core/problem';

/** The largest request body that is read, in bytes. */
export const BODY_BYTES_MAX = 1024 * 1024;

/** How much of a refused body is still read, so that the caller gets to read the answer, before the connection ends. */
const REFUSED_BYTES_MAX = 16 * BODY_BYTES_MAX;

/** Takes a body that has come whole, or why it cannot be taken. */
type TakeBody = (body: Buffer | ProblemError) => void;

/**
 * A request whose body is handed over whole to whoever asks for it, as the parser pushes it. It then never ends as a
 * stream, and nobody reads it as one: that machinery would cost as much as the decision.
 */
export class AgentRequest extends IncomingMessage {
  #take: TakeBody | undefined;
  #takes = false;
  #first: Buffer | undefined;
  #rest: Buffer[] | undefined;
  #received = 0;

  /**
   * To be asked for in the turn in which the request comes. A caller that goes away gets neither body nor refusal. With a
   * callback, not a promise: every decision passes here.
   */
  readBody(take: TakeBody): void {
    this.#take = take;
    this.#takes = true;
  }

  /** Called by the parser, with null at the end; what it returns says whether there may be more. */
  override push(chunk: Buffer | null): boolean {
    if (!this.#takes) return super.push(chunk);
    if (chunk === null) {
      this.#hand(this.#body());
      return true;
    }
    this.#received += chunk.length;
    if (this.#received > BODY_BYTES_MAX) {
      this.#first = undefined;
      this.#rest = undefined;
      if (this.#received <= REFUSED_BYTES_MAX) return true;
      this.#hand(tooLarge());
      return false;
    }
    if (this.#first === undefined) {
      this.#first = chunk;
    } else {
      this.#rest ??= [];
      this.#rest.push(chunk);
    }
    return true;
  }

  /** Called by the server after the answer, to do away with a body that nobody has read. */
  override resume(): this {
    return this.#takes ? this : super.resume();
  }

  #hand(body: Buffer | ProblemError): void {
    this.#take?.(body);
    this.#take = undefined;
  }

  #body(): Buffer | ProblemError {
    const encoding = this.headers['content-encoding'];
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity') return encoded(encoding);
    if (this.#received > BODY_BYTES_MAX) return tooLarge();
    if (this.#first === undefined) return Buffer.alloc(0);
    return this.#rest === undefined ? this.#first : Buffer.concat([this.#first, ...this.#rest], this.#received);
  }
}

function encoded(encoding: string): ProblemError {
  return new ProblemError(
    'invalid_request',
    `The body is encoded as "${encoding.slice(0, 100)}": send it without a Content-Encoding.`,
  );
}

function tooLarge(): ProblemError {
  return new ProblemError(
    'payload_too_large',
    `The request body has more than ${BODY_BYTES_MAX} bytes: send less, or store properties with the records.`,
  );
}
