import type { ServiceClient } from '@authz-service/sdk/client';
import { type BatchOutcome, runAll } from '../authorize/run-all.js';
import { UsageError } from '../errors/usage-error.js';
import type { Row } from './read-people.js';

const CONNECTIONS = 8;
const PAGE = 1000;

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

  /** Makes the changes: people before the groups that they are in, removals last. One that is refused stops no other. */
  async run(): Promise<ImportResult> {
    const plan = this.plan();
    const ids = new Map([...this.#present].map(([name, { id }]) => [name, id]));
    const result: ImportResult = { done: 0, failed: [] };
    const each = async (names: readonly string[], work: (name: string) => Promise<unknown>) => {
      const outcomes = await runAll(names, CONNECTIONS, work);
      for (const [index, outcome] of outcomes.entries()) note(result, names[index] ?? '', outcome);
    };
    await each(plan.add, async (name) => {
      const made = (await this.#send('POST', 'Users', this.#user(name))) as Resource;
      ids.set(name, made.id);
    });
    await each(plan.update, (name) => this.#send('PUT', `Users/${ids.get(name)}`, this.#user(name)));
    const { add = [], update = [], remove = [] } = plan.groups ?? {};
    await each(add, (name) => this.#send('POST', 'Groups', this.#group(name, ids)));
    await each(update, (name) =>
      this.#send('PUT', `Groups/${this.#presentGroups.get(name)?.id}`, this.#group(name, ids)),
    );
    await each(remove, (name) => this.#send('DELETE', `Groups/${this.#presentGroups.get(name)?.id}`));
    await each(plan.remove, (name) => this.#send('DELETE', `Users/${ids.get(name)}`));
    return result;
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

  #send(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<unknown> {
    return this.client.directories.scim({ method, path, ...(body && { body }) }, { signal: this.signal });
  }
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
