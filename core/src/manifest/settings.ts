import type { Json } from '../json/json.js';
import { describe, quote, YAML_WORDS } from '../records/describe.js';
import { nameText } from '../records/fields.js';
import { DEFAULT_STACK } from './manifest.js';
import { type Findings, placeText, type Source } from './source.js';
import { UNUSABLE, type YamlDocument } from './yaml-document.js';
import type { YamlNode } from './yaml-node.js';

/** The owner of records that are written over HTTP: a tree of that name would prune them. */
const API_OWNER = 'api';

interface Setting {
  value: string | number;
  document: YamlDocument;
  node: YamlNode;
}

/** The single values at the top of files. Each may be given more than once if the values are equal. */
export class Settings {
  private versionSeen = false;
  private readonly said = new Map<string, Setting>();
  /** The settings of an environment, which go before those of the base. */
  private readonly saidThere = new Map<string, Setting>();

  read(name: 'version' | 'tenant' | 'stack', document: YamlDocument, node: YamlNode, inEnvironment = false): void {
    if (name === 'version' && !inEnvironment) this.versionSeen = true;
    const said = inEnvironment ? this.saidThere : this.said;
    const value = document.json(node, () => ({ label: name }));
    if (value === UNUSABLE) return;
    const wrong = name === 'version' ? versionFault(value) : nameFault(name, value);
    if (wrong !== undefined) {
      document.fault(node, { label: name }, wrong);
      return;
    }
    const first = said.get(name);
    if (first === undefined) {
      said.set(name, { value: value as string | number, document, node });
    } else if (first.value !== value) {
      const place = placeText(first.document.place(first.node));
      const text = `is ${quote(String(value))} here and ${quote(String(first.value))} at ${place}: ${ONE_OF[name]}.`;
      document.fault(node, { label: name }, text);
    }
  }

  get tenant(): string | undefined {
    return (this.saidThere.get('tenant') ?? this.said.get('tenant'))?.value as string | undefined;
  }

  get stack(): string {
    return (this.said.get('stack')?.value as string | undefined) ?? DEFAULT_STACK;
  }

  /** Reports a tree in which no file says the version. */
  requireVersion(first: Source, findings: Findings): void {
    if (this.versionSeen) return;
    findings.fault(first, 0, { label: 'version' }, 'is missing: write "version: 1" at the top of one file.');
  }
}

/** Remedies for a setting with two values. */
const ONE_OF = {
  version: 'keep one of them',
  tenant: 'keep one of them, or validate, plan and apply the folder of each tenant separately',
  stack: 'keep one of them, or validate, plan and apply the folder of each stack separately',
};

function versionFault(value: Json): string | undefined {
  return value === 1 ? undefined : `${describe(value, YAML_WORDS)}, and only 1 is known: write "version: 1".`;
}

function nameFault(name: string, value: Json): string | undefined {
  if (typeof value !== 'string') {
    const remedy = value === null || typeof value === 'object' ? `write ${name}: NAME` : 'write it in quotes';
    return `${describe(value, YAML_WORDS)}, a text is expected: ${remedy}.`;
  }
  const result = nameText.safeParse(value);
  if (!result.success) return `${quote(value)} ${result.error.issues[0]?.message ?? 'is not allowed'}.`;
  if (name === 'stack' && value === API_OWNER) {
    return `"${API_OWNER}" owns what is written over HTTP, and would be pruned: choose another name.`;
  }
  if (name === 'stack' && value.startsWith('directory/')) {
    return `${quote(value)} is a directory, for which only its own key writes: choose another name.`;
  }
  return undefined;
}
