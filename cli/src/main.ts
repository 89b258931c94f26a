import { run as runCommand } from '@oclif/core/run';
import { settings } from '@oclif/core/settings';
import { fail } from './errors/fail.js';
import { wantsJson } from './output/wants-json.js';

/** The program `service`: oclif finds the command and runs it, or shows help. */
export async function run(argv: readonly string[] = process.argv.slice(2)): Promise<void> {
  tameBrokenPipes();
  // Whatever NODE_ENV says, what runs is what was built.
  settings.enableAutoTranspile = false;
  try {
    await runCommand([...argv], import.meta.url);
  } catch (error) {
    await fail(error, { flags: [] }, wantsJson(argv));
  }
}

/** A reader such as `head` may close the pipe early: that is no fault, and what is under way still finishes. */
function tameBrokenPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
