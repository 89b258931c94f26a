import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Document, isCollection, isScalar, type Node, Scalar, visit } from 'yaml';
import { readManifest } from '../manifest/read.js';
import type { ProposedChange } from '../questions/why-not/proposal.js';
import { type DeclaredRecord, declare } from '../records/registry.js';
import { patchFiles } from './patch-files.js';

const TENANT = {
  version: 1,
  stack: 'pt',
  applications: {
    app: {
      resource_types: { doc: { actions: ['read', 'write'], properties: { amount: 'number' } } },
      policies: {
        p: { effect: 'ALLOW', resource_type: 'doc', actions: ['read'], assigned_to: ['group/g', { to: 'user/eve' }] },
        q: {
          effect: 'DENY',
          resource_type: 'doc',
          actions: ['write'],
          condition: 'has(context.z) &&\n  context.z == 1\n',
        },
      },
    },
  },
  groups: { g: { members: ['user/ann', 'user/bob'] }, h: { members: ['user/ann'] }, empty: {} },
  subjects: {
    'user/ann': { properties: { n: 1, list: [1, 2] } },
    'user/bob': null,
    'user/eve': {},
    'user/zoe': { name: 'Zoë' },
  },
};

/** Draws from a list of random numbers. */
function drawing(numbers: readonly number[]): (max: number) => number {
  let at = 0;
  return (max) => (numbers[at++ % numbers.length] ?? 0) % max;
}

/** The tenant in a style of its own: indents, flow collections, quotes, comments, blank lines, line ends. */
function styled(draw: (max: number) => number): string {
  const document = new Document(TENANT);
  visit(document, {
    Node: (key, node, path) => {
      const within = path.some((one) => isCollection(one) && one.flow);
      if (isCollection(node) && path.length > 1 && (node.items.length === 0 || draw(4) === 0)) node.flow = true;
      const quotes = [Scalar.PLAIN, Scalar.QUOTE_DOUBLE, Scalar.QUOTE_SINGLE, Scalar.PLAIN] as const;
      if (isScalar(node) && typeof node.value === 'string' && !node.value.includes('\n'))
        node.type = quotes[draw(4)] ?? 'PLAIN';
      if (within || path.length < 2) return;
      if (key !== 'value' && draw(6) === 0) (node as Node).commentBefore = ' before';
      if (key !== 'value' && draw(6) === 0) node.spaceBefore = true;
      if (
        isScalar(node) &&
        key !== 'key' &&
        typeof node.value === 'string' &&
        !node.value.includes('\n') &&
        draw(4) === 0
      )
        node.comment = ' after';
    },
  });
  const text = document
    .toString({
      indent: 2 + draw(4),
      indentSeq: draw(2) === 0,
      flowCollectionPadding: draw(2) === 0,
      lineWidth: [0, 40, 80][draw(3)] ?? 0,
    })
    .replace(/ # ?/g, [' # ', '   # ', '\t# '][draw(3)] ?? ' # ');
  const ended = draw(3) === 0 ? text.trimEnd() : `${text}# the end\n`;
  return draw(4) === 0 ? ended.replaceAll('\n', '\r\n') : ended;
}

const member = (group: string, entity: string) =>
  declare('group_membership', { group, entity_type: 'subject', entity });
const subject = (id: string, more: object = {}) => declare('subject', { type: 'user', id, ...more });

/** Changes, and what is gone from the text by them: at most that, in one piece. */
const EDITS: readonly [what: string, change: ProposedChange, gone: RegExp][] = [
  ['a member', { after: member('g', 'user/eve') }, /^$/],
  ['the first member', { after: member('empty', 'user/eve') }, /^\s*(?:\{\s*\}|null|)\s*$/],
  ['one member less', { before: member('g', 'user/ann') }, /^[-\s,"']*user\/ann["',]*\s*(?:# after)?\s*$/],
  [
    'the last member less',
    { before: member('g', 'user/bob') },
    /^(?:\s*# before)?[-\s,"']*user\/bob["',]*\s*(?:# after)?\s*$/,
  ],
  ['a subject', { after: subject('new', { properties: { a: 'x: y' } }) }, /^$/],
  [
    'a subject less',
    { before: subject('zoe', { name: 'Zoë' }) },
    /^(?:\s*# before)?[\s,"']*user\/zoe(?:(?!user\/)[\s\S])*$/,
  ],
  [
    'another number',
    {
      before: subject('ann', { properties: { n: 1, list: [1, 2] } }),
      after: subject('ann', { properties: { n: 72, list: [1, 2] } }),
    },
    /^1$/,
  ],
  [
    'another holder',
    { after: declare('policy_assignment', { policy: 'app/p', entity_type: 'subject', entity: 'user/bob' }) },
    /^$/,
  ],
];

it('keeps every byte but those of what is changed, in any style', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(999), { minLength: 8, maxLength: 60 }), fc.nat(EDITS.length - 1), (numbers, at) => {
      const before = styled(drawing(numbers));
      const [, change, gone] = EDITS[at] as (typeof EDITS)[number];
      const files = [{ path: 'a.yaml', text: before }];
      const read = readManifest(files);
      expect(read.faults).toEqual([]);
      const [file] = patchFiles(files, read, { changes: [change] });
      const after = file?.text ?? before;
      expect(
        goneOf(before, after).some((text) => gone.test(text)),
        goneOf(before, after).join('|') + before + after,
      ).toBe(true);
      const wanted = new Map((read.manifest?.records ?? []).map((record) => [record.address, record]));
      if (change.before !== undefined) wanted.delete(change.before.address);
      if (change.after !== undefined) wanted.set(change.after.address, change.after as DeclaredRecord);
      const now = readManifest([{ path: 'a.yaml', text: after }]);
      expect(now.faults).toEqual([]);
      expect(byAddress(now.manifest?.records ?? [])).toEqual(byAddress(wanted.values()));
    }),
    { numRuns: 300 },
  );
});

function byAddress(records: Iterable<DeclaredRecord>): DeclaredRecord[] {
  return [...records].sort((left, right) => (left.address < right.address ? -1 : 1));
}

/** The part of a text that is gone in another one, if the rest stands there in one piece before it and one after it. */
function goneOf(before: string, after: string): string[] {
  const most = Math.min(before.length, after.length);
  const common = (limit: number, same: (length: number) => boolean) => {
    let length = 0;
    while (length < limit && same(length)) length++;
    return length;
  };
  const prefix = (limit: number) => common(limit, (at) => before[at] === after[at]);
  const suffix = (limit: number) => common(limit, (at) => before.at(-1 - at) === after.at(-1 - at));
  const [start, end] = [prefix(most), suffix(most)];
  return [
    before.slice(start, before.length - suffix(most - start)),
    before.slice(prefix(most - end), before.length - end),
  ];
}
