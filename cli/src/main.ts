import { run as runCommand } from '@oclif/core/run';
import { settings } from '@oclif/core/settings';
import { fail } from './errors/fail.js';
import { wantsJson } from './output/wants-json.js';

/** The program `servicectl`: oclif finds the command and runs it, or shows help. */
export async function run(argv: readonly string[] = process.argv.slice(2)): Promise<void> {
  tameBrokenPipes();
  // The built files run, whatever NODE_ENV says.
  settings.enableAutoTranspile = false;
  try {
    await runCommand([...argv], import.meta.url);
  } catch (error) {
    await fail(error, { flags: [] }, wantsJson(argv) ? 'json' : 'text');
  }
}

/** A reader such as `head` may close the pipe early: that is not an error, and running work still finishes. */
function tameBrokenPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
