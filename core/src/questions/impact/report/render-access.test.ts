import { describe, expect, it } from 'vitest';
import { accessReport, finding } from '../../../../testing/findings.js';
import type { Finding } from '../api/finding.js';
import { renderAccessMarkdown, renderVerdictMarkdown } from './render-access-markdown.js';
import { renderAccessText } from './render-access-text.js';

const finance: Partial<Finding> = {
  id: 'a'.repeat(16),
  subjects: {
    principals: [{ principal: 'group/finance', subjects: 27, of: 27, directly: 3 }],
    recorded: 27,
    unrecorded: [],
  },
  actions: ['approve'],
  resources: [{ type: 'billing/invoice', which: 'all', recorded: 1340 }],
  condition: 'resource.properties.amount < 10000',
  triples: 36_180,
};
const wildcard: Partial<Finding> = {
  id: 'b'.repeat(16),
  actions: ['*'],
  risks: ['any_action'],
  causes: [[{ address: 'policy/billing/all', change: 'added', file: 'billing.yaml', line: 40 }]],
};
const removed: Partial<Finding> = {
  id: 'c'.repeat(16),
  change: 'lost',
  causes: [
    [{ address: 'group_membership/finance//subject/user/bob', change: 'removed', file: 'main:p.yaml', line: 3 }],
  ],
};
const report = accessReport([finding(finance), finding(removed), finding(wildcard)], {
  counts: { gained: 36_181, lost: 1, mixed: 0, unknown: 0 },
});

