import { describe, expect, it } from 'vitest';
import { ReadWriteLock, reading } from './read-write-lock.js';

/** A lock, what happened under it in order, and readers that end when told. */
function bench() {
  const lock = new ReadWriteLock();
  const seen: string[] = [];
  const reader = (name: string) => {
    let end = (_error?: Error) => {};
    const done = lock.read(() => {
      seen.push(`${name} reads`);
      return new Promise<void>((resolve, reject) => {
        end = (error) => (error === undefined ? resolve() : reject(error));
      });
    });
    return { done, end: (error?: Error) => end(error) };
  };
  const write = (name: string) => lock.write(() => void seen.push(`${name} writes`));
  return { lock, seen, reader, write };
}

describe('a lock for readers and writers', () => {
  it('lets a change through at once while nobody reads', () => {
    const { seen, write } = bench();
    void write('a');
    expect(seen).toEqual(['a writes']);
  });

  it('lets readers run together, and a change wait for all of them, even those that fail', async () => {
    const { seen, reader, write } = bench();
    const [one, other] = [reader('one'), reader('other')];
    const written = write('a');
    one.end(new Error('failed'));
    await expect(one.done).rejects.toThrow('failed');
    expect(seen).toEqual(['one reads', 'other reads']);
    other.end();
    await written;
    expect(seen).toEqual(['one reads', 'other reads', 'a writes']);
  });

  it('holds readers back behind changes that wait, which go in order', async () => {
    const { seen, reader, write } = bench();
    const one = reader('one');
    const written = [write('a'), write('b')];
    const other = reader('other');
    one.end();
    await Promise.all(written);
    expect(seen).toEqual(['one reads', 'a writes', 'b writes', 'other reads']);
    other.end();
    await other.done;
  });

  it('says what a change throws, and goes on', async () => {
    const { lock, seen, write } = bench();
    const failing = () => {
      throw new Error('broken');
    };
    await expect(lock.write(failing)).rejects.toThrow('broken');
    await write('a');
    expect(seen).toEqual(['a writes']);
  });
});

it('what is replaced while a reader waits is read in its newest form', async () => {
  const made = (name: string) => ({ name, lock: new ReadWriteLock() });
  const first = made('first');
  let current = first;
  let end = () => {};
  const long = first.lock.read(() => new Promise<void>((resolve) => (end = resolve)));
  const written = first.lock.write(() => {});
  const waiting = reading(
    () => current,
    ({ lock }) => lock,
    async ({ name }) => name,
  );
  current = made('second');
  end();
  await Promise.all([long, written]);
  expect(await waiting).toBe('second');
});
