import type { Manifest } from '@authz-service/core/manifest/manifest';
import { ProblemError } from '@authz-service/core/problem';
import { address, names, splitAddress } from '@authz-service/core/records/address';
import type { StoredRecord } from '@authz-service/core/records/registry';
import { sourceOf, storedIn } from '@authz-service/embedded/embedded-pdp';
import { LocalDecisionPoint } from '@authz-service/embedded/local-decision-point';
import type { RecordCollection, RecordFilter } from '@authz-service/sdk/records';
import type { Kind, WireRecord } from '@authz-service/sdk/wire';
import { loadGitTree } from '../tree/load-tree.js';

/** Answers from the records of a tree, as the service would that has only these. */
export class TreeClient extends LocalDecisionPoint {
  constructor(
    readonly url: string,
    readonly manifest: Manifest,
    now: number,
  ) {
    super(sourceOf(storedIn(manifest), () => now));
  }

  /** The tree at a Git revision; warnings go to `warn`. */
  static async read(spec: string, warn: (text: string) => Promise<void>): Promise<TreeClient> {
    const { manifest } = await loadGitTree(spec, warn);
    if (manifest.external.length > 0) {
      await warn(
        `"${spec}" mentions ${manifest.external.length} records of other stacks, of which it does not say more.`,
      );
    }
    return new TreeClient(spec, manifest, Date.now());
  }

  /** The records as a service would store them. */
  stored(): StoredRecord[] {
    return storedIn(this.manifest);
  }

  records<K extends Kind>(kind: K): Pick<RecordCollection<K>, 'list' | 'get'> {
    const { manifest } = this;
    async function* list(filter: RecordFilter = {}): AsyncGenerator<WireRecord<K>, void, undefined> {
      for (const record of manifest.records) {
        const wire = record.kind === kind ? wireOf(record, manifest.stack) : undefined;
        if (wire && Object.entries(filter).every(([name, value]) => isAbout(wire, kind, name, value))) {
          yield wire as unknown as WireRecord<K>;
        }
      }
    }
    const get = async (name: string): Promise<WireRecord<K>> => {
      const found = manifest.records.find((record) => record.address === address(kind, name));
      if (found === undefined) throw new ProblemError('not_found', `${this.url} declares no ${kind} "${name}".`);
      return wireOf(found, manifest.stack) as unknown as WireRecord<K>;
    };
    return { list, get };
  }
}

function wireOf(record: Manifest['records'][number], stack: string): Record<string, unknown> {
  const { kind, address: at, fields } = record;
  const application = 'type' in fields && kind === 'resource' ? { application: names(fields.type)[0] } : {};
  return { kind, address: at, ...application, ...fields, managed_by: stack };
}

function isAbout(wire: Record<string, unknown>, kind: Kind, name: string, value: string | number | undefined): boolean {
  if (value === undefined) return true;
  // The bare names of resource types are accepted, too, as a service accepts them.
  if (kind === 'resource' && name === 'type' && !String(value).includes('/'))
    return String(wire.type).endsWith(`/${value}`);
  if (name === 'id' && wire.id === undefined) return splitAddress(String(wire.address)).path === String(value);
  return String(wire[name]) === String(value);
}
