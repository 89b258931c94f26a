import type { Address } from '@authz-service/sdk/wire';
import { KIND_TEXTS, text } from '../../text/english.js';
import { everyoneText } from '../../text/everyone.js';
import { kindOf, pathOf } from '../../ui/record-link.js';
import type { Rest } from './graph.js';
import { hasStructure } from './neighbours.js';

/** `billing/clerk`, or who everyone is. */
export function labelOf(address: Address): string {
  return KIND_TEXTS[kindOf(address)] === undefined ? everyoneText(address) : pathOf(address);
}

export function kindNameOf(address: Address): string {
  return KIND_TEXTS[kindOf(address)]?.one ?? text.structure.everyoneKind;
}

/** Whether it can be in the middle of a picture: everyone is no record. */
export function canOpen(address: Address): boolean {
  return hasStructure(kindOf(address));
}

export function labelOfRest({ kind, count, atLeast }: Rest): string {
  const kinds = KIND_TEXTS[kind]?.many ?? text.structure.everyoneKind;
  return text.structure.moreOf(kinds, text.structure.more(count, atLeast));
}
