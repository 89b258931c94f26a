import { type Address, splitAddress } from '@authz-service/core/records/address';
import { COLLECTIONS, KINDS, type Kind } from '@authz-service/core/records/kinds';
import type { DeclaredRecord } from '@authz-service/core/records/registry';
import { providerRelease, SOURCE } from '../distribution/provider-release.js';
import { type HclValue, hclBlock, hclOf, hclString } from '../framework/hcl-text.js';
import { typeName } from '../resources/record-form.js';
import { declarationOrder, type NameOf, namesBefore } from './declaration-order.js';
import { type Configured, type ConfiguredAttributes, configurationOf } from './record-configuration.js';

export interface HclOptions {
  /** The owner that the configuration acts as. */
  stack: string;
}

/**
 * Terraform configuration that declares the records and imports them, one file per kind. Applied by the records' owner,
 * it changes nothing: `terraform plan` shows only imports, and then "No changes". It contains no secrets, because the
 * records contain none.
 */
export function writeHcl(records: Iterable<DeclaredRecord>, { stack }: HclOptions): { path: string; text: string }[] {
  const sorted = [...records].sort((left, right) => (left.address < right.address ? -1 : 1));
  const names = resourceNames(sorted);
  const namesFor = namesBefore(declarationOrder(sorted), names);
  const files = [{ path: 'provider.tf', text: providerText(stack) }];
  for (const kind of KINDS) {
    const blocks = sorted
      .filter((record) => record.kind === kind)
      .map((record) => blockOf(record, names, namesFor(record)));
    if (blocks.length > 0) files.push({ path: `${COLLECTIONS[kind]}.tf`, text: blocks.join('\n') });
  }
  const imports = [...names].map(([address, name]) =>
    hclBlock('import', [
      ['to', { expression: name }],
      ['id', { expression: hclString(address) }],
    ]),
  );
  if (imports.length > 0) files.push({ path: 'imports.tf', text: imports.join('\n') });
  return files;
}

/** The block of each record, by its address; of the records, `referenced` are those that others refer to by their blocks. */
export function hclBlocks(
  records: readonly DeclaredRecord[],
  referenced: ReadonlySet<Address>,
): ReadonlyMap<Address, string> {
  const names = resourceNames(records);
  const shown = new Map([...names].filter(([address]) => referenced.has(address)));
  const namesFor = namesBefore(declarationOrder(records), shown);
  return new Map(records.map((record) => [record.address, blockOf(record, names, namesFor(record))]));
}

function blockOf(record: DeclaredRecord, names: ReadonlyMap<string, string>, nameOf: NameOf): string {
  const header = `resource "${typeName(record.kind)}" "${names.get(record.address)?.split('.')[1]}"`;
  return hclBlock(header, attributes(configurationOf(record), nameOf));
}

function providerText(stack: string): string {
  const version = `~> ${providerRelease().version.replace(/\.\d+$/, '')}`;
  return `terraform {
  required_providers {
    service = {
      source  = ${hclString(SOURCE)}
      version = ${hclString(version)}
    }
  }
}

${hclBlock('provider "service"', [['stack', hclOf(stack)]])}`;
}

/** The resource of each record: `service_role.billing_accountant`. */
function resourceNames(records: readonly DeclaredRecord[]): Map<string, string> {
  const taken = new Set<string>();
  return new Map(
    records.map(({ kind, address }) => {
      const readable = label(kind, address);
      let name = readable;
      for (let number = 2; taken.has(name); number++) name = `${readable}_${number}`;
      taken.add(name);
      return [address, name];
    }),
  );
}

function label(kind: Kind, address: string): string {
  const words = splitAddress(address).path.replace(/[^A-Za-z0-9-]+/g, '_');
  return `${typeName(kind)}.${/^[A-Za-z_]/.test(words) ? words : `_${words}`}`;
}

function attributes(configured: ConfiguredAttributes, nameOf: NameOf): [string, HclValue][] {
  return Object.entries(configured).map(([name, value]) => [name, hclValue(value, nameOf)]);
}

function hclValue(configured: Configured, nameOf: NameOf): HclValue {
  if ('reference' in configured) {
    const name = nameOf(configured.reference);
    return { expression: name === undefined ? hclString(configured.path) : `${name}.path` };
  }
  if ('parts' in configured) {
    const texts = configured.parts.map((part) => {
      const name = typeof part === 'string' ? undefined : nameOf(part.reference);
      return name === undefined
        ? hclString(typeof part === 'string' ? part : part.path).slice(1, -1)
        : `\${${name}.path}`;
    });
    return { expression: `"${texts.join('')}"` };
  }
  if ('items' in configured) return { list: configured.items.map((item) => hclValue(item, nameOf)) };
  if ('attributes' in configured) return { object: attributes(configured.attributes, nameOf) };
  return 'json' in configured ? jsonText(configured.json) : hclOf(configured.literal);
}

function jsonText(json: unknown): HclValue {
  return { call: 'jsonencode', argument: hclOf(json) };
}
