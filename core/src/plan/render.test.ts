import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json/json.js';
import type { Plan, PlannedChange } from './plan.js';
import { renderMarkdown } from './render-markdown.js';
import { renderText } from './render-text.js';

function planOf(changes: PlannedChange[], more: Partial<Plan> = {}): Plan {
  const added = changes.filter(({ action }) => action === 'create').length;
  const removed = changes.filter(({ action }) => action === 'delete').length;
  const counts = { added, removed, changed: changes.length - added - removed, unchanged: 120 };
  return { format: 1, tenant: 'acme', stack: 'billing', base_revision: '3.0123456789abcdef', changes, counts, ...more };
}

const created = (name: string, fields: JsonObject = {}) =>
  ({ action: 'create', kind: 'resource', address: `resource/a/t/${name}`, differences: [], fields }) as PlannedChange;
const removed = (name: string): PlannedChange => ({
  action: 'delete',
  kind: 'role',
  address: `role/${name}`,
  differences: [{ pointer: '/name', before: name }],
});

const MIXED: PlannedChange[] = [
  {
    action: 'move',
    kind: 'role',
    address: 'role/clerk',
    from: 'role/scribe',
    differences: [{ pointer: '/description', before: 'Writes.' }],
    fields: { name: 'clerk' },
  },
  { action: 'adopt', kind: 'group', address: 'group/g', differences: [], taken_from: 'hr' },
  {
    action: 'update',
    kind: 'policy',
    address: 'policy/p',
    taken_from: 'hr',
    differences: [
      { pointer: '/actions', before: ['read', 'share'], after: ['read', 'write'] },
      { pointer: '/modifiers/mfa_required', after: true },
      { pointer: '/priority', before: 10, after: 20 },
    ],
    fields: {},
  },
  {
    action: 'create',
    kind: 'policy',
    address: 'policy/billing/approve',
    differences: [],
    fields: { application: 'billing', name: 'approve', effect: 'ALLOW', actions: ['read'] },
  },
  {
    action: 'delete',
    kind: 'role',
    address: 'role/old',
    differences: [
      { pointer: '/description', before: 'x' },
      { pointer: '/name', before: 'old' },
    ],
  },
];
const FOLLOWERS: Plan['followers'] = [
  {
    kind: 'role_assignment',
    address: 'role_assignment/clerk//group/h',
    from: 'role_assignment/scribe//group/h',
    managed_by: 'hr',
  },
];

describe('renderText', () => {
  it('names what is stored in a form that is refused now', () => {
    const refused_forms = [{ address: 'policy/d', managed_by: 'api', detail: 'Write `unless`.' }];
    expect(renderText(planOf([], { refused_forms }))).toMatch(
      /unchanged\.\n\nStored in a form that is refused now:\n {2}! policy\/d, which belongs to "api"\n {6}Write `unless`\.\n$/,
    );
    const many = Array.from({ length: 22 }, () => refused_forms).flat();
    expect(renderText(planOf([], { refused_forms: many }))).toMatch(/\n {2}… and 2 more\n$/);
  });

  it('aligns fields, shows old and new, elements that come and go, owners, followers and counts', () => {
    expect(renderText(planOf(MIXED, { followers: FOLLOWERS }))).toBe(`\
Changes to tenant "acme", stack "billing", at revision 3.0123456789abcdef:

  > role/scribe → role/clerk
      description  - "Writes."
  ~ group/g, taken over from "hr"
  ~ policy/p, taken over from "hr"
      actions                 - "share"
      actions                 + "write"
      modifiers.mfa_required  + true
      priority                10 → 20
  + policy/billing/approve
      effect   "ALLOW"
      actions  ["read"]
  - role/old
      description  "x"
  > role_assignment/scribe//group/h → role_assignment/clerk//group/h, which belongs to "hr" and follows

Plan: 1 to add, 3 to change, 1 to remove, 120 unchanged.
`);
  });

  it('says so where there is nothing to do', () => {
    expect(renderText(planOf([]))).toBe(`\
No changes: everything is as declared (tenant "acme", stack "billing", at revision 3.0123456789abcdef).

Plan: 0 to add, 0 to change, 0 to remove, 120 unchanged.
`);
  });

  it('colours the marks only where it is told to', () => {
    expect(renderText(planOf(MIXED))).not.toContain('<');
    const text = renderText(planOf(MIXED), { style: (format, text) => `<${format}>${text}` });
    for (const part of [
      '<green>+ policy/billing/approve',
      '<red>- role/old',
      '<yellow>~ group/g',
      '<cyan>> role/scribe',
    ])
      expect(text).toContain(part);
  });

  it('sums up by kind what is too much to read, and shows all on request', () => {
    const many = Array.from({ length: 10_000 }, (_, index) => created(`n${index}`, { properties: { amount: index } }));
    const plan = planOf([...many, removed('gone')]);
    const text = renderText(plan);
    expect(text.split('\n').length).toBeLessThan(220);
    expect(text).toMatch(/… and (\d+) more; --all shows every one:\n {6}\+ \1 resources\n/);
    expect(text).toContain('- role/gone');
    expect(text).toContain('Plan: 10000 to add, 0 to change, 1 to remove, 120 unchanged.');
    const all = renderText(plan, { all: true });
    expect(all).toContain('resource/a/t/n9999');
    expect(all).not.toContain('more;');
  });

  it('shows removals before anything else when there is not room for all', () => {
    const gone = Array.from({ length: 150 }, (_, index) => removed(`gone${index}`));
    const text = renderText(planOf([...Array.from({ length: 500 }, (_, index) => created(`n${index}`)), ...gone]));
    for (const { address } of gone) expect(text).toContain(`- ${address}\n`);
    expect(text).toContain('+ 450 resources');
  });

  it('escapes what would act on a terminal or hide text', () => {
    const text = renderText(
      planOf(
        [
          created('x', { description: 'a\u001b[31mb\u202ec\u200bd\u0085e\u2028' }),
          { ...removed('y'), address: 'role/\u001b]0;y\u0007\u202e' },
        ],
        {
          tenant: 'ac\u001bme',
          stack: '\u202egnillib',
        },
      ),
    );
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u2028\u202e]/);
    expect(text).toContain('"a\\u001b[31mb\\u{202e}c\\u{200b}d\\u{85}e\\u{2028}"');
  });
});

