import type { Logger } from 'pino';
import type { RevocationLog } from '../revocations/revocation-log.js';
import type { Store, Writability } from '../store/store.js';

/** A disk that does not answer must not delay callers who ask for the health. */
const ANSWER_MS = 500;

/** Clocks are corrected by fractions of a second all the time. */
const BEHIND_SECONDS_MIN = 1;

/** Problems that do not stop decisions. The log says when they begin and when they end. */
export class Health {
  #last: Writability = { writable: true };
  #checking: Promise<Writability> | undefined;
  #behind = false;

  constructor(
    private readonly store: Pick<Store, 'writability'>,
    private readonly tenants: { readonly committedAt: number },
    private readonly now: () => number,
    private readonly log: Logger,
    private readonly revocations?: Pick<RevocationLog, 'assertWritable' | 'reason'>,
  ) {}

  /** Whether changes can be stored; if the disk takes long to answer, the previous result. */
  async writability(): Promise<Writability> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
    });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ANSWER_MS);
    });
    await Promise.race([this.#checking, late]);
    clearTimeout(timer);
    return this.#last;
  }

  /** The number of seconds by which the clock is behind the newest commit; 0 if it is not. */
  clockBehindSeconds(): number {
    const seconds = Math.max(0, this.tenants.committedAt - this.now()) / 1000;
    const behind = seconds >= BEHIND_SECONDS_MIN;
    if (behind && !this.#behind) {
      this.log.warn(
        { clock_behind_seconds: seconds },
        'the clock is behind the newest commit: until it has caught up, commits are recorded at the time of the previous one; correct the clock',
      );
    }
    if (!behind && this.#behind) this.log.info('the clock has caught up with the newest commit');
    this.#behind = behind;
    return behind ? seconds : 0;
  }

  /** Credentials cannot be changed without the revocation log: all else can, but nobody would look any further. */
  async #writability(): Promise<Writability> {
    const found = await this.store.writability();
    if (!found.writable || this.revocations?.reason === undefined) return found;
    await this.revocations.assertWritable().catch(() => undefined);
    const { reason } = this.revocations;
    return reason === undefined ? found : { writable: false, reason };
  }

  async #check(): Promise<Writability> {
    const found = await this.#writability();
    if (!found.writable && this.#last.writable) this.log.error({ reason: found.reason }, 'changes cannot be stored');
    if (found.writable && !this.#last.writable) this.log.info('changes can be stored again');
    this.#last = found;
    return found;
  }
}
