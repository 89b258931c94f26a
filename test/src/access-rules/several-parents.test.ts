import { describe, expect, it } from 'vitest';
import { judged } from './judged.js';

const folders = (count: number) =>
  Array.from({ length: count }, (_, at) => `      f${at}: { type: folder }\n`).join('');
const docs = (count = 0) => `
applications:
  docs:
    resource_types:
      drive: { actions: [read] }
      folder: { actions: [read], parents: [{ type: folder, property: up }] }
      page: { actions: [read, write], parents: [{ type: drive, property: on }, { type: folder, property: in }, { type: folder, property: too }] }
    policies:
      read: { effect: ALLOW, resource_type: page, actions: [read] }
      write: { effect: ALLOW, resource_type: page, actions: [write] }
      stop: { effect: DENY, priority: 9, resource_type: page, actions: [read] }
      deep: { effect: ALLOW, resources: [{ resource: folder/b, actions: [read], below: true }] }
      shut: { effect: DENY, priority: 9, resources: [{ resource: folder/hr, actions: [read], below: true }] }
      open: { effect: ALLOW, resource_type: page, actions: [read], condition: 'resource.ancestor("docs/drive").properties.open == true' }
      two: { effect: ALLOW, resource_type: page, actions: [read], condition: 'resource.ancestors("docs/folder").size() == 2' }
      told: { effect: ALLOW, resource_type: page, actions: [read], condition: 'resource.properties["in"] == "b"' }
    roles:
      hearer: { from_requests: false, policies: [told] }
      viewer: { from_requests: false, policies: [read] }
      writer: { from_requests: false, policies: [write] }
      barred: { from_requests: false, policies: [stop] }
      diver: { from_requests: false, policies: [deep] }
      opener: { from_requests: false, policies: [open] }
      pair: { from_requests: false, policies: [two] }
    resources:
      c: { type: drive, properties: { open: true } }
      hr: { type: folder }
      a: { type: folder }
      b: { type: folder }
${folders(count)}
subjects: { user/ext: {}, user/ann: {} }
`;
const RULES = {
  closed: 'never: { subjects: user/ext, actions: [read], resources: { named: [docs/folder/hr], below: true } }',
  pages: 'never: { subjects: user/ext, actions: [read], resources: docs/page }',
  onlyAnn: 'only: { subjects: user/ann, actions: [read], resources: { named: [docs/folder/hr], below: true } }',
  glass: 'always: { subjects: user/ext, actions: [read], resources: { named: [docs/folder/hr], below: true } }',
  apart: 'separate: { subjects: user/ext, actions: [read, write], resources: docs/page }',
};
const rule = (name: keyof typeof RULES) => `access_rules: { rule: { ${RULES[name]} } }\n`;
const holds = (...all: [role: string, place: string][]) =>
  all.length === 0
    ? ''
    : `role_assignments: [${all.map(([role, place]) => `{ role: docs/${role}, to: user/ext, resource: docs/${place} }`).join(', ')}]\n`;
const assigned = (...policies: string[]) =>
  `policy_assignments: [${policies.map((policy) => `{ policy: docs/${policy}, to: user/ext }`).join(', ')}]\n`;

