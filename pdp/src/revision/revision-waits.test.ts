import { describe, expect, it } from 'vitest';
import { isReached, minRevisionOf } from './min-revision.js';
import { type RevisionSource, RevisionWaits, type WaitOutcome } from './revision-waits.js';

const A = '41.00000000000000aa';
const B = '42.00000000000000bb';
const C = '43.00000000000000cc';

/** A source that the test moves on. */
class Moving implements RevisionSource {
  #wake = () => {};
  constructor(
    private revision: string | undefined,
    readonly exists: RevisionSource['exists'] = async () => true,
  ) {}
  served() {
    return this.revision;
  }
  changed(ms: number) {
    return new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
  move(revision: string) {
    this.revision = revision;
    this.#wake();
  }
}

function waits(bounds?: { waitMs?: number; waitingMax?: number }) {
  const outcomes: WaitOutcome[] = [];
  return { outcomes, waits: new RevisionWaits((outcome) => outcomes.push(outcome), bounds) };
}

const wanted = (text: string) => {
  const min = minRevisionOf(text);
  if (min === undefined) throw new Error('nothing is wanted');
  return min;
};
const never = () => new Promise<boolean>(() => {});

describe('Service-Min-Revision', () => {
  it.each([
    ['42', { number: 42, token: undefined }],
    ['0', { number: 0, token: undefined }],
    [B, { number: 42, token: B }],
  ])('is a number or a revision: %s', (text, min) => expect(wanted(text)).toEqual(min));

  it('may name the epoch in which it was made', () =>
    expect(wanted(`${B}.1795450000-7f3a9c1e`)).toEqual({ number: 42, token: B, epoch: '1795450000-7f3a9c1e' }));

  it.each(['', ' ', 'x', '-1', '1.5', '42.AA', `"${B}"`, `${A}, ${B}`, '9'.repeat(16)])('is refused: %j', (text) => {
    expect(() => wanted(text)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  it('may be absent', () => expect(minRevisionOf(undefined)).toBeUndefined());
});

describe('a revision of an epoch', () => {
  const [E1, E2, TWIN] = ['.1-00000001', '.2-00000002', '.1-0000000f'];
  it.each([
    ['of the present epoch', B + E1, B + E1, true],
    ['earlier, of the present epoch', A + E1, B + E1, true],
    ['of a later epoch, at an earlier number', A + E2, B + E1, false],
    ['of a later epoch, where none was declared', A + E2, B, false],
    ['of no epoch', A, B + E1, true],
  ])('is reached or waited for: %s', (_, text, served, reached) => {
    for (const tellsPast of [true, false]) expect(isReached(wanted(text), served, { tellsPast })).toBe(reached);
  });

  it.each([
    ['the same one', B + E1, B + E2],
    ['an earlier one', A + E1, B + E2],
    ['a later one', C + E1, B + E2],
  ])('from before a restore is left to whoever can tell: %s', (_, text, served) => {
    expect(() => isReached(wanted(text), served)).toThrow(/of another epoch than 2-00000002.*was restored/);
    expect(isReached(wanted(text), served, { tellsPast: true })).toBe(text !== C + E1);
  });

  it('is refused where another epoch has its number', () => {
    for (const tellsPast of [true, false])
      expect(() => isReached(wanted(A + TWIN), B + E1, { tellsPast })).toThrow(/of another epoch/);
  });
});

describe('a request that wants a revision', () => {
  it.each(['41', '42', B, A])('is answered at once where %s is reached, without asking', async (text) => {
    const { waits: some, outcomes } = waits();
    await some.reach(wanted(text), new Moving(B, () => Promise.reject(new Error('was asked'))));
    expect(outcomes).toEqual([]);
  });

  it.each(['42', B])('waits for %s', async (text) => {
    const { waits: some, outcomes } = waits();
    const source = new Moving(A);
    let reached = false;
    const waiting = some.reach(wanted(text), source).then(() => {
      reached = true;
    });
    await new Promise(setImmediate);
    expect(reached).toBe(false);
    source.move(B);
    await waiting;
    expect(outcomes).toEqual(['reached']);
  });

  it('waits on through earlier revisions, and for the first one of all', async () => {
    const { waits: some } = waits();
    const source = new Moving(undefined, never);
    let reached = false;
    const waiting = some.reach(wanted(C), source).then(() => {
      reached = true;
    });
    for (const revision of [A, B]) {
      source.move(revision);
      await new Promise(setImmediate);
      expect(reached).toBe(false);
    }
    source.move(C);
    await waiting;
  });

  it('is refused at once if there is no such revision', async () => {
    const { waits: some, outcomes } = waits();
    const refused = some.reach(wanted('42'), new Moving(A, async () => false));
    await expect(refused).rejects.toMatchObject({ code: 'unknown_revision' });
    expect(outcomes).toEqual(['unknown']);
  });

  it('is refused if its number is another revision, also one that arrives', async () => {
    const { waits: some } = waits();
    const other = '42.00000000000000ff';
    await expect(some.reach(wanted(other), new Moving(B))).rejects.toMatchObject({ code: 'unknown_revision' });
    const source = new Moving(A);
    const refused = expect(some.reach(wanted(other), source)).rejects.toMatchObject({ code: 'unknown_revision' });
    source.move(B);
    await refused;
  });

  it.each([
    ['nobody knows whether it exists', async () => undefined],
    ['that cannot be asked', () => Promise.reject(new Error('no database'))],
    ['it exists', async () => true],
    ['nobody answers', never],
  ])('is refused when the time is up: %s', async (_, exists) => {
    const { waits: some, outcomes } = waits({ waitMs: 1 });
    const refused = some.reach(wanted('42'), new Moving(A, exists));
    await expect(refused).rejects.toMatchObject({ code: 'behind_revision', retryAfterSeconds: 1 });
    expect(outcomes).toEqual(['late']);
  });

  it('is refused where too many wait, and not any more once they have ended', async () => {
    const { waits: some, outcomes } = waits({ waitingMax: 2 });
    const source = new Moving(A, never);
    const second = new Moving(A, never);
    const two = [some.reach(wanted('42'), source), some.reach(wanted('42'), second)];
    await expect(some.reach(wanted('42'), new Moving(A))).rejects.toMatchObject({ code: 'too_many_requests' });
    await some.reach(wanted('41'), new Moving(A));
    for (const one of [source, second]) one.move(B);
    await Promise.all(two);
    const third = new Moving(A);
    const waiting = some.reach(wanted('42'), third);
    third.move(B);
    await waiting;
    expect(outcomes).toEqual(['refused', 'reached', 'reached', 'reached']);
  });

  it('takes no more than the share of its tenant, and a small one once half of all places are taken', async () => {
    const { waits: some } = waits({ waitingMax: 400 });
    const sources: Moving[] = [];
    const waiting: Promise<void>[] = [];
    const ask = (tenant: string, count: number) => {
      for (let index = 0; index < count; index++) {
        const source = new Moving(A, never);
        sources.push(source);
        waiting.push(some.reach(wanted('42'), source, tenant));
      }
    };
    const refused = (tenant: string) =>
      expect(some.reach(wanted('42'), new Moving(A), tenant)).rejects.toMatchObject({ code: 'too_many_requests' });
    ask('a', 100);
    await refused('a');
    ask('b', 100);
    await refused('b');
    ask('c', 4);
    await refused('c');
    ask('d', 4);
    for (const source of sources) source.move(B);
    await Promise.all(waiting);
    const after = new Moving(A, never);
    const last = some.reach(wanted('42'), after, 'a');
    after.move(B);
    await last;
  });

  it('gives its place back when its caller goes', async () => {
    const { waits: some, outcomes } = waits({ waitingMax: 1 });
    const source = new Moving(A, never);
    const aborted = { ...source, served: () => A, changed: () => Promise.reject(new Error('gone')), exists: never };
    await expect(some.reach(wanted('42'), aborted)).rejects.toThrow('gone');
    const waiting = some.reach(wanted('42'), source);
    source.move(B);
    await waiting;
    expect(outcomes).toEqual(['gone', 'reached']);
  });
});
