import { createRequire } from 'node:module';
import type { LoadOptions } from '@oclif/core/interfaces';
import { run as runCommand } from '@oclif/core/run';
import { settings } from '@oclif/core/settings';
import { fail } from './errors/fail.js';
import { out } from './output/terminal.js';
import { wantsJson } from './output/wants-json.js';

/** The program `servicectl`: oclif finds the command and runs it, or shows help. A single executable brings its own commands. */
export async function run(
  argv: readonly string[] = process.argv.slice(2),
  options: LoadOptions = import.meta.url,
): Promise<void> {
  tameBrokenPipes();
  // The built files run, whatever NODE_ENV says.
  settings.enableAutoTranspile = false;
  try {
    if (argv[0] === '--version' || argv[0] === '-V') await out.line(fullVersion());
    else await runCommand([...argv], options);
  } catch (error) {
    await fail(error, { flags: [] }, wantsJson(argv) ? 'json' : 'text');
  }
}

/** Version, commit and platform: `servicectl 0.1.0 (8cffc376a1b2) linux-x64 node-v20.20.2`. */
function fullVersion(): string {
  const require = createRequire(import.meta.url);
  const { version } = require('../package.json') as { version: string };
  // The build writes it, and names no commit where it knows none.
  const { commit } = require('./commit.json') as { commit?: string };
  const built = commit === undefined ? '' : ` (${commit})`;
  return `servicectl ${version}${built} ${process.platform}-${process.arch} node-${process.version}`;
}

/** A reader such as `head` may close the pipe early: that is not an error, and running work still finishes. */
function tameBrokenPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
