import { Buffer } from 'node:buffer';

/**
 * A buffer of zeros in memory that V8 takes for shared, and does not count. Much of what it counts makes it collect
 * garbage, and while it does, whoever allocates next, be it to read a request, has to collect for some milliseconds.
 */
export function uncountedBuffer(bytes: number): Buffer {
  return Buffer.from(new SharedArrayBuffer(bytes));
}
