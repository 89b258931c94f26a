import { describe, expect, it } from 'vitest';
import { FairQueue } from './fair-queue.js';

/** A queue whose first piece of work runs until `open` is called, and the order in which work was done. */
function held(waitingMax: number) {
  const queue = new FairQueue(waitingMax, 'pieces wait');
  const done: string[] = [];
  const outcomes: Promise<string>[] = [];
  let open = () => {};
  const first = queue.run('first', () => new Promise<void>((resolve) => (open = resolve)));
  const add = (party: string, name: string, signal?: AbortSignal, asker?: string) => {
    const work = async () => {
      done.push(name);
    };
    const outcome = queue.run(party, work, signal, asker).then(
      () => 'done',
      (error) => error.code ?? error.message,
    );
    outcomes.push(outcome);
    return outcome;
  };
  const finish = async () => {
    open();
    await Promise.all([first, ...outcomes]);
    return done;
  };
  return { add, finish };
}

describe('a fair queue', () => {
  it('runs one piece at a time, for each party in turn', async () => {
    const { add, finish } = held(10);
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) add(name.charAt(0), name);
    expect(await finish()).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('lets few pieces of one asker wait, so that others of the same party find room', async () => {
    const { add, finish } = held(10);
    const outcomes = ['ann', 'ann', 'ann', 'bob'].map((asker, at) => add('acme', `${asker}${at}`, undefined, asker));
    expect(await finish()).toEqual(['ann0', 'ann1', 'bob3']);
    expect(await Promise.all(outcomes)).toEqual(['done', 'done', 'too_many_requests', 'done']);
  });

  it('refuses what it has no room for', async () => {
    const { add, finish } = held(2);
    add('a', 'a1');
    add('a', 'a2');
    expect(await add('a', 'a3')).toBe('too_many_requests');
    expect(await finish()).toEqual(['a1', 'a2']);
  });

  it('takes the place of another from whoever has the most', async () => {
    const { add, finish } = held(4);
    add('b', 'b1');
    for (const name of ['a1', 'a2']) add('a', name);
    const displaced = add('a', 'a3');
    add('c', 'c1');
    expect(await displaced).toBe('too_many_requests');
    expect(await finish()).toEqual(['b1', 'a1', 'c1', 'a2']);
  });

  it('displaces nobody who has no more than the newcomer would have', async () => {
    const { add, finish } = held(2);
    add('a', 'a1');
    add('b', 'b1');
    expect(await add('c', 'c1')).toBe('too_many_requests');
    expect(await finish()).toEqual(['a1', 'b1']);
  });

  it('does nothing for those who have gone, and gives their room away', async () => {
    const { add, finish } = held(1);
    const leaving = new AbortController();
    const left = add('a', 'a1', leaving.signal);
    leaving.abort(new Error('gone'));
    expect(await left).toBe('gone');
    add('b', 'b1');
    expect(await add('b', 'b2', leaving.signal)).toBe('gone');
    expect(await finish()).toEqual(['b1']);
  });

  it('goes on after work that fails', async () => {
    const queue = new FairQueue(2, 'pieces wait');
    const failed = queue.run('a', () => Promise.reject(new Error('no')));
    const next = queue.run('a', async () => 'yes');
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });
});