/** Semantics 8.2: a request names a parent in each of the properties. */
describe('a request that names several parents', () => {
  it.each<[how: string, rule: keyof typeof RULES, before: string, after: string, expected: RegExp | undefined]>([
    [
      'breaks `never` in the folder of the rule by a role on another',
      ...(['closed', '', holds(['viewer', 'folder/a'])] as const),
      /user\/ext may "read" docs\/page\/something with resource.properties \{"in":"a","on":null,"too":"hr"\}/,
    ],
    [
      'breaks `only` there',
      ...(['onlyAnn', '', holds(['viewer', 'drive/c'])] as const),
      /user\/ext may "read" docs\/page\/something with resource.properties \{"in":"hr","on":"c","too":null\}/,
    ],
    [
      'breaks `never` where a condition reads which property names which',
      ...(['pages', '', holds(['hearer', 'folder/a'])] as const),
      /"in":"b","on":null,"too":"a"/,
    ],
    [
      'breaks nothing where a DENY covers what lies in the folder of the rule',
      ...(['closed', assigned('shut'), assigned('shut') + holds(['viewer', 'folder/a'])] as const),
      undefined,
    ],
    [
      'breaks nothing that it broke before',
      ...(['closed', holds(['viewer', 'folder/a']), holds(['viewer', 'folder/a']) + assigned('shut')] as const),
      undefined,
    ],
    [
      'breaks `never` by a role on one whose policy covers what lies below the other',
      ...(['pages', '', holds(['diver', 'folder/a'])] as const),
      /"in":"a","on":null,"too":"b"/,
    ],
    [
      'breaks `never` by a role on one and a condition that asks for the other',
      ...(['pages', '', holds(['opener', 'folder/a'])] as const),
      /user\/ext may "read" docs\/page\/something with resource.properties \{"in":"a","on":"c","too":null\}/,
    ],
    [
      'breaks `never` by a condition that counts them',
      ...(['pages', '', holds(['pair', 'folder/a'])] as const),
      /may "read" .* \{"in":"a","on":null,"too":"b"\}/,
    ],
    [
      'breaks `never` where a DENY on one goes that stopped what the other allows',
      ...(['pages', holds(['viewer', 'folder/a'], ['barred', 'drive/c']), holds(['viewer', 'folder/a'])] as const),
      /"in":"a"/,
    ],
    [
      'breaks `always` by a DENY on one beside what the other allows',
      ...(['glass', holds(['viewer', 'folder/hr']), holds(['viewer', 'folder/hr'], ['barred', 'folder/a'])] as const),
      /must always be able to "read" docs\/page\/something.* denied with resource.properties \{"in":"a","on":null,"too":"hr"\}/,
    ],
    [
      'breaks `always` by a DENY on what it does not say, beside what it says',
      ...(['glass', holds(['viewer', 'folder/hr']), holds(['viewer', 'folder/hr'], ['barred', 'drive/c'])] as const),
      /must always be able to "read" docs\/page\/something.* denied with resource.properties \{"in":"hr"/,
    ],
    [
      'breaks `separate` by a duty in each',
      ...(['apart', holds(['viewer', 'folder/a']), holds(['viewer', 'folder/a'], ['writer', 'drive/c'])] as const),
      /may both "write" docs\/page\/something and "read" docs\/page\/something with resource.properties \{"in":"a","on":"c","too":null\}/,
    ],
  ])('%s', (_, name, before, after, expected) => {
    const found = judged(docs() + rule(name) + before, docs() + rule(name) + after);
    if (expected === undefined) expect(found).toEqual([]);
    else expect(found).toEqual([expect.stringMatching(expected)]);
  });
});

describe('more parents than can be looked at together', () => {
  const many = docs(40);
  const on = (role: string, count: number) =>
    Array.from({ length: count }, (_, at): [string, string] => [role, `folder/f${at}`]);

  it('are not proved to break nothing', () => {
    expect(judged(many + rule('pages'), many + rule('pages') + holds(['pair', 'folder/a']))).toEqual([
      expect.stringMatching(
        /user\/ext may, for all that can be said, "read" docs\/page\/something where it lies in some of docs\/folder\/a at/,
      ),
    ]);
    const barred = holds(...on('barred', 40), ['diver', 'folder/a']);
    expect(judged(many + rule('pages') + holds(...on('barred', 40)), many + rule('pages') + barred)).toEqual([
      expect.stringMatching(
        /user\/ext may, .* where it lies in some of docs\/folder\/a, docs\/folder\/b, docs\/folder\/f0, .*, 37 more at/,
      ),
    ]);
  });

  it('are not proved to break nothing where one of them moves', () => {
    const barred = on('barred', 40).filter(([, place]) => place !== 'folder/f7');
    const before = many + rule('pages') + holds(['diver', 'folder/a'], ...barred);
    const moved = before.replace('f7: { type: folder }', 'f7: { type: folder, parents: [folder/b] }');
    expect(judged(before, moved)).toEqual([
      expect.stringMatching(/user\/ext may, for all .* by resource\/docs\/folder\/f7/),
    ]);
  });

  it('break nothing by what a change leaves as it was', () => {
    const held = (more: [string, string][]) => holds(['pair', 'folder/a'], ...on('diver', 40), ...more);
    expect(judged(many + rule('pages') + held([]), many + rule('pages') + held([['barred', 'folder/b']]))).toEqual([]);
    expect(judged(many + rule('pages'), many + rule('pages') + holds(...on('writer', 40)))).toEqual([]);
  });
});

/** Parents that are left out are open: of six parent properties, three at once. */
describe('a request that says of three of six properties alone where a resource lies', () => {
  const said = ['one', 'two', 'three'];
  const open = ['four', 'five', 'six'];
  const all = [...said, ...open];
  const named = (type: string) => `resource.ancestors("docs/${type}").exists(r, r.name == "r-${type}")`;
  const tree = (more: string) => `
applications:
  docs:
    resource_types:
      ${all.map((type) => `${type}: { actions: [enter] }`).join('\n      ')}
      page: { actions: [read], parents: [${all.map((type) => `{ type: ${type}, property: ${type} }`).join(', ')}] }
    resources: { ${said.map((type) => `r-${type}: { type: ${type} }`).join(', ')}, s: { type: four, properties: { secret: false } } }
    policies: { read: { effect: ALLOW, resource_type: page, actions: [read] } }
    roles: { viewer: { from_requests: false, policies: [read] } }
subjects: { user/ext: {} }
access_rules:
  rule:
    never: { subjects: user/ext, actions: [read], resources: docs/page }
    when: ${[...said.map(named), ...open.map((type) => `resource.ancestors("docs/${type}").exists(r, r.properties.secret == true)`)].join(' && ')}
${more}`;

  it('breaks a rule about the three others', () => {
    const held = 'role_assignments: [{ role: docs/viewer, to: user/ext, resource: docs/one/r-one }]\n';
    expect(judged(tree(''), tree(held))).toEqual([
      expect.stringMatching(
        /user\/ext may "read" docs\/page\/something with resource.properties \{"one":"r-one","three":"r-three","two":"r-two"\}/,
      ),
    ]);
  });
});
