import type { AttributePathMessage, DiagnosticMessage } from '../protocol/messages.js';
import { SEVERITY } from '../protocol/messages.js';
import type { Attributes, Type } from './schema.js';

/** A place in an object: names of attributes, keys of maps and indexes of lists. */
export type Path = readonly (string | number)[];

/**
 * A message that Terraform shows. The detail names the value and the remedy; `path` lets Terraform point into the
 * configuration.
 */
export interface Diagnostic {
  severity: 'error' | 'warning';
  summary: string;
  detail: string;
  path?: Path;
}

/** Refuses a call with its own diagnostics. Anything else that is thrown counts as a fault of the provider. */
export class Refusal extends Error {
  constructor(readonly diagnostics: readonly Diagnostic[]) {
    super(diagnostics.map((item) => item.summary).join('; '));
  }
}

export function refuse(summary: string, detail: string, path?: Path): Refusal {
  return new Refusal([{ severity: 'error', summary, detail, ...(path === undefined ? {} : { path }) }]);
}

export function diagnosticMessage(attributes: Attributes, diagnostic: Diagnostic): DiagnosticMessage {
  const { severity, summary, detail, path = [] } = diagnostic;
  if (path.length === 0) return { severity: SEVERITY[severity], summary, detail };
  const attribute = foundByTerraform(pathMessage(attributes, path));
  const said = path.length <= (attribute.steps?.length ?? 0) || detail.startsWith(`${pathText(path)}:`);
  const deeper = said ? '' : `\n\nAt ${pathText(path)}.`;
  return { severity: SEVERITY[severity], summary, detail: `${detail}${deeper}`, attribute };
}

/**
 * Terraform finds the line of an attribute, and of one of its elements by index or key. For a longer path it points at
 * the first line of the resource, so the detail spells the path out.
 */
function foundByTerraform({ steps = [] }: AttributePathMessage): AttributePathMessage {
  return { steps: steps.slice(0, steps[1]?.attribute_name === undefined ? 2 : 1) };
}

/** A path in the configuration's notation: `modifiers.time_windows[0].zone`. */
export function pathText(path: Path): string {
  return path.reduce<string>(
    (text, step) => (typeof step === 'number' ? `${text}[${step}]` : text === '' ? step : `${text}.${step}`),
    '',
  );
}

/**
 * A path in the protocol's notation, as far as possible: an element of a set has no key, so the path ends at the set.
 * It also ends at anything that the schema does not know.
 */
export function pathMessage(attributes: Attributes, path: Path): AttributePathMessage {
  const steps: NonNullable<AttributePathMessage['steps']>[number][] = [];
  let inside: { attributes: Attributes } | { kind: string; item: Inside } | undefined = { attributes };
  for (const step of path) {
    if (inside === undefined) break;
    if ('attributes' in inside) {
      const attribute = Object.hasOwn(inside.attributes, step) ? inside.attributes[step] : undefined;
      if (attribute === undefined) break;
      steps.push({ attribute_name: String(step) });
      if ('type' in attribute) inside = insideType(attribute.type);
      else if (attribute.nested === 'single') inside = { attributes: attribute.attributes };
      else inside = { kind: attribute.nested, item: { attributes: attribute.attributes } };
    } else if (inside.kind === 'list' && typeof step === 'number') {
      steps.push({ element_key_int: step });
      inside = inside.item;
    } else if (inside.kind === 'map') {
      steps.push({ element_key_string: String(step) });
      inside = inside.item;
    } else break;
  }
  return { steps };
}

type Inside = { attributes: Attributes } | { kind: string; item: Inside } | undefined;

function insideType(type: Type): Inside {
  if (typeof type === 'string') return undefined;
  const [kind, item] = Object.entries(type)[0] as [string, Type];
  return { kind, item: insideType(item) };
}
