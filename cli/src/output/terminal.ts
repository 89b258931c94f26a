import { styleText } from 'node:util';
import { printable } from './text.js';

/** Paints text for a terminal: `style('bold', text)`. Without colour it returns the text unchanged. */
export type Style = (format: Parameters<typeof styleText>[0], text: string) => string;

export function style(colour: boolean): Style {
  return colour ? (format, text) => styleText(format, text, { validateStream: false }) : (_, text) => text;
}

type Output = Pick<NodeJS.WriteStream, 'write'> & { isTTY?: boolean; columns?: number };

/** One of the two streams that a command writes to. */
export class Terminal {
  readonly interactive: boolean;
  /** Whether a line can be erased and written again. */
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

  /** The width in columns; infinite without a terminal. */
  get columns(): number {
    return this.interactive ? (this.stream.columns ?? 80) : Number.POSITIVE_INFINITY;
  }

  /** Writes text and a line end, and waits until it has left: a large result must not pile up in memory. */
  line(text: string): Promise<void> {
    return this.raw(`${text}\n`);
  }

  /** Writes a warning, whose text may hold names from anywhere. */
  warning(text: string): Promise<void> {
    return this.line(`${this.style('yellow', 'warning:')} ${printable(text)}`);
  }

  raw(text: string): Promise<void> {
    return new Promise((resolve) => {
      this.stream.write(text, () => resolve());
    });
  }
}

/** Only for a command's result. */
export const out = new Terminal(process.stdout, process.env);
/** For progress, warnings, questions and faults. */
export const err = new Terminal(process.stderr, process.env);
