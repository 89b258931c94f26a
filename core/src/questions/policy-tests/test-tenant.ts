import type { EngineRecord } from '../../access/api/engine.js';
import { compileEngine } from '../../access/engine/compile-engine.js';
import type { CompiledEngine } from '../../access/engine/compiled-engine.js';
import type { Manifest } from '../../manifest/manifest.js';
import { type Address, splitAddress } from '../../records/address.js';
import { entityText } from '../../records/entity-text.js';
import type { DeclaredRecord } from '../../records/registry.js';
import { Schemas } from '../../state/schemas.js';

/** The ids of records are the service's, which a tree does not know: addresses stand for them. */
export function engineRecordOf({ kind, address, fields }: DeclaredRecord): EngineRecord {
  return { kind, id: address, fields };
}

/** A subject or resource that a search for an exact set goes through, and how tests write it. */
export interface Listed {
  type: string;
  name: string;
  text: string;
}

/** The records that tests are put to, compiled. */
export class TestTenant {
  readonly engine: CompiledEngine;
  readonly policies = new Set<string>();
  readonly roles = new Set<string>();
  readonly subjects: Listed[] = [];
  readonly resources: (Listed & { actions: readonly string[] })[] = [];
  /** By path. */
  readonly types = new Map<string, { name: string; actions: readonly string[] }>();
  readonly schemas: Schemas;
  readonly records: readonly DeclaredRecord[];
  readonly #records: ReadonlyMap<Address, DeclaredRecord>;

  constructor({ records }: Pick<Manifest, 'records'>) {
    this.records = records;
    this.engine = compileEngine(records.map(engineRecordOf));
    this.#records = new Map(records.map((record) => [record.address, record]));
    this.schemas = new Schemas({
      get: (address) => this.#records.get(address),
      inbound: () => [],
      addresses: (kind) => [...this.#records.keys()].filter((address) => address.startsWith(`${kind}/`)),
    });
    for (const { kind, address, fields } of records) {
      const { path } = splitAddress(address);
      if (kind === 'policy') this.policies.add(path);
      else if (kind === 'role') this.roles.add(path);
      else if (kind === 'resource_type') this.types.set(path, { name: fields.name, actions: fields.actions });
      else if (kind === 'subject') {
        const name = { type: fields.type, name: fields.id };
        this.subjects.push({ ...name, text: entityText('subject', name) });
      }
    }
    for (const { kind, fields } of records) {
      if (kind !== 'resource') continue;
      const { actions = [] } = this.types.get(fields.type) ?? {};
      const name = { type: fields.type, name: fields.name };
      this.resources.push({ ...name, text: entityText('resource', name), actions });
    }
  }

  /** The path of the type that a text means; all that it may mean where that is not one. */
  typePath(text: string): string | readonly string[] {
    if (this.types.has(text)) return text;
    const meant = [...this.types].filter(([, { name }]) => name === text).map(([path]) => path);
    return meant.length === 1 ? (meant[0] as string) : meant;
  }

  has(address: Address): boolean {
    return this.#records.has(address);
  }
}
