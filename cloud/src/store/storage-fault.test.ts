import { describe, expect, it } from 'vitest';
import { type StorageFault, storageFailed } from './storage-fault.js';

const FAULT: StorageFault = { what: 'It fails', remedy: 'mend it' };
const passing = true as const;
const uncertain = true as const;

describe('a fault of the storage', () => {
  it.each<[string, StorageFault, boolean, string, string, number | undefined]>([
    ['a read', FAULT, false, 'not_ready', 'It fails, so that nothing was read: mend it, then ask again.', 5],
    [
      'a read, which leaves nothing open',
      { ...FAULT, passing, uncertain },
      false,
      'not_ready',
      'It fails, so that nothing was read: mend it, then ask again.',
      5,
    ],
    [
      'a change that somebody must make possible',
      FAULT,
      true,
      'storage_failed',
      'It fails, and nothing was changed: mend it, then send it again.',
      undefined,
    ],
    [
      'a change that may soon be possible',
      { ...FAULT, passing },
      true,
      'not_ready',
      'It fails, and nothing was changed: mend it, then send it again.',
      5,
    ],
    [
      'a change that was perhaps made, so that nobody repeats it blindly',
      { ...FAULT, passing, uncertain },
      true,
      'timeout',
      'It fails: mend it, then check whether the change was made.',
      5,
    ],
    [
      'a change that a broken disk has perhaps kept',
      { ...FAULT, uncertain },
      true,
      'storage_failed',
      'It fails: mend it, then check whether the change was made.',
      undefined,
    ],
  ])('refuses %s', (_, fault, writing, code, detail, retryAfterSeconds) => {
    const refused = storageFailed(fault, { writing });
    expect({ ...refused, retryAfterSeconds: refused.retryAfterSeconds }).toMatchObject({
      ...{ code, detail, retryAfterSeconds },
    });
  });
});
