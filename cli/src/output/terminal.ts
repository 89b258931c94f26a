import { styleText } from 'node:util';

/** Paints text for a terminal: `style('bold', text)`. Without colour it gives the text back. */
export type Style = (format: Parameters<typeof styleText>[0], text: string) => string;

export function style(colour: boolean): Style {
  return colour ? (format, text) => styleText(format, text, { validateStream: false }) : (_, text) => text;
}

type Output = Pick<NodeJS.WriteStream, 'write'> & { isTTY?: boolean; columns?: number };

/** One of the two streams a command writes to. */
export class Terminal {
  readonly interactive: boolean;
  /** Whether a line can be erased and written anew. */
  readonly erasable: boolean;
  readonly style: Style;

  constructor(
    private readonly stream: Output,
    environment: Record<string, string | undefined>,
  ) {
    this.interactive = stream.isTTY === true;
    this.erasable = this.interactive && environment.TERM !== 'dumb';
    // https://no-color.org: any value that is not empty turns colour off.
    this.style = style(this.erasable && !environment.NO_COLOR);
  }

  /** The width in columns; without a terminal nothing limits it. */
  get columns(): number {
    return this.interactive ? (this.stream.columns ?? 80) : Number.POSITIVE_INFINITY;
  }

  /** Writes text and a line's end, and waits until it has left: a big result must not pile up in memory. */
  line(text: string): Promise<void> {
    return this.raw(`${text}\n`);
  }

  raw(text: string): Promise<void> {
    return new Promise((resolve) => {
      this.stream.write(text, () => resolve());
    });
  }
}

/** Where a command's result goes, and nothing else. */
export const out = new Terminal(process.stdout, process.env);
/** Where progress, warnings, questions and faults go. */
export const err = new Terminal(process.stderr, process.env);
