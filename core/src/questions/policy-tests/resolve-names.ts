import { flowText } from '../../manifest/yaml-text.js';
import { address, path as pathOf } from '../../records/address.js';
import { quote } from '../../records/describe.js';
import {
  type EntityKind,
  type EntityName,
  EntityTextError,
  entityText,
  readEntityText,
  readingsOf,
} from '../../records/entity-text.js';
import type { DecisionRequest } from '../../request.js';
import { suggester } from '../../state/suggest.js';
import { nearest } from '../../text/nearest.js';
import type { ReadTestFile } from './read-test-file.js';
import type { ActionDetail, ResourceDetail, SubjectDetail, TestFile } from './test-schema.js';
import type { TestTenant } from './test-tenant.js';

type Path = readonly PropertyKey[];

/** A subject, resource or action of a test: as it is written, and as it is asked about. */
export interface Named<T> {
  text: string;
  value: T;
}
export type NamedSubject = Named<DecisionRequest['subject']>;
export type NamedAction = Named<DecisionRequest['action']>;
export type NamedResource = Named<DecisionRequest['resource']> & { typePath: string };

/**
 * Finds what the names in a file of tests mean. A name that means nothing is a fault: a misspelt subject is denied
 * everything, and a test that expects a denial would pass for the wrong reason.
 */
export class NameResolver {
  readonly #suggest = suggester();
  readonly #fixtures: TestFile['fixtures'];
  #reported = new Set<string>();

