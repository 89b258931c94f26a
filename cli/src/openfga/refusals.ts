import type { SourcePlace } from '@authz-service/core/manifest/manifest';
import { ProblemError } from '@authz-service/core/problem';

/** Parts that cannot be said exactly as records, each with its place in the model or the store. */
export class Refusals {
  readonly #found = new Map<string, SourcePlace & { detail: string }>();

  add(place: SourcePlace, detail: string): void {
    this.#found.set(`${place.file}:${place.line}:${detail}`, { ...place, detail });
  }

  /** Throws `invalid_config` if there are any. */
  raise(store: string): void {
    const items = [...this.#found.values()].map(({ detail, ...place }) => ({ pointer: '', ...place, detail }));
    if (items.length === 0) return;
    const count = items.length === 1 ? 'one thing' : `${items.length} things`;
    throw new ProblemError(
      'invalid_config',
      `"${store}" has ${count} that cannot be translated; nothing was written.`,
      items,
    );
  }
}
