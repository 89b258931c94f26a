import type { Tracing } from '@authz-service/pdp/tracing/tracing';
import type { Store } from './store.js';

/** Operations that no request waits for, or that run others within themselves. */
const UNTRACED: ReadonlySet<string> = new Set([
  'listen',
  'writability',
  'close',
  'position',
  'alone',
  'atOnce',
  'locked',
]);

/** A store whose operations are spans below that of the request for which they run. */
export function tracedStore(store: Store, tracing: Tracing): Store {
  const system = store.shared ? 'postgresql' : 'sqlite';
  const traced = Object.entries<unknown>({ ...store }).map(([name, work]): [string, unknown] => [
    name,
    typeof work === 'function' && !UNTRACED.has(name)
      ? (...args: unknown[]) => tracing.inDatabase(system, name, async () => work(...args))
      : work,
  ]);
  return Object.fromEntries(traced) as unknown as Store;
}
