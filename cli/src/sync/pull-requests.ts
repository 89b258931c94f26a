import type { Logger } from 'pino';
import type { Forge, PullRequest } from './forges/forge.js';
import { ForgeError } from './forges/forge-api.js';
import { type Clone, Held, Unreachable } from './git/clone.js';
import type { StackCommands } from './stack-commands.js';

/** How often the open pull requests are asked for, where nobody says that one has changed. */
const EVERY_MS = 30_000;
const CONTEXT_SUFFIX = 'plan';

interface PullRequestsOptions {
  stack: string;
  branch: string;
  forge: Forge;
  clone: Clone;
  commands: StackCommands;
  log: Logger;
  now(): number;
}

/** Plans the pull requests onto the followed branch, and shows each its plan in one comment that is kept up to date. */
export class PullRequests {
  readonly #options: PullRequestsOptions;
  /** The tips that have been planned, by pull request. */
  readonly #planned = new Map<number, string>();
  #asked = Number.NEGATIVE_INFINITY;

  constructor(options: PullRequestsOptions) {
    this.#options = options;
  }

  /** Plans those whose tip is new. A failure is logged, and tried again; `isTold` says that something has changed. */
  async look(isTold: boolean, signal: AbortSignal): Promise<void> {
    const { branch, forge, log, now } = this.#options;
    if (!isTold && now() - this.#asked < EVERY_MS) return;
    this.#asked = now();
    try {
      const open = await forge.pullRequests(branch, signal);
      for (const number of this.#planned.keys())
        if (!open.some((pull) => pull.number === number)) this.#planned.delete(number);
      for (const pull of open) {
        if (this.#planned.get(pull.number) === pull.head) continue;
        await this.#plan(pull, signal);
        this.#planned.set(pull.number, pull.head);
      }
    } catch (error) {
      if (!(error instanceof ForgeError) && !(error instanceof Unreachable)) throw error;
      log.warn({ stack: this.#options.stack, error: error.message }, 'the pull requests could not be planned');
    }
  }

  async #plan({ number, head, ref }: PullRequest, signal: AbortSignal): Promise<void> {
    const { stack, forge, clone, commands, log } = this.#options;
    const context = `authz/${stack}/${CONTEXT_SUFFIX}`;
    const { markdown, holds } = await this.#comment(clone, commands, { ref, number }, signal);
    await forge.comment(number, { marker: `<!-- servicectl sync ${stack} -->`, text: markdown }, signal);
    await forge.setStatus(
      {
        commit: head,
        context,
        state: holds ? 'success' : 'failure',
        description: holds ? 'The plan is in the comment.' : 'The plan is refused: see the comment.',
      },
      signal,
    );
    log.info({ stack, pull_request: number, commit: head, holds }, 'pull request planned');
  }

  async #comment(
    clone: Clone,
    commands: StackCommands,
    { ref, number }: { ref: string; number: number },
    signal: AbortSignal,
  ): Promise<{ markdown: string; holds: boolean }> {
    try {
      await clone.checkOut(await clone.fetch(ref, `the pull request ${number}`, signal), signal);
      return await commands.comment();
    } catch (error) {
      if (!(error instanceof Held)) throw error;
      return { markdown: `**Cannot be planned.** ${error.message}\n`, holds: false };
    }
  }
}
