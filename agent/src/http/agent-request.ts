import { IncomingMessage } from 'node:http';
import { ProblemError } from '@authz-service/core/problem';
import { BodyBytes, MIB, tooLarge } from '@authz-service/core/wire/body-bytes';

/** The largest request body that is read, in bytes. */
const BODY_BYTES_MAX = MIB;

/** How much of a refused body is still read before the answer, so that the connection can carry another request. */
const REFUSED_BYTES_MAX = 16 * BODY_BYTES_MAX;

/** Takes a body that has come whole, or why it cannot be taken. */
type TakeBody = (body: Buffer | ProblemError) => void;

const TAKEN: TakeBody = () => {};

/**
 * A request whose body is handed over whole to whoever asks for it, as the parser pushes it. It then never ends as a
 * stream, and nobody reads it as one: that machinery would cost as much as the decision.
 */
export class AgentRequest extends IncomingMessage {
  #take: TakeBody | undefined;
  readonly #body = new BodyBytes(BODY_BYTES_MAX);

  /**
   * To be asked for in the turn in which the request comes. A caller that goes away gets neither body nor refusal. With a
   * callback, not a promise: every decision passes here.
   */
  readBody(take: TakeBody): void {
    this.#take = take;
  }

  /** Called by the parser, with null at the end; what it returns says whether there may be more. */
  override push(chunk: Buffer | null): boolean {
    if (this.#take === undefined) return super.push(chunk);
    if (chunk === null) {
      this.#hand(this.#whole());
      return true;
    }
    this.#body.add(chunk);
    if (this.#take !== TAKEN && this.#body.size > REFUSED_BYTES_MAX) this.#hand(tooLarge(BODY_BYTES_MAX));
    return true;
  }

  /** Called by the server after the answer, to do away with a body that nobody has read. */
  override resume(): this {
    return this.#take === undefined ? super.resume() : this;
  }

  #hand(body: Buffer | ProblemError): void {
    const take = this.#take ?? TAKEN;
    this.#take = TAKEN;
    take(body);
  }

  /** Not kept here: between two requests on a connection, Node holds on to the first. */
  #whole(): Buffer | ProblemError {
    const body = this.#body.take();
    const encoding = this.headers['content-encoding'];
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity') return encoded(encoding);
    return this.#body.size > BODY_BYTES_MAX ? tooLarge(BODY_BYTES_MAX) : body;
  }
}

function encoded(encoding: string): ProblemError {
  return new ProblemError(
    'invalid_request',
    `The body is encoded as "${encoding.slice(0, 100)}": send it without a Content-Encoding.`,
  );
}
