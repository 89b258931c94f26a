import type { Address } from '../records/address.js';
import { quote } from '../records/describe.js';
import { unknownKeyText } from '../records/issue-text.js';
import { describeNode } from './describe.js';
import type { SourcePlace } from './manifest.js';
import { attempt, readAddress } from './paths.js';
import { type About, placeText } from './source.js';
import { UNUSABLE, type YamlDocument } from './yaml-document.js';
import type { YamlNode } from './yaml-node.js';

interface Written {
  about: About;
  document: YamlDocument;
  node: YamlNode;
}

export interface DeclaredMove extends Written {
  from: Address;
  to: Address;
}

/** The lists of addresses at the top of files: `external` and `moved`. */
export class AddressLists {
  readonly external = new Map<Address, Written>();
  readonly moves: DeclaredMove[] = [];
  private readonly movedFrom = new Map<Address, DeclaredMove>();
  private readonly movedTo = new Map<Address, DeclaredMove>();

  readExternal(document: YamlDocument, list: YamlNode): void {
    for (const [index, node] of document.items(list, { label: 'external' }).entries()) {
      const about = { label: `external[${index}]` };
      const address = readText(document, node, about)?.address;
      if (address !== undefined) this.external.set(address, { about, document, node });
    }
  }

  placeOfExternal(address: Address): SourcePlace | undefined {
    const written = this.external.get(address);
    return written?.document.place(written.node);
  }

  readMoved(document: YamlDocument, list: YamlNode): void {
    for (const [index, node] of document.items(list, { label: 'moved' }).entries()) {
      const about = { label: `moved[${index}]` };
      if (node.type !== 'map') {
        document.fault(node, about, `${describeNode(node)}: write { from: ADDRESS, to: ADDRESS }.`);
        continue;
      }
      const move = this.move(document, node, about);
      if (move === undefined) continue;
      this.moves.push(move);
      this.movedFrom.set(move.from, move);
      this.movedTo.set(move.to, move);
    }
  }

  private move(document: YamlDocument, node: YamlNode, about: About): DeclaredMove | undefined {
    const ends = new Map<string, ReturnType<typeof readText>>();
    for (const { key, keyNode, value } of node.type === 'map' ? document.entries(node, () => about) : []) {
      if (key === 'from' || key === 'to') ends.set(key, readText(document, value, { label: `${about.label}: ${key}` }));
      else document.fault(keyNode, about, unknownKeyText(key, ['from', 'to']));
    }
    for (const key of ['from', 'to']) {
      if (!ends.has(key)) document.fault(node, about, `the key "${key}" is missing: add it.`);
    }
    const from = ends.get('from');
    const to = ends.get('to');
    if (from === undefined || to === undefined) return undefined;
    if (from.address === to.address) {
      document.fault(node, about, `moves ${quote(from.address)} to itself: remove the entry.`);
    } else if (from.kind !== to.kind) {
      document.fault(node, about, `moves a ${from.kind} to a ${to.kind}: both addresses must be of one kind.`);
    } else {
      const twice = this.movedFrom.get(from.address) ?? this.movedTo.get(to.address);
      if (twice === undefined) return { about, document, node, from: from.address, to: to.address };
      const said = twice.from === from.address ? `moves from ${twice.from}` : `moves to ${twice.to}`;
      document.fault(node, about, `${said}, as ${placeText(twice.document.place(twice.node))} does: keep one of them.`);
    }
    return undefined;
  }
}

export function readText(
  document: YamlDocument,
  node: YamlNode,
  about: About,
): ReturnType<typeof readAddress> | undefined {
  const value = document.json(node, () => about);
  if (value === UNUSABLE) return undefined;
  if (typeof value !== 'string') {
    document.fault(
      node,
      about,
      `${describeNode(node)}, an address is expected: write one like "role/billing/accountant".`,
    );
    return undefined;
  }
  return attempt(
    () => readAddress(value),
    (text) => document.fault(node, about, text),
  );
}