describe('renderAccessText', () => {
  it('says by cause what changes, worst first', () => {
    expect(renderAccessText(report).join('\n')).toBe(`\
Access: 36,181 permissions gained, 1 lost. A permission is one action of one recorded subject on one recorded resource; the rows add up to these.

  policy/billing/all was added (billing.yaml:40)
    New        [any action] user/bob may now do anything with billing/invoice/INV-1 – 1 permission

  policy/billing/read was changed (billing.yaml:7)
    New        All 27 members of group/finance (3 directly) may now approve any billing/invoice (1,340 recorded, and others), if its amount is below 10,000 (resource.properties.amount < 10000) – 36,180 permissions

  user/bob was removed from group/finance (main:p.yaml:3)
    Gone       user/bob may no longer read billing/invoice/INV-1 – 1 permission
`);
  });

  it('calls what is lost but for some cases narrower, and not gone', () => {
    const limited = finding({ change: 'lost', condition: 'context.mfa', condition_before: 'true' });
    expect(renderAccessText(accessReport([limited])).join('\n')).toContain('Narrower   user/bob may now read');
    expect(renderAccessMarkdown(accessReport([limited]))).toContain('- **Narrower:** <code>user/bob</code> may now');
  });

  it('says what the findings of one change have in common once, and what gives access first', () => {
    const cause = (address: string) => ({ address, change: 'added' as const });
    const needed = ['application/billing', 'group/finance', 'policy/billing/read'].map(cause);
    const links = [cause('policy_assignment/billing/read//group/finance')];
    const principals = [{ principal: 'group/finance', subjects: 2, of: 2, directly: 2 }];
    const many = finding({
      subjects: { ...finding().subjects, principals, recorded: 2 },
      causes: [[...needed, ...links, cause('group_membership/finance//subject/user/bob')]],
    });
    const lines = renderAccessText(accessReport([many, finding({ causes: [[...needed, ...links]] })]));
    expect(lines.filter((line) => line.includes(' was '))).toEqual([
      '  policy/billing/read was added and group/finance was given policy/billing/read',
    ]);
  });

  it('says of each subject that a finding names why it is among them', () => {
    const subject = (principal: string) => ({ principal, subjects: 1, of: 1, directly: 1 });
    const principals = [subject('group/finance'), subject('subject/user/bob')];
    const causes = ['policy_assignment/billing/read//group/finance', 'group_membership/audit//subject/user/bob'];
    const both = finding({
      subjects: { principals, recorded: 2, unrecorded: [] },
      causes: [causes.map((address) => ({ address, change: 'added' }))],
    });
    const heading = 'group/finance was given policy/billing/read and user/bob was added to group/audit';
    expect(renderAccessText(accessReport([both]))).toContain(`  ${heading}`);
  });

  it('keeps what cannot be said apart from gains, and says why findings name more than is counted', () => {
    const [first] = renderAccessText(
      accessReport([finding({ triples: 5 }), finding({ change: 'unknown' })], {
        counts: { gained: 1, lost: 0, mixed: 0, unknown: 1 },
      }),
    );
    expect(first).toBe(
      'Access: 1 permission gained, none lost, 1 unclear. A permission is one action of one recorded subject on one recorded resource. The rows do not add up to these: one permission may be in several rows, each for a time, and some rows are about properties that only requests send.',
    );
  });

  it('says so where nothing changes', () => {
    expect(renderAccessText(accessReport([]))).toEqual([
      'Access: no change. Nobody gains access by this change, and nobody loses any.',
    ]);
  });

  it('says so where nothing is known', () => {
    expect(renderAccessText({ unavailable: 'It failed.' })).toEqual(['Access: not known. It failed.']);
  });

  it('folds what goes beyond a screen, and shows all on demand', () => {
    const many = accessReport(
      Array.from({ length: 100 }, (_, index) =>
        finding({ causes: [[{ address: `policy/billing/p${Math.floor(index / 10)}`, change: 'added' }]] }),
      ),
    );
    const lines = renderAccessText(many);
    expect(lines.length).toBeLessThanOrEqual(45);
    expect(lines.at(-2)).toMatch(/^ {2}… and 6\d more rows; --all shows every finding$/);
    expect(renderAccessText(many, { all: true }).filter((line) => line.includes('may now'))).toHaveLength(100);
  });

  it('shows gates, gaps, members and the baseline', () => {
    const judged = accessReport([{ ...finding(), members: ['user/bob'], acknowledged: true }], {
      gaps: ['Something.'],
      gates: [
        { gate: 'no-new-access', passed: false, detail: 'No.', findings: ['0123456789abcdef'] },
        { gate: 'max-gained', passed: true, detail: 'Yes.', findings: [] },
      ],
    });
    expect(renderAccessText(judged).slice(3)).toEqual([
      '    New        user/bob may now read billing/invoice/INV-1 – 1 permission (in the baseline)',
      '               user/bob',
      '',
      'not known: Something.',
      '✗ --no-new-access failed: No.',
      '✓ --max-gained passed: Yes.',
    ]);
  });

  it('names nobody where only counts are wanted', () => {
    const gates = [{ gate: 'not-granted', passed: false, detail: 'bob', findings: ['0123456789abcdef'] }];
    const named = accessReport([finding()], { gates, gaps: ['"group/finance" is declared elsewhere.'] });
    const text = renderAccessText(named, { countsOnly: true }).join('\n');
    expect(text).toMatch(/^Access: not fully known \(1 part of the two states\); 1 permission gained, none lost\./);
    expect(text).toContain('✗ --not-granted failed for 1 finding');
    expect(text + renderAccessMarkdown(named, { countsOnly: true })).not.toMatch(/bob|INV|finance|billing/);
  });

  it('writes no control character of a name to the terminal', () => {
    const odd = finding({ condition: 'x == "\u001b[2J\u202e"' });
    expect(renderAccessText(accessReport([odd])).join('')).toContain('x == "\\u{1b}[2J\\u{202e}"');
  });
});

describe('a report that does not know everything', () => {
  const gaps = [
    'service_role_assignment.evil has values that are known only after the apply (entity): it is left out.',
  ];
  it.each([
    ['nothing else changes', accessReport([], { gaps })],
    ['something else changes', accessReport([finding()], { gaps })],
    ['there was too much to look at', accessReport([], { complete: false })],
  ])('says so in its heading, and never that nobody gains, where %s', (_, open) => {
    for (const text of [renderAccessText(open).join('\n'), renderAccessMarkdown(open)]) {
      const why = open.gaps === undefined ? 'not everything was looked at' : '.*evil has values';
      expect(text).toMatch(new RegExp(`^(?:#### )?Access: not fully known \\(${why}`));
      expect(text).not.toMatch(/no change|Nobody gains/);
    }
    expect(renderVerdictMarkdown(open, { rules: [] })).toMatch(
      open.gaps === undefined
        ? /^### ⚠️ Not known: not everything was looked at/
        : /^### ⚠️ Not known: .*evil has values/,
    );
  });
});

