import type { JsonObject } from '../../json/json.js';
import type { SourcePlace } from '../../manifest/manifest.js';
import { quote } from '../../records/describe.js';
import { entityText } from '../../records/entity-text.js';
import type { DecisionRequest } from '../../request.js';
import { judgeAttributes } from './judge-attributes.js';
import type { ReadTestFile } from './read-test-file.js';
import { type NamedAction, type NamedResource, type NamedSubject, NameResolver } from './resolve-names.js';
import type { Cells, Test } from './test-schema.js';
import type { TestTenant } from './test-tenant.js';

/** The expected outcome of a decision. */
export interface Expectation {
  expect: 'allow' | 'deny' | 'failure';
  policy?: string | undefined;
  reason?: string | undefined;
  /** The place where it is written. */
  place: SourcePlace;
}

interface CaseQuestion {
  test: string;
  question: string;
  now: number | undefined;
}

/** One question of a test, with all that is expected of its answer. */
export interface DecisionCase extends CaseQuestion {
  form: 'decision';
  request: DecisionRequest;
  expectations: readonly Expectation[];
}

/** One exact set: of all items those that are allowed must be the listed ones. */
export interface SetCase extends CaseQuestion {
  form: 'set';
  items: readonly { text: string; request: DecisionRequest }[];
  exactly: ReadonlySet<string>;
  place: SourcePlace;
}

export type Case = DecisionCase | SetCase;

type Path = readonly PropertyKey[];
type Of<F extends Test['form']> = Extract<Test, { form: F }>;

/** All that a table asks about. */
interface Table {
  subjects: readonly NamedSubject[];
  actions: readonly NamedAction[];
  resources: readonly NamedResource[];
}

/** All cases of a file, in order. Names that mean nothing are reported to the file. */
export function casesOf(file: ReadTestFile, tenant: TestTenant): Case[] {
  judgeAttributes(file, tenant.schemas);
  const maker = new CaseMaker(file, tenant);
  return file.tests.flatMap(({ test, path }) => maker.of(test, path));
}

class CaseMaker {
  readonly #names: NameResolver;

  constructor(
    private readonly file: ReadTestFile,
    private readonly tenant: TestTenant,
  ) {
    this.#names = new NameResolver(file, tenant);
  }

