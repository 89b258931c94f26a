import { ProblemError, type ProblemItem } from '@authz-service/core/problem';
import type { Change } from '@authz-service/core/state/change';
import type { ChangesetRequest, ChangesetResult } from '@authz-service/sdk/wire';
import { describe, expect, it } from 'vitest';
import { Log } from '../protocol/log.js';
import {
  type ChangeCommand,
  ChangeQueue,
  type ChangeQueueOptions,
  type Ends,
  Refused,
  Stopped,
  Unanswered,
} from './change-queue.js';

const create = (name: string) => ({
  address: `role/${name}`,
  change: { op: 'create', kind: 'role', fields: { name } } as Change,
});
const remove = (name: string) => ({
  address: `role/${name}`,
  change: { op: 'delete', address: `role/${name}` } as Change,
});

type Answer = (body: ChangesetRequest, ends: Ends) => Promise<void> | void;

/** A queue in front of a service that answers as told. It records the names and operations of what is sent. */
function queue(answer: Answer = () => {}, exists: string[] = [], more: Partial<ChangeQueueOptions> = {}) {
  const sent: string[][] = [];
  const keys = new Set<string>();
  const done: string[] = [];
  const changes = new ChangeQueue({
    async send(body, key, ends): Promise<ChangesetResult> {
      sent.push(body.changes.map((change) => `${change.op} ${nameOf(change)}`));
      keys.add(key);
      await answer(body, ends);
      const created = body.changes.flatMap((change) =>
        change.op === 'create' ? [{ address: `role/${nameOf(change)}`, id: `id-${nameOf(change)}` }] : [],
      );
      return { revision: '1.x', added: 0, changed: 0, removed: 0, created, secrets: [] };
    },
    exists: (address) => exists.includes(address),
    done: (commands) => done.push(...commands.map(({ address }) => address)),
    stack: 'terraform',
    takeOwnership: false,
    log: new Log('off'),
    graceMs: 20,
    ...more,
  });
  return { changes, sent, keys, done };
}

function nameOf(change: Change): string {
  return change.op === 'create' ? String(change.fields.name) : 'address' in change ? change.address.slice(5) : '';
}

const { signal } = new AbortController();
const refusal = (code: 'invalid_records' | 'conflict' | 'forbidden' | 'network', errors: ProblemItem[] = []) =>
  new ProblemError(code, 'refused', errors);
const at = (index: number, rest = ''): ProblemItem => ({
  pointer: `/changes/${index}${rest}`,
  detail: `fault ${index}`,
});
const indexOf = (body: ChangesetRequest, name: string) => body.changes.findIndex((change) => nameOf(change) === name);

