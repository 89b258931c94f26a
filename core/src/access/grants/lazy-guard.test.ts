import { expect, it } from 'vitest';
import { COMPILED_MAX, LazyGuard } from './lazy-guard.js';

it('compiles a guard when first asked, and forgets it when too many others have been compiled since', () => {
  const first = new LazyGuard('context.n == 1', undefined, undefined);
  const compiled = first.get();
  expect(first.get()).toBe(compiled);
  for (let at = 0; at < COMPILED_MAX; at++) new LazyGuard('true', undefined, undefined).get();
  expect(first.get()).not.toBe(compiled);
});