  of(test: Test, path: Path): Case[] {
    switch (test.form) {
      case 'question':
        return [this.#question(test, path)];
      case 'table':
        return this.#table(test, path);
      case 'who_can':
        return [this.#whoCan(test, path)];
      case 'what_can':
        return this.#whatCan(test, path);
    }
  }

  #question(test: Of<'question'>, path: Path): DecisionCase {
    const subject = this.#names.subject(test.subject, [...path, 'subject']);
    const resource = this.#names.resource(test.resource, [...path, 'resource']);
    const action = this.#names.action(test.action, [resource.typePath], [...path, 'action']);
    this.#names.policy(test.policy, path);
    const { expect, policy, reason } = test;
    const expectations = [{ expect, policy, reason, place: this.file.placeOf(path) }];
    return this.#decision(test, subject, action, resource, expectations);
  }

  #table(test: Of<'table'>, path: Path): DecisionCase[] {
    const subjects = test.subjects.map((one, at) => this.#names.subject(one, [...path, 'subjects', at]));
    const resources = test.resources.map((one, at) => this.#names.resource(one, [...path, 'resources', at]));
    const types = resources.map(({ typePath }) => typePath);
    const actions = test.actions.map((one, at) => this.#names.action(one, types, [...path, 'actions', at]));
    const expected = new Map<string, Expectation[]>();
    for (const [key, expect] of [
      ['allowed', 'allow'],
      ['denied', 'deny'],
    ] as const) {
      for (const [at, cells] of test[key].entries()) {
        const here = [...path, key, at];
        const place = this.file.placeOf(here);
        this.#names.policy(cells.policy, here);
        const { policy, reason } = cells;
        for (const cell of this.#cells(cells, { subjects, actions, resources }, here)) {
          const list = expected.get(cell);
          if (list === undefined) expected.set(cell, [{ expect, policy, reason, place }]);
          else if (list.every((one) => one.expect === expect)) list.push({ expect, policy, reason, place });
          else
            this.file.fault(
              here,
              `says that ${cell} is denied, and "allowed" says that it is allowed: keep one of them.`,
            );
        }
      }
    }
    const unlisted: Expectation = { expect: 'deny', place: this.file.placeOf(path) };
    return subjects.flatMap((subject) =>
      actions.flatMap((action) =>
        resources.map((resource) => {
          const question = sentence(subject.text, action.text, resource.text);
          return this.#decision(test, subject, action, resource, expected.get(question) ?? [unlisted]);
        }),
      ),
    );
  }

  /** The questions of a table that an item of `allowed` or `denied` speaks of. */
  #cells(cells: Cells, table: Table, path: Path): string[] {
    const among = (key: keyof Table, texts: readonly string[] | undefined) => {
      const known = table[key].map(({ text }) => text);
      for (const [at, text] of (texts ?? []).entries()) {
        if (!known.includes(text)) {
          this.file.fault([...path, key, at], `${quote(text)} is not among the ${key} of the table: add it there.`);
        }
      }
      return texts ?? known;
    };
    const types = table.resources.map(({ typePath }) => typePath);
    const subjects = among(
      'subjects',
      cells.subjects?.map((one, at) => this.#names.subject(one, [...path, 'subjects', at]).text),
    );
    const actions = among(
      'actions',
      cells.actions?.map((one, at) => this.#names.action(one, types, [...path, 'actions', at]).text),
    );
    const resources = among(
      'resources',
      cells.resources?.map((one, at) => this.#names.resource(one, [...path, 'resources', at]).text),
    );
    return subjects.flatMap((subject) =>
      actions.flatMap((action) => resources.map((resource) => sentence(subject, action, resource))),
    );
  }

  #whoCan(test: Of<'who_can'>, path: Path): SetCase {
    const { subject_type } = test.who_can;
    const at = [...path, 'who_can'];
    const resource = this.#names.resource(test.who_can.resource, [...at, 'resource']);
    const action = this.#names.action(test.who_can.action, [resource.typePath], [...at, 'action']);
    if (subject_type !== undefined) this.#names.subjectType(subject_type, [...at, 'subject_type']);
    const candidates = this.tenant.subjects.filter(({ type }) => subject_type === undefined || type === subject_type);
    const items = candidates.map(({ type, name, text }) => ({
      text,
      request: this.#request(test, { type, id: name }, action.value, resource.value),
    }));
    const exactly = test.exactly.map((text, index) => this.#names.subject(text, [...path, 'exactly', index]).text);
    return this.#set(test, path, `who can ${action.text} ${resource.text}`, items, exactly);
  }

  #whatCan(test: Of<'what_can'>, path: Path): SetCase[] {
    const at = [...path, 'what_can'];
    const { action, resource: written, resource_type } = test.what_can;
    const subject = this.#names.subject(test.what_can.subject, [...at, 'subject']);
    if ((action === undefined) === (written === undefined)) {
      this.file.fault(
        at,
        'takes either "action", for the resources, or "resource", for the actions: write one of them.',
      );
      return [];
    }
    if (written !== undefined) {
      if (resource_type !== undefined)
        this.file.fault([...at, 'resource_type'], 'goes with "action" alone: remove it.', true);
      const resource = this.#names.resource(written, [...at, 'resource']);
      const actions = this.tenant.types.get(resource.typePath)?.actions ?? [];
      for (const [index, one] of test.exactly.entries()) {
        this.#names.actionName(one, [resource.typePath], [...path, 'exactly', index]);
      }
      const items = actions.map((text) => ({
        text,
        request: this.#request(test, subject.value, { name: text }, resource.value),
      }));
      return [this.#set(test, path, `what ${subject.text} can do to ${resource.text}`, items, test.exactly)];
    }
    const type = resource_type === undefined ? undefined : this.#names.type(resource_type, [...at, 'resource_type']);
    const types = type === undefined ? [...this.tenant.types.keys()] : [type];
    const { text: named, value: asked } = this.#names.action(action ?? '', types, [...at, 'action']);
    const items = this.tenant.resources
      .filter((one) => (type === undefined || one.type === type) && one.actions.includes(asked.name))
      .map((one) => ({
        text: one.text,
        request: this.#request(test, subject.value, asked, { type: one.type, name: one.name }),
      }));
    const exactly = test.exactly.map((text, index) => {
      const resource = this.#names.resource(text, [...path, 'exactly', index]);
      return entityText('resource', { type: resource.typePath, name: resource.value.name ?? '' });
    });
    return [this.#set(test, path, `what ${subject.text} can ${named}`, items, exactly)];
  }

  #set(test: Test, path: Path, question: string, items: SetCase['items'], exactly: readonly string[]): SetCase {
    const place = this.file.placeOf([...path, 'exactly'], true);
    return { form: 'set', test: test.name, question, now: this.#now(test), items, exactly: new Set(exactly), place };
  }

  #decision(
    test: Test,
    subject: NamedSubject,
    action: NamedAction,
    resource: NamedResource,
    expectations: readonly Expectation[],
  ): DecisionCase {
    const request = this.#request(test, subject.value, action.value, resource.value);
    const question = sentence(subject.text, action.text, resource.text);
    return { form: 'decision', test: test.name, question, now: this.#now(test), request, expectations };
  }

  #request(
    test: Test,
    subject: DecisionRequest['subject'],
    action: DecisionRequest['action'],
    resource: DecisionRequest['resource'],
  ): DecisionRequest {
    const { head } = this.file;
    const context =
      test.context === undefined && head.context === undefined ? undefined : { ...head.context, ...test.context };
    return { subject, action, resource, ...(context && { context: context as JsonObject }) };
  }

  #now(test: Test): number | undefined {
    const clock = test.clock ?? this.file.head.clock;
    return clock === undefined ? undefined : Date.parse(clock);
  }
}

/** How a question is shown, and found by a filter: `user:alice read invoice:INV-1`. */
function sentence(subject: string, action: string, resource: string): string {
  return `${subject} ${action} ${resource}`;
}
