import { execFileSync } from 'node:child_process';
import { script } from './processes.js';

/**
 * Runs a script of the bench in a process of its own, so that nothing else is on its heap or profile, and reads the JSON
 * that it prints.
 */
export function apart(name: string, flags: readonly string[] = [], words: readonly string[] = []): unknown {
  const output = execFileSync(process.execPath, [...flags, '--max-old-space-size=12000', script(name), ...words], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(output);
}
