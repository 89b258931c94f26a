import { writeFileSync } from 'node:fs';

const HOUR_MS = 3_600_000;

/** The wall clock of a program that runs with `env`: it can be set wrong, and jumps when it is. */
export class WallClock {
  readonly env: Record<string, string>;
  #shiftMs = 0;

  constructor(private readonly file: string) {
    const loader = new URL('./shifted-clock.mjs', import.meta.url);
    this.env = { NODE_OPTIONS: `--import ${loader}`, SHIFTED_CLOCK: file };
    this.set(0);
  }

  /** By so many hours from the right time. */
  set(hours: number): void {
    this.#shiftMs = hours * HOUR_MS;
    writeFileSync(this.file, String(this.#shiftMs));
  }

  now(): number {
    return Date.now() + this.#shiftMs;
  }
}
