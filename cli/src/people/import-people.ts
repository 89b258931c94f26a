import type { ServiceClient } from '@authz-service/sdk/client';
import type { ScimOperation } from '@authz-service/sdk/wire';
import { type BatchOutcome, runAll } from '../authorize/run-all.js';
import { UsageError } from '../errors/usage-error.js';
import type { Row } from './read-people.js';

const CONNECTIONS = 8;
const PAGE = 1000;
/** Begins the id of a person whom another operation makes (RFC 7644 section 3.7.2). */
const BULK_ID = 'bulkId:';

/** A user or group as SCIM shows it. */
interface Resource {
  id: string;
  userName?: string;
  displayName?: string;
  members?: { value: string }[];
}

/** A group as a file names it, with the names of its members in lower case. */
interface GroupOfFile {
  name: string;
  members: string[];
}

/** The changes that make the people and groups of a directory those of the files. */
export interface PeoplePlan {
  add: string[];
  /** Known people: the cloud changes those that differ. */
  update: string[];
  remove: string[];
  groups?: { add: string[]; update: string[]; remove: string[] };
}

/** A request, and the person or group that it is about. */
export type NamedOperation = ScimOperation & { name: string };

export interface ImportResult {
  done: number;
  failed: { name: string; detail: string }[];
}

/** The people and groups of a directory, which files shall replace. */
export class PeopleImport {
  readonly #present: ReadonlyMap<string, Resource>;
  readonly #presentGroups: ReadonlyMap<string, Resource>;

  private constructor(
    private readonly client: ServiceClient,
    private readonly people: ReadonlyMap<string, Row>,
    private readonly groups: ReadonlyMap<string, GroupOfFile> | undefined,
    present: { users: readonly Resource[]; groups: readonly Resource[] },
    private readonly signal: AbortSignal,
  ) {
    this.#present = new Map(present.users.map((user) => [folded(user.userName), user]));
    this.#presentGroups = new Map(present.groups.map((group) => [folded(group.displayName), group]));
  }

  /** Reads what the directory has now. Throws `UsageError` for rows that are not clear. */
  static async prepare(
    client: ServiceClient,
    rows: readonly Row[],
    memberships: readonly Row[] | undefined,
    signal: AbortSignal,
  ): Promise<PeopleImport> {
    const people = peopleOf(rows);
    const groups = memberships && groupsOf(memberships, people);
    const present = {
      users: await list(client, 'Users', signal),
      groups: groups === undefined ? [] : await list(client, 'Groups', signal),
    };
    return new PeopleImport(client, people, groups, present, signal);
  }

