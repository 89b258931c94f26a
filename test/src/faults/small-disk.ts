import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system of its own, small enough to be filled: full and read-only mean it, also for root. */
export class SmallDisk {
  readonly dir = mkdtempSync(join(tmpdir(), 'small-disk-'));

  constructor(mib: number) {
    if (mount('-t', 'tmpfs', '-o', `size=${mib}m`, 'tmpfs', this.dir)) return;
    rmdirSync(this.dir);
    throw new Error('this process may not mount file systems');
  }

  /** Fills the disk to the last byte. */
  fill(): void {
    const file = openSync(this.#filler, 'w');
    try {
      for (let size = 1 << 20; size > 0; ) {
        try {
          if (writeSync(file, Buffer.alloc(size)) < size) size >>= 1;
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
          size >>= 1;
        }
      }
    } finally {
      closeSync(file);
    }
  }

  free(): void {
    rmSync(this.#filler);
  }

  readOnly(on: boolean): void {
    if (!mount('-o', `remount,${on ? 'ro' : 'rw'}`, this.dir)) throw new Error(`${this.dir} cannot be mounted again`);
  }

  /** As `readOnly`, for what is opened from now on: a file system is not made read-only under files open for writing. */
  coverReadOnly(on: boolean): void {
    const done = on
      ? mount('--bind', this.dir, this.dir) && mount('-o', 'remount,bind,ro', this.dir)
      : spawnSync('umount', [this.dir]).status === 0;
    if (!done) throw new Error(`${this.dir} cannot be covered`);
  }

  remove(): void {
    spawnSync('umount', ['--lazy', this.dir]);
    rmdirSync(this.dir);
  }

  get #filler(): string {
    return join(this.dir, 'filler');
  }
}

function mount(...args: string[]): boolean {
  return spawnSync('mount', args).status === 0;
}

/** Whether there can be small disks here: it takes the right to mount. */
export function haveSmallDisks(): boolean {
  try {
    new SmallDisk(1).remove();
    return true;
  } catch (error) {
    console.warn(`SKIPPED: no disk is filled, since ${(error as Error).message} (run as root on Linux)`);
    return false;
  }
}
