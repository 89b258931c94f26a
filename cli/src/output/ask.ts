import { createInterface } from 'node:readline/promises';
import { interrupt, interruption } from '../interruption.js';

/** Whether there is a person to ask. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Asks on stderr and reads one line; Ctrl-D is an empty answer, and Ctrl-C interrupts the command. */
export async function ask(question: string): Promise<string> {
  const { signal } = interruption;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // The terminal is in raw mode while a line is edited, so Ctrl-C arrives as a key and not as a signal.
  terminal.on('SIGINT', interrupt);
  const ended = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
  try {
    return await Promise.race([terminal.question(question, { signal }), ended]);
  } finally {
    terminal.close();
  }
}
