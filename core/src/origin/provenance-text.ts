import type { Provenance } from './provenance.js';

/** In a sentence: `pull request 214 by ann, approved by bob and eve`; empty where nothing is known. */
export function provenanceText({ author, pull_request: number, approved_by: approvers = [] }: Provenance): string {
  const what = number === undefined ? '' : `pull request ${number}`;
  const by = author === undefined ? '' : `by ${author}`;
  const approved = approvers.length === 0 ? '' : `approved by ${listed(approvers)}`;
  const first = [what, by].filter((part) => part !== '').join(' ');
  return [first, approved].filter((part) => part !== '').join(', ');
}

function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
}
