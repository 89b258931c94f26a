import { resources as text } from '../text/resources.js';

/** Resources of one type, as access deltas and reviews name them. */
export interface NamedResources {
  type: string;
  which: string;
  below?: string;
  and_below?: string[];
  names?: string[];
  recorded: number;
}

/** One line for each named resource, or for all of a type. */
export function resourceLines({ type, which, below, and_below = [], names, recorded }: NamedResources): string[] {
  const listed = names !== undefined && which === 'named';
  const lines = listed ? names : [text.which(type, which)];
  const more = listed && recorded > names.length ? [text.andMore(recorded - names.length)] : [];
  const places = below === undefined ? [] : [below, ...and_below];
  return [...lines.map((line) => (places.length === 0 ? line : text.below(line, places.join(' + ')))), ...more];
}

/** The actions of a finding or a row: `read, write`, or any but some. */
export function actionsText(actions: readonly string[], except: readonly string[] = []): string {
  if (!actions.includes('*')) return actions.join(', ');
  return except.length === 0 ? text.anyAction : text.anyActionBut(except.join(', '));
}