describe('joined changes', () => {
  it('go together, and each is told its own id', async () => {
    const { changes, sent, done } = queue();
    const granted = await Promise.all(['a', 'b', 'c'].map((name) => changes.ask(create(name), signal)));
    expect(granted.map(({ id }) => id)).toEqual(['id-a', 'id-b', 'id-c']);
    expect(sent).toEqual([['create a', 'create b', 'create c']]);
    expect(done).toEqual(['role/a', 'role/b', 'role/c']);
  });

  it('that come while others are under way form the next change-set', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let began = () => {};
    const begun = new Promise<void>((resolve) => {
      began = resolve;
    });
    const { changes, sent, keys } = queue(async (body) => {
      if (indexOf(body, 'a') >= 0) {
        began();
        await held;
      }
    });
    const first = changes.ask(create('a'), signal);
    await begun;
    const others = ['b', 'c'].map((name) => changes.ask(create(name), signal));
    release();
    await Promise.all([first, ...others]);
    expect(sent).toEqual([['create a'], ['create b', 'create c']]);
    expect(keys.size).toBe(2);
  });

  it('that are refused fail alone, each with its own fault', async () => {
    const { changes, sent } = queue((body) => {
      const bad = ['b', 'd'].map((name) => indexOf(body, name)).filter((index) => index >= 0);
      if (bad.length > 0)
        throw refusal(
          'invalid_records',
          bad.map((index) => at(index, '/fields/name')),
        );
    });
    const outcomes = await Promise.allSettled(['a', 'b', 'c', 'd'].map((name) => changes.ask(create(name), signal)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected']);
    const [, second] = outcomes;
    expect(second?.status === 'rejected' && second.reason).toBeInstanceOf(Refused);
    expect(second?.status === 'rejected' && second.reason.item).toMatchObject({ pointer: '/name', detail: 'fault 1' });
    expect(sent.at(-1)).toEqual(['create a', 'create c']);
  });

  it('are tried in halves where the refusal points at none of them', async () => {
    const { changes } = queue((body) => {
      if (indexOf(body, 'c') >= 0) throw refusal('forbidden');
    });
    const outcomes = await Promise.allSettled(['a', 'b', 'c', 'd'].map((name) => changes.ask(create(name), signal)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  });

  it('all fail where the service cannot be reached', async () => {
    const { changes, sent } = queue(() => {
      throw refusal('network');
    });
    const outcomes = await Promise.allSettled(['a', 'b'].map((name) => changes.ask(create(name), signal)));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(sent).toHaveLength(1);
  });

  it('may remove a record and create it again, whichever comes first', async () => {
    const { changes, sent } = queue(() => {}, ['role/a']);
    const [making, removing] = [changes.ask(create('a'), signal), changes.ask(remove('a'), signal)];
    await Promise.all([making, removing]);
    expect(sent).toEqual([['create a', 'delete a']]);
  });

  it('hold the creation of what exists for its removal, and send it in the end', async () => {
    const { changes, sent } = queue(() => {}, ['role/a']);
    const making = changes.ask(create('a'), signal);
    await changes.ask(create('b'), signal);
    await changes.ask(remove('a'), signal);
    await making;
    expect(sent).toEqual([['create b'], ['create a', 'delete a']]);
    await changes.ask(create('a'), signal);
    expect(sent.at(-1)).toEqual(['create a']);
  });

  it('of one record that do not go together go one after the other', async () => {
    const { changes, sent } = queue();
    await Promise.all([changes.ask(create('a'), signal), changes.ask(create('a'), signal)]);
    expect(sent).toEqual([['create a'], ['create a']]);
  });
});

describe('an interrupt', () => {
  it('gives up what was not sent, and awaits what was', async () => {
    const stop = new AbortController();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let began = () => {};
    const begun = new Promise<void>((resolve) => {
      began = resolve;
    });
    const { changes, sent } = queue(async () => {
      began();
      await held;
    });
    const under = changes.ask(create('a'), stop.signal);
    await begun;
    const waiting = changes.ask(create('b'), stop.signal);
    stop.abort();
    await expect(waiting).rejects.toBeInstanceOf(Stopped);
    await expect(changes.ask(create('c'), stop.signal)).rejects.toBeInstanceOf(Stopped);
    release();
    expect(await under).toEqual({ revision: '1.x', id: 'id-a' });
    expect(sent).toEqual([['create a']]);
  });

  it('sends nothing again', async () => {
    const stop = new AbortController();
    const { changes, sent } = queue((body) => {
      stop.abort();
      throw refusal('invalid_records', [at(indexOf(body, 'a'))]);
    });
    const outcomes = await Promise.allSettled([
      changes.ask(create('a'), stop.signal),
      changes.ask(create('b'), stop.signal),
    ]);
    expect(outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.constructor)).toEqual([
      Refused,
      Stopped,
    ]);
    expect(sent).toHaveLength(1);
  });

  it('does not wait for an answer for ever', async () => {
    const stop = new AbortController();
    const { changes } = queue(
      (_body, { giveUp }) =>
        new Promise((_resolve, reject) => {
          giveUp.addEventListener('abort', () => reject(giveUp.reason));
          stop.abort();
        }),
    );
    await expect(changes.ask(create('a'), stop.signal)).rejects.toBeInstanceOf(Unanswered);
  });
});

describe('what goes along', () => {
  const { signal } = new AbortController();
  const along = (commands: readonly ChangeCommand[], alone: boolean) => ({
    changes: commands.map(({ change, address }) => (address === 'role/held' ? undefined : change)),
    along: alone ? [] : [remove('more')],
  });

  it('is sent behind the commands, and what has nothing to be sent is granted all the same', async () => {
    const { changes, sent, done } = queue(undefined, [], { compose: along });
    await Promise.all([changes.ask(create('held'), signal), changes.ask(create('a'), signal)]);
    expect(sent).toEqual([['create a', 'delete more']]);
    expect(done).toEqual(['role/a', 'role/more']);
  });

  it('is left behind where it is refused', async () => {
    const left: string[] = [];
    const { changes, sent } = queue(
      (body) => {
        if (indexOf(body, 'more') >= 0) throw refusal('invalid_records', [at(1)]);
      },
      [],
      { compose: along, leftBehind: (commands, { detail }) => left.push(`${commands[0]?.address} ${detail}`) },
    );
    await changes.ask(create('a'), signal);
    expect(sent).toEqual([['create a', 'delete more'], ['create a']]);
    expect(left).toEqual(['role/more refused']);
  });
});
