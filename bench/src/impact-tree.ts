import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface TreeShape {
  records: number;
  files: number;
  /** The difference from the tree without it: one policy of the first file, or everything in it that says who may do what. */
  change?: 'one policy' | 'one file';
}

type Section = Record<string, object>;

/**
 * Writes a tree of about so many records into a folder and returns how many. Each file is a department: an application
 * with documents, people in nested groups, and policies for its roles, of which every fourth has a condition.
 */
export function writeTree(folder: string, { records, files, change }: TreeShape): number {
  let written = 0;
  for (let file = 0; file < files; file++) {
    const { content, count } = department(file, Math.round(records / files), file === 0 ? change : undefined);
    written += count;
    // JSON is YAML, and fields in lines of their own are what people write.
    writeFileSync(join(folder, `department-${file}.yaml`), yaml({ version: 1, ...content }, ''));
  }
  return written;
}

function department(at: number, records: number, change: TreeShape['change']) {
  // Three records for each person: the subject, a membership, and a document.
  const people = Math.floor((records * 0.87) / 3);
  const groupCount = Math.max(2, Math.floor(people / 25));
  const policyCount = Math.max(4, Math.floor(records * 0.03));
  const roleCount = Math.max(2, Math.floor(policyCount / 4));
  const list = (count: number) => Array.from({ length: count }, (_, one) => one);
  const all = change === 'one file';
  const application = `a${at}`;
  const groups: Section = Object.fromEntries(
    list(groupCount).map((group) => [
      `g${at}-${group}`,
      {
        members: [
          ...list(people).flatMap((one) =>
            (one + (all ? 1 : 0)) % groupCount === group ? [`user/s${at}-${one}`] : [],
          ),
          ...(group > 0 && group % 2 === 0 ? [`group/g${at}-${group / 2}`] : []),
        ],
        roles: [`${application}/role-${group % roleCount}`],
      },
    ]),
  );
  const policies: Section = Object.fromEntries(
    list(policyCount).map((policy) => [
      `p${policy}`,
      {
        effect: policy % 16 === 15 ? 'DENY' : 'ALLOW',
        priority: policy % 16 === 15 ? 1 : 0,
        resource_type: `${application}/doc`,
        actions: [policy === 0 ? 'read' : policy % 16 === 15 ? 'erase' : policy % 3 === 0 ? 'write' : 'share'],
        ...(policy % 4 === 1 && { condition: `context.level > ${(policy % 7) + (all ? 1 : 0)}` }),
        ...(policy === 2 && change === 'one policy' && { condition: 'resource.properties.size < 50' }),
        assigned_to: policy === 0 ? ['everyone'] : [`role/${application}/role-${policy % roleCount}`],
      },
    ]),
  );
  const content = {
    applications: {
      [application]: {
        resource_types: { doc: { actions: ['read', 'write', 'share', 'erase'], properties: { size: 'number' } } },
        resources: Object.fromEntries(
          list(people).map((one) => [`r${at}-${one}`, { type: 'doc', properties: { size: one % 100 } }]),
        ),
        roles: Object.fromEntries(list(roleCount).map((role) => [`role-${role}`, {}])),
        policies,
      },
    },
    groups,
    subjects: Object.fromEntries(list(people).map((one) => [`user/s${at}-${one}`, { properties: { level: one % 5 } }])),
  };
  const nested = Math.floor((groupCount - 1) / 2);
  return { content, count: 2 + people * 3 + groupCount * 2 + nested + policyCount * 2 + roleCount };
}

/** Maps and lists in lines of their own, as far as they hold others. */
function yaml(value: object, indent: string): string {
  let text = '';
  for (const [key, one] of Object.entries(value)) {
    const flat = typeof one !== 'object' || Object.values(one).every((inner) => typeof inner !== 'object');
    const short = flat || Object.keys(one).length === 0 || indent.length >= 8;
    text += short ? `${indent}${key}: ${JSON.stringify(one)}\n` : `${indent}${key}:\n${yaml(one, `${indent}  `)}`;
  }
  return text;
}