describe('renderMarkdown', () => {
  it('names what is stored in a form that is refused now', () => {
    const refused_forms = [{ address: 'policy/d', managed_by: 'api', detail: 'Write `unless`.' }];
    expect(renderMarkdown(planOf([], { refused_forms }))).toContain(
      'everything is as declared.\n\n**Stored in a form that is refused now:**\n\n' +
        '- <code>policy/d</code> of stack <code>api</code>: Write &#96;unless&#96;.\n',
    );
    const many = Array.from({ length: 22 }, () => refused_forms).flat();
    expect(renderMarkdown(planOf([], { refused_forms: many }))).toContain('\n- and 2 more\n');
  });

  it('counts by kind and shows the changes as diffs, removals first', () => {
    expect(renderMarkdown(planOf(MIXED, { followers: FOLLOWERS }))).toBe(`\
### ✅ May be applied: no access rule refuses it.

Tenant <code>acme</code>, stack <code>billing</code>, at revision <code>3.0123456789abcdef</code>.

<details><summary>Records: 1 to add, 3 to change, 1 to remove, 120 unchanged.</summary>

| | add | change | remove |
|---|--:|--:|--:|
| roles | 0 | 1 | 1 |
| groups | 0 | 1 | 0 |
| policies | 1 | 1 | 0 |
| role assignments | 0 | 1 | 0 |

**Remove (1)**

\`\`\`diff
- role/old
-     description: "x"
\`\`\`

**Change (4)**

\`\`\`diff
! role/scribe → role/clerk
-     description: "Writes."
! group/g, taken over from "hr"
! policy/p, taken over from "hr"
-     actions: "share"
+     actions: "write"
+     modifiers.mfa_required: true
-     priority: 10
+     priority: 20
! role_assignment/scribe//group/h → role_assignment/clerk//group/h, which belongs to "hr" and follows
\`\`\`

**Add (1)**

\`\`\`diff
+ policy/billing/approve
+     effect: "ALLOW"
+     actions: ["read"]
\`\`\`

</details>
`);
  });

  it('says so where there is nothing to do', () => {
    expect(renderMarkdown(planOf([]))).toContain('\nNo record changes: everything is as declared.\n');
  });

  it('lets no value out of its code', () => {
    const evil = '```\n</details><script>alert(1)</script>\n@everyone | **x** ````` [a](http://b)';
    const text = renderMarkdown(
      planOf([created('x', { description: evil })], { tenant: evil, stack: '`@org/team` | <b>', base_revision: '3.0' }),
    );
    const [head = '', body = ''] = text.split('<details');
    expect(head).not.toMatch(/[`@*[\]]|<(?!\/?code>)/);
    const lines = body.slice(body.indexOf('```diff\n') + 8, body.lastIndexOf('\n```\n')).split('\n');
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).toMatch(/^[+!-]/);
    expect(head).not.toContain('<script');
  });

  it('stays within a comment, shows removals first, and says how many are left out', () => {
    const gone = Array.from({ length: 100 }, (_, index) => removed(`gone${index}`));
    const huge = created('huge', { description: 'x'.repeat(70_000) });
    const many = Array.from({ length: 10_000 }, (_, index) => created(`n${index}`, { properties: { amount: index } }));
    const text = renderMarkdown(planOf([huge, ...many, ...gone]));
    expect(text.length).toBeLessThanOrEqual(60_000);
    expect(text.length).toBeGreaterThan(50_000);
    for (const { address } of gone) expect(text).toContain(`\n- ${address}\n`);
    const shown = text.match(/^\+ resource\//gm)?.length ?? 0;
    expect(text).toContain(`**${10_001 - shown} more are left out here**`);
    expect(text).toContain('**Add (10001)**');
  });

  it('stays within a comment also when names are long and every character of them is escaped', () => {
    const name = '`\u200b'.repeat(5000);
    const many = Array.from({ length: 10_000 }, (_, index) => created(`n${index}`));
    const text = renderMarkdown(planOf(many, { tenant: name, stack: name, base_revision: name }));
    expect(text.length).toBeLessThanOrEqual(60_000);
  });
});
