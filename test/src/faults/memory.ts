import { readFileSync } from 'node:fs';

/** The resident memory of a process in MiB; undefined where the system does not show it as Linux does. */
export function residentMib(pid: number | undefined): number | undefined {
  try {
    const [, kib] = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kib === undefined ? undefined : Number(kib) / 1024;
  } catch {
    return undefined;
  }
}
