import type { DeclaredRecord } from '@authz-service/core/records/registry';
import {
  InputError,
  type Organization,
  organizationOf,
  type Part,
  readPart,
} from '@authz-service/example-github-org/dist/organization.js';
import type { GitObjects } from './git-objects.js';
import { OrgRecords } from './org-records.js';

/** The declarations of a commit; a string says why it cannot be read. */
export interface State {
  readonly organizations: readonly Organization[];
  readonly records: readonly DeclaredRecord[];
}

interface Read {
  readonly organization: Organization;
  readonly records: readonly DeclaredRecord[];
}

/** Organizations whose records are kept at hand. */
const KEPT_MAX = 1500;

/** The tenants that commits of github.com/kubernetes/org declare. Parts that did not change are read once. */
export class States {
  readonly #records = new OrgRecords();
  readonly #parts = new Map<string, Part | string>();
  readonly #read = new Map<string, Read | string>();
  readonly #configurations = new Map<string, State | string>();

  constructor(private readonly git: GitObjects) {}

  async of(commit: string): Promise<State | string> {
    // Its first commits have the organizations at the top.
    const top = (await this.git.tree(`${commit}:config`)) ?? (await this.git.tree(`${commit}^{tree}`)) ?? [];
    const folders = top.filter(({ folder }) => folder);
    const key = folders.map(({ name, oid }) => `${name} ${oid}`).join();
    let state = this.#configurations.get(key);
    if (state === undefined) {
      state = await this.#stateOf(folders);
      keep(this.#configurations, key, state, 50);
    }
    return state;
  }

  async #stateOf(folders: readonly { name: string; oid: string }[]): Promise<State | string> {
    const found: Read[] = [];
    for (const { name, oid } of folders) {
      const key = `${name} ${oid}`;
      let read = this.#read.get(key);
      if (read === undefined) {
        read = await this.#organization(name, oid);
        keep(this.#read, key, read, KEPT_MAX);
      }
      if (read === NONE) continue;
      if (typeof read === 'string') return read;
      found.push(read);
    }
    const organizations = found.map(({ organization }) => organization);
    const people = this.#records.people(organizations);
    return { organizations, records: [...people, ...found.flatMap(({ records }) => records)] };
  }

  async #organization(name: string, oid: string): Promise<Read | string> {
    const files = await this.#files(name, oid);
    if (!files.some(({ path }) => path.endsWith('org.yaml'))) return NONE;
    const parts: Part[] = [];
    for (const { path, oid: blob } of files) {
      const key = `${path} ${blob}`;
      let part = this.#parts.get(key);
      if (part === undefined) {
        const text = (await this.git.read(blob))?.toString() ?? '';
        part = refused(() => readPart(text, path));
        keep(this.#parts, key, part, 10 * KEPT_MAX);
      }
      if (typeof part === 'string') return part;
      parts.push(part);
    }
    return refused(() => {
      const organization = organizationOf(name, parts);
      return { organization, records: this.#records.of(organization) };
    });
  }

  async #files(folder: string, oid: string): Promise<{ path: string; oid: string }[]> {
    const found: { path: string; oid: string }[] = [];
    for (const entry of (await this.git.tree(oid)) ?? []) {
      const path = `${folder}/${entry.name}`;
      if (entry.folder) found.push(...(await this.#files(path, entry.oid)));
      else if (/\.ya?ml$/.test(entry.name)) found.push({ path, oid: entry.oid });
    }
    return found.sort((left, right) => (left.path < right.path ? -1 : 1));
  }
}

/** A folder that is no organization. */
const NONE = '';

function refused<T>(make: () => T): T | string {
  try {
    return make();
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
}

/** The oldest goes where there are too many. */
function keep<K, V>(map: Map<K, V>, key: K, value: V, most: number): void {
  map.set(key, value);
  if (map.size <= most) return;
  const [oldest] = map.keys();
  map.delete(oldest as K);
}
