import { INTERRUPTED_EXIT_CODE, isInterruption } from '../interruption.js';
import { err, out } from '../output/terminal.js';
import type { Caller } from './failure.js';

/**
 * Reports an error, in one place for all commands, and ends the process: with 1, or with 130 after Ctrl-C. What is posted as
 * a comment says so there, too.
 */
export async function fail(error: unknown, caller: Caller, form: 'text' | 'json' | 'markdown'): Promise<never> {
  if (process.env.SERVICE_DEBUG)
    await err.line(error instanceof Error ? (error.stack ?? error.message) : String(error));
  const { failureOf, renderFailure } = await import('./failure.js');
  const failure = failureOf(error, caller);
  if (form === 'markdown') await out.line((await import('./failure-markdown.js')).failureMarkdown(failure));
  if (form === 'json') await out.line(JSON.stringify({ error: failure }, undefined, out.interactive ? 2 : undefined));
  else await err.line(renderFailure(failure, err.style));
  // Other running work must not keep the process alive, for example a request that nobody waits for.
  process.exit(isInterruption(error) ? INTERRUPTED_EXIT_CODE : 1);
}
