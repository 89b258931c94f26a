import { isMap, Moment, Span, TypeName, type Value } from './value.js';

/** A value as JSON, cut off after about so many characters; however large the value, it costs no more than they do. */
export function valueText(value: Value, max: number): string {
  const written = new Writer(max);
  written.value(value);
  const text = written.parts.join('');
  return text.length <= max ? text : `${text.slice(0, max).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

class Writer {
  readonly parts: string[] = [];
  #left: number;

  constructor(max: number) {
    // One more than is shown tells that there is more.
    this.#left = max + 1;
  }

  value(value: Value): void {
    if (value instanceof Moment) this.#put(JSON.stringify(new Date(value.ms).toISOString()));
    else if (value instanceof Span) this.#put(JSON.stringify(`${value.ms / 1000}s`));
    else if (value instanceof TypeName) this.#put(value.name);
    else if (typeof value === 'string') this.#put(JSON.stringify(value.slice(0, this.#left)));
    else if (Array.isArray(value)) this.#all('[', value, ']', (item) => this.value(item));
    else if (typeof value === 'object' && value !== null && isMap(value)) {
      this.#all('{', membersOf(value), '}', ([name, member]) => {
        this.#put(`${JSON.stringify(name.slice(0, this.#left))}:`);
        this.value(member);
      });
    } else this.#put(String(value));
  }

  #all<T>(open: string, items: Iterable<T>, close: string, write: (item: T) => void): void {
    this.#put(open);
    let first = true;
    for (const item of items) {
      if (this.#left <= 0) return;
      if (!first) this.#put(',');
      first = false;
      write(item);
    }
    this.#put(close);
  }

  #put(text: string): void {
    if (this.#left <= 0) return;
    this.parts.push(text);
    this.#left -= text.length;
  }
}

/** The members one by one, so that those of a large map need not all be listed. */
function* membersOf(map: { readonly [key: string]: Value }): Generator<[string, Value]> {
  for (const name in map) if (Object.hasOwn(map, name)) yield [name, map[name] as Value];
}