  constructor(
    private readonly file: ReadTestFile,
    private readonly tenant: TestTenant,
  ) {
    this.#fixtures = file.head.fixtures;
    for (const [name, detail] of Object.entries(this.#fixtures.subjects)) {
      this.#fixtureName(name, ['fixtures', 'subjects', name]);
      this.#roles(detail, ['fixtures', 'subjects', name]);
    }
    for (const [name, detail] of Object.entries(this.#fixtures.resources)) {
      this.#fixtureName(name, ['fixtures', 'resources', name]);
      this.type(detail.type, ['fixtures', 'resources', name, 'type']);
    }
    const declared = new Set([...tenant.types.values()].flatMap(({ actions }) => actions));
    for (const name of Object.keys(this.#fixtures.actions)) {
      if (!declared.has(name)) continue;
      const text = `${quote(name)} is the name of an action that a type declares: choose another for the fixture.`;
      this.file.fault(['fixtures', 'actions', name], text, true);
    }
  }

  subject(written: string | SubjectDetail, path: Path): NamedSubject {
    if (typeof written !== 'string') {
      this.#roles(written, path);
      return { text: entityText('subject', { type: written.type, name: written.id }), value: strip(written) };
    }
    const fixture = Object.hasOwn(this.#fixtures.subjects, written) ? this.#fixtures.subjects[written] : undefined;
    if (fixture !== undefined) return { text: written, value: strip(fixture) };
    const isKnown = ({ type, name }: EntityName) => this.tenant.has(address('subject', pathOf(type, name)));
    const read = this.#read('subject', written, isKnown, path);
    if (read === undefined) return { text: written, value: { type: written, id: '' } };
    const { type, name: id } = read;
    if (!isKnown(read)) {
      const near = this.#suggest(written, () => this.tenant.subjects.map(({ text }) => text));
      this.#fault(path, written, `No subject ${quote(written)} is recorded`, near, STRANGER);
    }
    return { text: entityText('subject', read), value: { type, id } };
  }

  resource(written: string | ResourceDetail, path: Path): NamedResource {
    if (typeof written !== 'string') {
      const typePath = this.type(written.type, [...path, 'type']);
      return { text: entityText('resource', written), value: strip(written), typePath };
    }
    const fixture = Object.hasOwn(this.#fixtures.resources, written) ? this.#fixtures.resources[written] : undefined;
    if (fixture !== undefined) {
      return { text: written, value: strip(fixture), typePath: String(this.tenant.typePath(fixture.type)) };
    }
    const isKnown = ({ type }: EntityName) => this.tenant.typePath(type).length > 0;
    const read = this.#read('resource', written, isKnown, path);
    if (read === undefined) return { text: written, value: { type: written, name: '' }, typePath: '' };
    const { type, name } = read;
    const typePath = this.type(type, path);
    if (typePath !== '' && !this.tenant.has(`${address('resource', typePath)}/${pathOf(name)}`)) {
      const near = this.#suggest(written, () =>
        this.tenant.resources
          .filter((one) => one.type === typePath)
          .map((one) => entityText('resource', { type, name: one.name })),
      );
      this.#fault(path, written, `No resource ${quote(written)} is recorded`, near, UNRECORDED);
    }
    return { text: entityText('resource', read), value: { type, name }, typePath };
  }

  /** Reads a text that names no fixture; undefined after reporting that it names nothing, or may name several. */
  #read(
    kind: EntityKind,
    written: string,
    isKnown: (reading: EntityName) => boolean,
    path: Path,
  ): EntityName | undefined {
    if (readingsOf(kind, written).length === 0) {
      this.#noFixture(written, kind, Object.keys(this.#fixtures[`${kind}s`]), path);
      return undefined;
    }
    try {
      return readEntityText(kind, written, isKnown);
    } catch (error) {
      if (!(error instanceof EntityTextError)) throw error;
      this.file.fault(path, `${quote(written)} ${error.message}.`);
      return undefined;
    }
  }

  /** The path of a resource type, or the empty text after reporting that there is none. */
  type(written: string, path: Path): string {
    const found = this.tenant.typePath(written);
    if (typeof found === 'string') return found;
    if (found.length > 0) {
      this.#fault(
        path,
        written,
        `The resource type ${quote(written)} may mean ${found.join(' or ')}`,
        undefined,
        'write one of them',
      );
    } else {
      const near = this.#suggest(written, () => [...this.tenant.types].flatMap(([path, { name }]) => [name, path]));
      this.#fault(path, written, `There is no resource type ${quote(written)}`, near, 'declare it');
    }
    return '';
  }

  /** An action that at least one of the types must declare. */
  action(written: string | ActionDetail, types: readonly string[], path: Path): NamedAction {
    if (typeof written !== 'string') {
      this.actionName(written.name, types, [...path, 'name']);
      return { text: `${written.name} ${flowText(written.properties)}`, value: written };
    }
    const fixture = Object.hasOwn(this.#fixtures.actions, written) ? this.#fixtures.actions[written] : undefined;
    this.actionName(fixture?.name ?? written, types, path);
    return { text: written, value: fixture ?? { name: written } };
  }

  actionName(written: string, types: readonly string[], path: Path): void {
    const declared = types.flatMap((type) => this.tenant.types.get(type)?.actions ?? []);
    if (types.includes('') || declared.includes(written)) return;
    const near = this.#suggest(written, () => [...declared, ...Object.keys(this.#fixtures.actions)]);
    const among = `write one of ${[...new Set(declared)].join(', ')}`;
    this.#fault(path, written, `${[...new Set(types)].join(' and ')} has no action ${quote(written)}`, near, among);
  }

  policy(written: string | undefined, path: Path): void {
    if (written === undefined || this.tenant.policies.has(written)) return;
    const near = this.#suggest(written, () => this.tenant.policies);
    this.#fault(
      [...path, 'policy'],
      written,
      `There is no policy ${quote(written)}`,
      near,
      'write its path, like billing/approve',
    );
  }

  subjectType(written: string, path: Path): string {
    const types = new Set(this.tenant.subjects.map(({ type }) => type));
    if (!types.has(written)) {
      this.#fault(
        path,
        written,
        `No subject of type ${quote(written)} is recorded`,
        nearest(written, types),
        'record one',
      );
    }
    return written;
  }

  #roles({ roles = [] }: SubjectDetail, path: Path): void {
    for (const [index, role] of roles.entries()) {
      const known = this.tenant.roles.has(role) || [...this.tenant.roles].some((one) => one.endsWith(`/${role}`));
      if (known) continue;
      const near = this.#suggest(role, () => this.tenant.roles);
      this.#fault([...path, 'roles', index], role, `There is no role ${quote(role)}`, near, 'declare it');
    }
  }

  #fixtureName(name: string, path: Path): void {
    if (/[:/]/.test(name)) {
      this.file.fault(path, `the name ${quote(name)} reads as TYPE:NAME: choose one without ":" and "/".`, true);
    }
  }

  #noFixture(written: string, kind: string, names: readonly string[], path: Path): void {
    const near = nearest(written, names);
    this.#fault(
      path,
      written,
      `There is no fixture ${quote(written)} among the ${kind}s`,
      near,
      'write TYPE and name with a colon',
    );
  }

  #fault(path: Path, written: string, what: string, near: string | undefined, remedy: string): void {
    // One name that is wrong in a table stands in many places of it.
    const once = JSON.stringify([path.slice(0, 2), written]);
    if (this.#reported.has(once)) return;
    this.#reported.add(once);
    this.file.fault(path, `${what}: ${near === undefined ? `${remedy}.` : `did you mean ${quote(near)}?`}`);
  }
}

const STRANGER = 'write { type: TYPE, id: ID }, here or as a fixture, if nobody recorded is meant';
const UNRECORDED = 'write { type: TYPE, name: NAME }, here or as a fixture, if none recorded is meant';

type WithoutUndefined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** A copy without the members that are not there. */
function strip<T extends object>(value: T): WithoutUndefined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as WithoutUndefined<T>;
}
