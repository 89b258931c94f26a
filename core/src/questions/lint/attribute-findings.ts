import { attributePath, partsOf } from '../../conditions/reads/reads.js';
import { type Ast, parseCondition } from '../../conditions/syntax/parse.js';
import type { DeclaredRecord } from '../../records/registry.js';
import { slipOf } from '../../text/nearest.js';
import type { LintFinding } from './lint-finding.js';

/** Uses of one attribute. */
interface Uses {
  /** In conditions, each with its place. */
  read: { address: string; offset: number }[];
  /** In records and declarations. */
  stored: number;
}

/** The attributes of requests that modifiers read. */
const WELL_KNOWN = ['context.ip', 'context.time', 'context.mfa'];
/** A name is taken for a slip of one that is used this many times as often. */
const MORE_OFTEN = 2;

/** Attributes that are stored nowhere and read seldom, under a name that looks like a slip of one that is used more. */
export function attributeFindings(records: readonly DeclaredRecord[]): LintFinding[] {
  const uses = new Map<string, Uses>();
  const usesOf = (path: string): Uses => {
    const known = uses.get(path) ?? { read: [], stored: 0 };
    uses.set(path, known);
    return known;
  };
  for (const path of WELL_KNOWN) usesOf(path).stored++;
  for (const { kind, address, fields } of records) {
    if (kind === 'subject' || kind === 'subject_type')
      for (const name of Object.keys(fields.properties ?? {})) usesOf(`subject.properties.${name}`).stored++;
    else if (kind === 'resource' || kind === 'resource_type')
      for (const name of Object.keys(fields.properties ?? {})) usesOf(`resource.properties.${name}`).stored++;
    else if (kind === 'context_attribute') usesOf(`context.${fields.name}`).stored++;
    else if (kind === 'policy' && fields.condition !== undefined) {
      for (const { path, offset } of readsOf(fields.condition)) usesOf(path).read.push({ address, offset });
    }
  }
  return [...uses].flatMap(([path, { read, stored }]) => {
    if (stored > 0) return [];
    const [prefix, name] = splitAttribute(path);
    const others = [...uses].flatMap(([other, { read: known, stored: held }]) => {
      const [root, others] = splitAttribute(other);
      const used = held > 0 || known.length >= read.length * MORE_OFTEN;
      return root === prefix && other !== path && used ? [others] : [];
    });
    const meant = slipOf(name, others);
    if (meant === undefined) return [];
    const detail = `reads ${path}, which nothing else uses: did you mean ${prefix}.${meant}?`;
    return read.map(({ address, offset }) => ({
      ...{ rule: 'misspelt-attribute', certainty: 'suspected', address, pointer: '/condition', offset, detail },
    })) as LintFinding[];
  });
}

/** The attributes that a condition reads, without what is inside of them: `subject.properties.region`. */
function readsOf(condition: string): { path: string; offset: number }[] {
  const found = new Map<string, number>();
  const visit = (ast: Ast): void => {
    const path = attributePath(ast);
    const match = path === undefined ? null : ATTRIBUTE.exec(path);
    if (match !== null && match[0] === path) found.set(path, found.get(path) ?? ast.start);
    for (const part of partsOf(ast)) visit(part);
  };
  visit(parseCondition(condition));
  return [...found].map(([path, offset]) => ({ path, offset }));
}

const ATTRIBUTE = /^(?:context|(?:subject|resource|action)\.properties)\.\w+$/;

function splitAttribute(path: string): [prefix: string, name: string] {
  const at = path.lastIndexOf('.');
  return [path.slice(0, at), path.slice(at + 1)];
}