  plan(): PeoplePlan {
    const users = compared(new Set(this.people.keys()), this.#present);
    return this.groups === undefined
      ? users
      : { ...users, groups: compared(new Set(this.groups.keys()), this.#presentGroups) };
  }

  /** The requests that `run` sends. */
  operations(): NamedOperation[] {
    return this.#phases().flat();
  }

  /** Makes the changes: people before the groups that they are in, removals last. One that is refused stops no other. */
  async run(): Promise<ImportResult> {
    const result: ImportResult = { done: 0, failed: [] };
    const made = new Map<string, string>();
    for (const phase of this.#phases()) {
      const outcomes = await runAll(phase, CONNECTIONS, async ({ method, path, bulkId, data }) => {
        const request = { method, path: path.slice(1), ...(data && { body: withIds(data, made) }) };
        const answer = (await this.client.directories.scim(request, { signal: this.signal })) as Resource;
        if (bulkId !== undefined) made.set(`${BULK_ID}${bulkId}`, answer.id);
      });
      for (const [index, outcome] of outcomes.entries()) note(result, phase[index]?.name ?? '', outcome);
    }
    return result;
  }

  /** The requests that can be sent at the same time, one list after the other; a new person has its name as the bulk id. */
  #phases(): NamedOperation[][] {
    const { add, update, remove, groups = { add: [], update: [], remove: [] } } = this.plan();
    const ids = new Map([...this.#present].map(([name, { id }]) => [name, id]));
    for (const name of add) ids.set(name, `${BULK_ID}${name}`);
    const userAt = (name: string) => `/Users/${ids.get(name)}`;
    const groupAt = (name: string) => `/Groups/${this.#presentGroups.get(name)?.id}`;
    const user = (name: string) => ({ name, data: this.#user(name) });
    const group = (name: string) => ({ name, data: this.#group(name, ids) });
    return [
      add.map((name) => ({ method: 'POST', path: '/Users', bulkId: name, ...user(name) })),
      update.map((name) => ({ method: 'PUT', path: userAt(name), ...user(name) })),
      groups.add.map((name) => ({ method: 'POST', path: '/Groups', ...group(name) })),
      groups.update.map((name) => ({ method: 'PUT', path: groupAt(name), ...group(name) })),
      groups.remove.map((name) => ({ method: 'DELETE', path: groupAt(name), name })),
      remove.map((name) => ({ method: 'DELETE', path: userAt(name), name })),
    ];
  }

  #user(name: string): object {
    // An empty cell is no value.
    const values = Object.entries(this.people.get(name)?.values ?? {}).filter(([, value]) => value !== '');
    return { active: true, ...Object.fromEntries(values) };
  }

  #group(name: string, ids: ReadonlyMap<string, string>): object {
    const group = this.groups?.get(name);
    const members = (group?.members ?? []).flatMap((member) => {
      const id = ids.get(member);
      return id === undefined ? [] : [{ value: id }];
    });
    return { displayName: group?.name ?? name, members };
  }
}

/** A group whose new members have their ids, without those who were refused. */
function withIds(data: NonNullable<ScimOperation['data']>, made: ReadonlyMap<string, string>): object {
  const { members } = data as { members?: { value: string }[] };
  if (members === undefined) return data;
  const known = members.flatMap(({ value }) => {
    const id = value.startsWith(BULK_ID) ? made.get(value) : value;
    return id === undefined ? [] : [{ value: id }];
  });
  return { ...data, members: known };
}

function peopleOf(rows: readonly Row[]): Map<string, Row> {
  const people = new Map<string, Row>();
  for (const row of rows) {
    const { userName } = row.values;
    if (typeof userName !== 'string' || userName === '')
      throw new UsageError(`${row.place} has no "userName": name the column, or the member, so.`);
    const name = folded(userName);
    const other = people.get(name);
    if (other !== undefined)
      throw new UsageError(`${row.place} has the userName "${userName}" of ${other.place}, too.`);
    people.set(name, row);
  }
  return people;
}

function groupsOf(rows: readonly Row[], people: ReadonlyMap<string, Row>): Map<string, GroupOfFile> {
  const groups = new Map<string, GroupOfFile>();
  for (const { values, place } of rows) {
    const { group, member = '' } = values;
    if (typeof group !== 'string' || group === '' || typeof member !== 'string')
      throw new UsageError(`${place} has no "group" and "member": name the columns so.`);
    if (member !== '' && !people.has(folded(member)))
      throw new UsageError(`${place} has the member "${member}", who is not among the people.`);
    const known = groups.get(folded(group)) ?? { name: group, members: [] };
    if (member !== '') known.members.push(folded(member));
    groups.set(folded(group), known);
  }
  return groups;
}

async function list(client: ServiceClient, collection: 'Users' | 'Groups', signal: AbortSignal): Promise<Resource[]> {
  const found: Resource[] = [];
  for (;;) {
    const query = { startIndex: found.length + 1, count: PAGE, excludedAttributes: 'members' };
    const page = (await client.directories.scim({ method: 'GET', path: collection, query }, { signal })) as {
      totalResults: number;
      Resources: Resource[];
    };
    found.push(...page.Resources);
    if (page.Resources.length === 0 || found.length >= page.totalResults) return found;
  }
}

function compared(wanted: ReadonlySet<string>, present: ReadonlyMap<string, Resource>) {
  return {
    add: [...wanted].filter((name) => !present.has(name)),
    update: [...wanted].filter((name) => present.has(name)),
    remove: [...present.keys()].filter((name) => !wanted.has(name)),
  };
}

function note(result: ImportResult, name: string, outcome: BatchOutcome<unknown>): void {
  if (outcome.ok) result.done += 1;
  else result.failed.push({ name, detail: outcome.error.detail });
}

/** Names of people are compared without case, as the cloud does. */
function folded(name = ''): string {
  return name.toLowerCase();
}
