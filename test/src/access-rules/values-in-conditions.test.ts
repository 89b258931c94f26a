/** Whatever a decision gives to a condition, rules and impact take into account (docs/semantics.md 8.10, 10.3, 11.3). */

import { ancestorValue } from '@authz-service/core/conditions/evaluate/ancestors';
import { variables } from '@authz-service/core/conditions/evaluate/variables';
import { MAP } from '@authz-service/core/conditions/values/static-type';
import { computeImpact } from '@authz-service/core/questions/impact/compute-impact';
import { describe, expect, it } from 'vitest';
import { judged, NOW, stateOf } from './judged.js';

const FOLDERS = 'resource.ancestors("docs/folder")';
const tenant = (condition?: string) => `
applications:
  docs:
    resource_types:
      folder: { actions: [list], parents: [{ type: docs/folder, property: folder }] }
      document: { actions: [read], parents: [{ type: docs/folder, property: folder }] }
    resources:
      secret: { type: folder }
      deep: { type: folder, parents: [folder/secret] }
      salaries: { type: document, parents: [folder/deep] }
${
  condition === undefined
    ? ''
    : `    policies: { leak: { effect: ALLOW, resource_type: document, actions: [read], assigned_to: [group/ext], condition: ${JSON.stringify(condition)} } }`
}
groups: { ext: { members: [user/eve] } }
subjects: { user/eve: {} }
access_rules:
  kept: { never: { subjects: { groups: [ext] }, actions: [read], resources: { named: [docs/folder/secret], below: true } } }
`;
const gained = (condition: string) =>
  computeImpact(
    { records: [...stateOf(tenant()).records()] },
    { records: [...stateOf(tenant(condition)).records()] },
    { now: NOW },
  ).delta.findings;

const members = Object.keys(ancestorValue({ type: '', application: '', name: '', properties: {}, id: '' }));
const readingsOf = (root: string, name: string) => [
  `${root}.${name} != "?"`,
  `has(${root}.${name})`,
  `"${name}" in ${root}`,
  `${root}["${name}"] != "?"`,
  `[${root}].exists(g, g.${name} != "?")`,
  `cel.bind(g, ${root}, g.${name} != "?")`,
];
const readings = members.flatMap((name) => readingsOf('f', name));
const roots = [...variables(MAP)].flatMap(([root, { members: all }]) =>
  [...(all?.keys() ?? [])].filter((name) => name !== 'properties').flatMap((name) => readingsOf(root, name)),
);

describe('a condition on a value of the request', () => {
  it.each(roots)('that is %s lets through what decisions do', (condition) => {
    expect(judged(tenant(), tenant(condition))[0]).toMatch(/user\/eve may "read" docs\/document\//);
    expect(gained(condition).length).toBeGreaterThan(0);
  });
});

describe('a condition on the ancestors of what a rule protects', () => {
  it.each([
    ...readings,
    'f.id.size() == 36',
    'f["i" + "d"] != ""',
    '!(f.id == "x")',
    `size(f) == ${members.length}`,
    'f.exists(name, name == "id")',
    'f != {"name": "deep"}',
  ])('that asks %s lets through what decisions do', (reading) => {
    const condition = `${FOLDERS}.exists(f, ${reading})`;
    expect(judged(tenant(), tenant(condition))[0]).toMatch(/user\/eve may "read" docs\/document\/salaries/);
    expect(gained(condition)[0]).toMatchObject({ subjects: expect.anything() });
  });

  it.each([
    `${FOLDERS}.filter(f, f.name == "deep")[0].id != ""`,
    `${FOLDERS}.map(f, f.id).exists(id, id != "")`,
    `(context.x ? ${FOLDERS} : ${FOLDERS}).exists(f, has(f.id))`,
    `cel.bind(all, ${FOLDERS}, all.exists(f, f.id != ""))`,
  ])('that is %s does, too', (condition) => {
    expect(judged(tenant(), tenant(condition))).toHaveLength(1);
    expect(gained(condition).length).toBeGreaterThan(0);
  });

  it.each([
    `${FOLDERS}.exists(f, f.name == "elsewhere")`,
    `${FOLDERS}.filter(f, f.type == "drive").size() > 0`,
    `size(${FOLDERS}) > 2`,
  ])('that is %s and never true for it is not refused for ids that it does not read', (condition) => {
    const below = tenant(condition).replace(
      'condition:',
      'resources: [{ resource: document/salaries, actions: [read] }], condition:',
    );
    expect(judged(tenant(), below.replace('resource_type: document, actions: [read], ', ''))).toEqual([]);
  });
});
