import { setTimeout as passed } from 'node:timers/promises';
import { durationMs } from '@authz-service/core/values/duration';

export type StopSignal = 'SIGTERM' | 'SIGINT';

/** Signals that would otherwise end the process or open a debugger. */
const IGNORED = ['SIGHUP', 'SIGUSR1'] as const;

/** The exit codes of shells for a process that a signal ended. */
const EXIT_CODES: Record<StopSignal, number> = { SIGINT: 130, SIGTERM: 143 };

const DRAIN_MS_MAX = 600_000;

/**
 * Resolves with the first signal that asks this process to stop. A second one ends it at once, explicitly: as the first
 * process of a container it would otherwise survive.
 */
export function stopSignal(): Promise<StopSignal> {
  for (const ignored of IGNORED) process.on(ignored, () => {});
  return new Promise((resolve) => {
    let isStopping = false;
    const stop = (signal: StopSignal) => {
      if (isStopping) process.exit(EXIT_CODES[signal]);
      isStopping = true;
      resolve(signal);
    };
    process.on('SIGTERM', stop).on('SIGINT', stop);
  });
}

/**
 * Leaves load balancers the time to see that this process is no longer ready. Nobody balances what is stopped by Ctrl-C
 * at a terminal.
 */
export async function drained(signal: StopSignal, drainMs: number, begin: () => void): Promise<void> {
  if (signal !== 'SIGTERM' || drainMs === 0) return;
  begin();
  await passed(drainMs);
}

/** The setting `SERVICE_DRAIN_TIME` of cloud and agent. */
export const DRAIN_TIME = {
  default: '5s',
  expected: 'a duration from 0s to 10m like "5s"',
  /** Milliseconds; undefined if the text is not such a duration. */
  read(text: string): number | undefined {
    const ms = durationMs(text);
    return ms !== undefined && ms <= DRAIN_MS_MAX ? ms : undefined;
  },
};

/** The reason that `/readyz` gives meanwhile. */
export const DRAINING = 'It was told to stop and will close its port: send new requests elsewhere.';
