import { writeManifest } from '../manifest/write.js';
import type { ProposedChange } from '../questions/why-not/proposal.js';
import type { Address } from '../records/address.js';

/** A change to be written as text; `from` is the address of a record before it is renamed. */
export interface WrittenChange extends ProposedChange {
  from?: Address;
}

/** Settings of a tree, which are no records. */
const SETTINGS = /^(?:version|tenant|stack): .*\n/gm;
const EXTERNAL = /^external:\n(?: {2}- .*\n)+/m;

/**
 * The changed records as a tree declares them, to copy into its files: a document for each place where a tree has them,
 * with what is to be removed as comments, and renames under `moved`.
 */
export function draftYaml(changes: readonly WrittenChange[]): string {
  const after = changes.flatMap((change) => change.after ?? []);
  const parts = writeManifest(after, { stack: 'none' }).map(({ text }) =>
    text.replace(SETTINGS, '').replace(EXTERNAL, '').trim(),
  );
  const moves = changes.flatMap(({ from, after }) =>
    from === undefined || after === undefined
      ? []
      : [`  - { from: ${JSON.stringify(from)}, to: ${JSON.stringify(after.address)} }`],
  );
  const removals = changes.flatMap(({ before, after }) =>
    before === undefined || after !== undefined ? [] : [`# Remove ${before.address}.`],
  );
  const documents = [...parts, moves.length > 0 ? ['moved:', ...moves].join('\n') : ''].filter((text) => text !== '');
  return [removals.join('\n'), documents.join('\n---\n')].filter((text) => text !== '').join('\n');
}