describe('renderAccessMarkdown', () => {
  it('says by cause what changes, for a comment', () => {
    expect(renderAccessMarkdown(report)).toBe(`\
#### Access: 36,181 permissions gained, 1 lost

A permission is one action of one recorded subject on one recorded resource; the rows add up to these.

**Because <code>policy/billing/all</code> was added (<code>billing.yaml&#58;40</code>):**

- **New:** ⚠️ any action: <code>user/bob</code> may now do anything with <code>billing/invoice/INV-1</code>. <sub>1 permission</sub>

**Because <code>policy/billing/read</code> was changed (<code>billing.yaml&#58;7</code>):**

- **New:** All 27 members of <code>group/finance</code> (3 directly) may now <code>approve</code> any <code>billing/invoice</code> (1,340 recorded, and others), if its <code>amount</code> is below 10,000 (<code>resource.properties.amount &#60; 10000</code>). <sub>36,180 permissions</sub>

**Because <code>user/bob</code> was removed from <code>group/finance</code> (<code>main&#58;p.yaml&#58;3</code>):**

- **Gone:** <code>user/bob</code> may no longer <code>read</code> <code>billing/invoice/INV-1</code>. <sub>1 permission</sub>
`);
  });

  it('folds many findings, and stays within the length of a comment', () => {
    const many = accessReport(Array.from({ length: 2000 }, () => finding({ condition: 'x'.repeat(200) })));
    const text = renderAccessMarkdown(many, { charactersMax: 20_000 });
    expect(text.length).toBeLessThan(20_000);
    expect(text).toMatch(/<details><summary>\d+ more rows<\/summary>/);
    expect(text).toMatch(/\*\*1,9\d\d more rows\*\* left out here/);
  });

  it('stays within the length of a comment whatever is not known, and however much refuses it', () => {
    const gaps = Array.from({ length: 3000 }, (_, index) => `service_role.r${index} is not known.`);
    const open = accessReport([], { gaps });
    expect(renderAccessMarkdown(open).length).toBeLessThan(5000);
    expect(renderAccessMarkdown(open)).toContain('**Not known:** And 2,990 more.');
    const rules = Array.from({ length: 3000 }, (_, index) => `The access rule "r${index}" ${'x'.repeat(5000)}.`);
    expect(renderVerdictMarkdown(open, { rules }).length).toBeLessThan(12_000);
  });

  it('folds into one line what requests get by naming roles', () => {
    const named = finding({
      id: '1'.repeat(16),
      subjects: { principals: [], recorded: 0, unrecorded: [], named_role: 'role/auditor' },
      triples: 0,
      risks: ['named_role'],
    });
    const both = accessReport([named, finding()]);
    const text = renderAccessMarkdown(both);
    const folded = '<details><summary>What <code>role/auditor</code> would bring, if requests name it</summary>';
    expect(text.split('\n').filter((line) => line.includes('auditor'))[0]).toBe(folded);
    expect(text.indexOf('user/bob')).toBeLessThan(text.indexOf(folded));
    expect(renderAccessText(both)).toContain(
      '  … and 1 finding about what requests get by naming role/auditor; --all shows every one',
    );
    expect(renderAccessText(both, { all: true }).join('\n')).toMatch(/Anybody .* role\/auditor/);
  });

  it('lets no name become markup', () => {
    const odd = accessReport([finding({ condition: '</code><img> @all `x` [a](b)' })], { gaps: ['<b> *x* @all'] });
    expect(renderAccessMarkdown(odd)).not.toMatch(/<img>|`x`|\]\(|<b>|\*x\*/);
  });
});
