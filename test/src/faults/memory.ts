import { readFileSync } from 'node:fs';

/** The resident memory of a process in MiB; undefined where the system does not show it as Linux does. */
export function residentMib(pid: number | undefined): number | undefined {
  return memoryMib(pid, /^VmRSS:\s*(\d+) kB$/m);
}

/** The largest resident memory that the process ever had. */
export function peakMib(pid: number | undefined): number | undefined {
  return memoryMib(pid, /^VmHWM:\s*(\d+) kB$/m);
}

function memoryMib(pid: number | undefined, line: RegExp): number | undefined {
  try {
    const [, kib] = line.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kib === undefined ? undefined : Number(kib) / 1024;
  } catch {
    return undefined;
  }
}
