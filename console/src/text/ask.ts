const OUTCOMES = { applies: 'applies', does_not_apply: 'does not apply', failed: 'failed' };

function secondsText(seconds: number): string {
  return `${seconds.toLocaleString('en-GB')} s`;
}

/** The texts of the page Ask. */
export const ask = {
  title: 'Ask',
  under: 'Who may do what? Every answer says why.',
  modes: 'Kinds of questions',
  mode: { decide: 'May this subject do it?', who: 'Who may do it?', what: 'What may this subject do?' },
  hint: 'Fill in the question. The decision appears here, and the address of the page asks again.',
  ask: 'Ask',
  copyLink: 'Copy a link to this question',
  linkCopied: 'The link is copied',
  subject: 'Subject',
  subjectHint: 'Type and id: user/alice',
  subjectType: 'Type of subjects',
  subjectTypeHint: 'For example user; empty means every type',
  action: 'Action',
  actionHint: 'For example read',
  anyActionHint: 'For example read; empty means each action of the type',
  actions: 'Actions',
  resource: 'Resource',
  resourceHint: 'Type and name: billing/invoice/INV-1',
  resourceType: 'Type of resources',
  resourceTypeHint: 'For example billing/invoice',
  more: 'Properties, context, roles, and a past time',
  subjectProperties: 'Properties of the subject',
  resourceProperties: 'Properties of the resource',
  context: 'Context',
  jsonHints: {
    subjectProperties: 'JSON, beside those that are recorded: {"level": 3}',
    resourceProperties: 'JSON, beside those that are recorded: {"amount": 120}',
    context: 'JSON: {"mfa": true, "ip": "10.0.0.5"}',
  },
  roles: 'Roles named in the request',
  rolesHint: 'Separated by commas: billing/clerk',
  at: 'As of',
  atHint: 'A past time or revision: 2026-03-01T12:00:00Z or 42',
  faults: {
    missing: 'Fill this in.',
    subject: 'Write type and id: user/alice',
    resource: 'Write type and name: billing/invoice/INV-1',
    json: 'Write a JSON object, such as {"amount": 120}.',
  },
  unread: (text: string, because: string) => `“${text}” ${because}.`,
  decision: 'Decision',
  allowed: 'Allowed',
  denied: 'Denied',
  reasons: 'Reasons',
  deciding: 'Deciding policy',
  candidates: 'Policies considered',
  otherCandidates: 'Other policies considered',
  noCandidates: (all: number) =>
    all === 0 ? 'No policy was considered: none covers this resource and action for this subject.' : 'None.',
  age: (seconds: number) => `Decided by what was known to be the newest ${secondsText(seconds)} before.`,
  maxAge: (seconds: number) => `lets nothing decide that is older than ${secondsText(seconds)} (max_age).`,
  uncountedProperty: 'was sent by the request and ignored: its type takes it from records alone.',
  uncounted: 'was named by the request and ignored: requests may not name it.',
  picture: 'The way to the decision',
  pictureHint:
    'From the subject to the resource and what it lies in. What decided is marked; broken lines belong to policies that do not apply.',
  pictureOf: 'The ways from the subject to the resource; the table says the same',
  pictureTable: 'Steps in the picture',
  decided: 'Decided',
  moreWays: (count: number) => `${count} more ${count === 1 ? 'way is' : 'ways are'} listed below only.`,
  cameOf: ({ effect, outcome, deciding }: { effect: string; outcome: keyof typeof OUTCOMES; deciding: boolean }) =>
    `${effect}, ${deciding ? 'decided' : OUTCOMES[outcome]}`,
  path: 'The way from the subject to the resource',
  heldOn: (place: string) => `held on ${place}`,
  priority: (priority: number) => `priority ${priority}`,
  outcome: OUTCOMES,
  clauses: 'Clauses of its condition',
  clause: { true: 'true', false: 'false', absent: 'absent', failed: 'failed' },
  whyNot: 'What would allow it',
  whyNotHint: 'In a checkout of the records, the same with --against and --patch writes a change into its files:',
  whyNotCommand: 'The command',
  findProposals: 'Find the smallest changes',
  findingProposals: 'Finding the smallest changes …',
  proposals: 'Each of these would allow it, those first that grant least besides:',
  noProposals: 'No change of one or two records allows it.',
  allowedNow: (reason: string) => `It is allowed already: ${reason}`,
  besides: ({ grants, exact, beyond_records }: { grants: number; exact: boolean; beyond_records: boolean }) => {
    if (grants > 0)
      return `Also allows ${exact ? '' : 'at most '}${grants} other ${grants === 1 ? 'question' : 'questions'} about recorded subjects and resources.`;
    return beyond_records
      ? 'Grants nothing else that is recorded, but also what has no record, or at other times.'
      : 'Grants nothing else.';
  },
  notWeighed: (count: number) => `${count} more would allow it, too; what else they grant was not computed.`,
  breaks: { enforce: 'would be refused', warn: 'is warned of' },
  addToDraft: 'Add to draft',
  inDraft: 'It is in the draft.',
  addPart: (stack: string) => `Add the changes of “${stack}” to draft`,
  severalStacks: (stacks: readonly string[]) =>
    `It needs the changes of all of these stacks, and a draft is for one: take the changes of ${stacks
      .map((stack) => `“${stack}”`)
      .join(', then those of ')} to where its records are declared, each as a change document of its own.`,
  otherDraft: (drafted: string, stack: string) =>
    `The draft is for the stack “${drafted}”, and this is for “${stack}”: take the draft to Git or empty it first.`,
  otherChange: (address: string) =>
    `The draft already changes ${address} in another way, which this would replace: leave that out on the page Change first.`,
  typesAsked: (types: readonly string[], all: boolean) =>
    `Types of subjects that were searched: ${types.join(', ') || 'none'}.${all ? '' : ' There may be others: name one to search it.'}`,
  nobody: 'Nobody may do it.',
  nothing: 'There is nothing on which they may do it.',
  found: (count: number, more: boolean) => (more ? `The first ${count}` : `${count} found`),
  rows: {
    title: 'Rows, recorded or not',
    under:
      'Of all rows of an application’s table, by their columns. The SDKs and servicectl filter say the same in SQL.',
    all: 'All rows.',
    none: 'No row.',
    some: 'The rows for which this holds:',
    partial: 'Not all of these rows are allowed: each needs a decision, since columns cannot say the answer.',
  },
  leftOut: (count: number, absent: readonly string[]) =>
    `${count} left out, because the question says too little${absent.length > 0 ? `: ${absent.join(', ')}` : ''}.`,
};
