import { checkCondition } from '../conditions/reads/check.js';
import { variablesRead } from '../conditions/reads/variables-read.js';
import { EVERY_RESOURCE_TYPE, RULE_FORMS } from '../records/access-rule.js';
import { type Path, typeOfResource } from '../records/address.js';
import { namesInCondition } from '../records/condition-names.js';
import type { DeclaredRecord } from '../records/registry.js';
import type { RecordFinding, RecordView } from './change.js';
import type { Suggest } from './suggest.js';

/** Finds what is wrong with an access rule by itself and beside the types that it names: expressions and actions. */
export function accessRuleFindings(
  view: RecordView,
  { address, fields }: DeclaredRecord<'access_rule'>,
  suggest: Suggest,
): RecordFinding[] {
  const findings: RecordFinding[] = [];
  const refuse = (pointer: string, detail: string, offset?: number) =>
    findings.push({ severity: 'error', address, pointer, detail, ...(offset !== undefined && { offset }) });
  const expression = (pointer: string, source: string | undefined, variables?: string) => {
    if (source === undefined) return;
    const { error } = checkCondition(source, undefined);
    if (error) {
      const place = error.offset === undefined ? '' : ` (at character ${error.offset + 1})`;
      refuse(pointer, `The expression is not valid${place}: ${error.detail}`, error.offset);
      return;
    }
    if (variables === undefined) return;
    const read = variablesRead(source);
    const other = VARIABLES.find((name) => name !== variables && read.includes(name));
    if (other !== undefined) {
      refuse(pointer, `This reads "${other}", and here only "${variables}" is known: write it under \`when\`.`);
      return;
    }
    const asked = namesInCondition(source).find(({ kind }) => kind !== 'group');
    if (asked !== undefined)
      refuse(pointer, `This asks about "${asked.target}", which depends on the resource: write it under \`when\`.`);
  };
  for (const form of RULE_FORMS) {
    const said = fields[form];
    if (said === undefined) continue;
    expression(`/${form}/subjects/where`, said.subjects?.where, 'subject');
    expression(`/${form}/resources/where`, said.resources.where, 'resource');
    const known = actionsOf(view, said.resources);
    said.actions.forEach((name, index) => {
      if (known === undefined || name === '*' || known.has(name)) return;
      const meant = suggest(name, () => known);
      const remedy = meant === undefined ? `they have ${[...known].sort().join(', ')}.` : `did you mean "${meant}"?`;
      const detail = `None of the types that the rule means has an action "${name}": ${remedy}`;
      findings.push({ severity: 'warning', address, pointer: `/${form}/actions/${index}`, detail });
    });
  }
  expression('/when', fields.when);
  return findings;
}

const VARIABLES = ['subject', 'resource', 'action', 'context'] as const;

/** The actions of the types that are meant; undefined where these are not all known. */
function actionsOf(
  view: RecordView,
  { types = [], named = [], below }: { types?: Path[]; named?: Path[]; below?: true },
): ReadonlySet<string> | undefined {
  if (below || types.includes(EVERY_RESOURCE_TYPE)) return undefined;
  const known = new Set<string>();
  for (const path of [...types, ...named.map(typeOfResource)]) {
    const type = view.get(`resource_type/${path}`);
    if (type?.kind !== 'resource_type') return undefined;
    // Of a faulty type, only what is valid is there.
    const { actions }: { actions?: string[] } = type.fields;
    if (actions === undefined) return undefined;
    for (const action of actions) known.add(action);
  }
  return known;
}
