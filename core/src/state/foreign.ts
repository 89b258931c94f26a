import { ProblemError } from '../problem.js';
import { type Address, splitAddress } from '../records/address.js';

/** A record that a stack wants to touch and another one owns; `pointer` is the place of the change that wants that. */
export interface Foreign {
  pointer: string;
  address: Address;
  owner: string;
}

/** More records than this are counted, not listed. */
const LISTED_MAX = 100;

/** Throws `not_owner` where there are any, saying once what they have in common. */
export function refuseForeign(foreign: readonly Foreign[], stack: string, where: 'there' | 'in the tree'): void {
  const [first] = foreign;
  if (first === undefined) return;
  const owners = [...new Set(foreign.map(({ owner }) => owner))].map((owner) => `"${owner}"`);
  const one = foreign.length === 1;
  const belong = `${one ? `"${first.address}" belongs` : `${foreign.length} records belong`} to the ${
    owners.length === 1 ? 'stack' : 'stacks'
  } ${owners.join(', ')}, not to "${stack}"`;
  const them = one ? 'it' : 'them';
  const inTree = foreign.every(({ address }) => splitAddress(address).kind === 'application')
    ? `list ${them} under "external" to add to ${them}`
    : `remove ${them} from this tree`;
  const leave = where === 'there' ? `change ${them} there` : inTree;
  throw new ProblemError(
    'not_owner',
    `${belong}: ${leave}, or take ${them} over with --take-ownership.`,
    foreign
      .slice(0, LISTED_MAX)
      .map(({ pointer, address, owner }) => ({ pointer, detail: `belongs to the stack "${owner}"`, address })),
  );
}
