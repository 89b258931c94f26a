import { ServiceError } from './service-error.js';

/**
 * `NUMBER.DIGEST`, and `.EPOCH-ID` where the service has declared an epoch: whatever its number, a revision of a later epoch is
 * newer. What else follows the number is the service's affair.
 */
const TOKEN = /^(\d{1,15})\.(?=.{1,100}$)[0-9a-z.-]*?(?:\.(\d{1,15})-[0-9a-f]{8})?$/;

/**
 * The newest revision of its tenant that a client has seen in answers, or was told of. Requests carry it along, so that
 * none is answered from before it. A decision point that names no revisions is never sent one.
 */
export class NewestRevision {
  #epoch = 0;
  #number = -1;
  #token: string | undefined;

  get token(): string | undefined {
    return this.#token;
  }

  /** Takes over a revision that is newer. Among two of one number the later heard of counts: the other one is lost. */
  saw(token: string | null): void {
    const [, number, epoch = 0] = TOKEN.exec(token ?? '') ?? [];
    if (token === null || number === undefined) return;
    const order = Number(epoch) - this.#epoch;
    if (order < 0 || (order === 0 && Number(number) < this.#number)) return;
    this.#epoch = Number(epoch);
    this.#number = Number(number);
    this.#token = token;
  }

  /** The same for a revision that the caller names. Throws `invalid_request` for anything else. */
  told(token: string): void {
    if (!TOKEN.test(token))
      throw new ServiceError(
        'invalid_request',
        `"${token.slice(0, 100)}" is no revision: give one as answers name it, like "42.9f86d081884c7d65".`,
      );
    this.saw(token);
  }

  /**
   * Whether a request that carried this revision was refused for it. The tenant never had it, or lost it when its
   * database was set back: then it is forgotten, and the request may go again without.
   */
  isRefused(token: string, { code, status, detail }: ServiceError): boolean {
    if (code !== 'unknown_revision' && !(status === 400 && detail.includes('Service-Min-Revision'))) return false;
    if (this.#token === token) {
      this.#token = undefined;
      this.#epoch = 0;
      this.#number = -1;
    }
    return true;
  }
}
