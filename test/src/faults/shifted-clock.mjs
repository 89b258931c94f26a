/**
 * Loaded into a program with `--import`, it shifts the wall clock by the milliseconds that the file of SHIFTED_CLOCK
 * holds at each moment. Timers and ages run by the monotonic clock, as they do when the clock of a machine is set.
 */
import { readFileSync } from 'node:fs';

const RealDate = Date;
const now = () => RealDate.now() + Number(readFileSync(process.env.SHIFTED_CLOCK, 'utf8'));

globalThis.Date = class ShiftedDate extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(now());
    else super(...args);
  }

  static now() {
    return now();
  }
};
