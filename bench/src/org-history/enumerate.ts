import type { EngineRecord } from '@authz-service/core/access/api/engine';
import { compileEngine } from '@authz-service/core/access/engine/compile-engine';
import { readManifest } from '@authz-service/core/manifest/read';
import type { PairLine } from '@authz-service/core/questions/impact/api/access-delta';
import type { Impact } from '@authz-service/core/questions/impact/api/impact';
import type { DeclaredRecord, Fields } from '@authz-service/core/records/registry';
import { equalJson } from '@authz-service/core/state/equal-json';
import { tenantTree } from '@authz-service/example-github-org/dist/tenant.js';
import { evaluate } from '../../../test/src/naive/evaluate.js';
import { random } from '../random.js';
import type { State } from './states.js';

/** The number of triples of a sample that the naive evaluator is asked: of those that change, and of the others. */
const NAIVE = 150;

/** The result of enumerating the triples of a commit. */
export interface Enumerated {
  readonly triples: number;
  readonly changed: number;
  readonly naive: number;
  /** Differences of the delta, or of the translation; empty if all agrees. */
  readonly wrong: readonly string[];
}

/**
 * Asks the engine each recorded triple in both states and compares the answers with the delta's pairs; the naive
 * evaluator answers some of those that change and of the others.
 */
export function enumerate(before: State, after: State, impact: Impact, now: number): Enumerated {
  const wrong = [...translationFaults(before), ...translationFaults(after)];
  const sides = [before, after].map(({ records }) => {
    const compiled = records.map((record) => ({ ...record, id: record.address }) as EngineRecord);
    return { compiled, engine: compileEngine(compiled) };
  });
  const said = new Map<string, PairLine>(
    [...impact.pairs()].map((line) => [`${line.subject} ${line.action} ${line.resource}`, line] as const),
  );
  const below = random(17);
  const asked: { request: Parameters<typeof evaluate>[1]; answers: boolean[] }[] = [];
  const others: typeof asked = [];
  let [triples, changed] = [0, 0];
  const all = <K extends 'subject' | 'resource' | 'resource_type'>(kind: K) => [
    ...new Map(
      [...before.records, ...after.records].flatMap((one) =>
        one.kind === kind ? [[one.address, one.fields as Fields<K>] as const] : [],
      ),
    ),
  ];
  const actions = new Map(all('resource_type').map(([address, type]) => [address.slice(14), type.actions]));
  for (const [subject, { type, id }] of all('subject'))
    for (const [resource, { type: of, name }] of all('resource'))
      for (const action of actions.get(of) ?? []) {
        triples++;
        const request = { subject: { type, id }, resource: { type: of, name }, action: { name: action } };
        const answers = sides.map(({ engine }) => engine.decide(request, now).decision);
        const [was, is] = answers;
        const key = `${subject.slice(8)} ${action} ${resource.slice(9)}`;
        const line = said.get(key);
        const expected = was === is ? undefined : `${word(was)} to ${word(is)}: ${is ? 'gained' : 'lost'}`;
        const told = line && `${line.before} to ${line.after}: ${line.change}`;
        if (expected !== told)
          wrong.push(`${key} is ${expected ?? 'the same'}, and the delta says ${told ?? 'nothing'}`);
        said.delete(key);
        if (expected !== undefined) changed++;
        // A random choice of a known size from a list of an unknown one.
        const [list, seen] = expected === undefined ? [others, triples - changed] : [asked, changed];
        if (list.length < NAIVE) list.push({ request, answers });
        else {
          const at = below(seen);
          if (at < NAIVE) list[at] = { request, answers };
        }
      }
  for (const key of said.keys()) wrong.push(`${key} is no recorded triple, and the delta has it`);
  for (const { request, answers } of [...asked, ...others]) {
    const naive = sides.map(({ compiled }) => evaluate(compiled, request, now));
    if (naive.some((answer, at) => !('decision' in answer) || answer.decision !== answers[at]))
      wrong.push(`${JSON.stringify(request)} is ${answers}, and the naive evaluator says ${JSON.stringify(naive)}`);
  }
  return { triples, changed, naive: asked.length + others.length, wrong };
}

const word = (allowed: boolean | undefined) => (allowed ? 'allow' : 'deny');

/** Returns where the records are not those of the tree that examples/github-org writes. */
function translationFaults({ organizations, records }: State): string[] {
  const files = tenantTree([...organizations]).map(({ path, content }) => ({ path, text: JSON.stringify(content) }));
  const { faults, manifest } = readManifest(files);
  if (manifest === undefined) return [`the tree is refused: ${faults[0]?.detail}`];
  const read = new Map(manifest.records.map((record) => [record.address, record]));
  const wrong: string[] = [];
  for (const { address, fields } of records as readonly DeclaredRecord[]) {
    const other = read.get(address)?.fields;
    if (other === undefined || !equalJson(other as never, fields as never))
      wrong.push(`${address} is not that of the tree`);
    read.delete(address);
  }
  for (const address of read.keys()) wrong.push(`${address} of the tree is missing`);
  return wrong;
}
