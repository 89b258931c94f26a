/** The texts of the comparison of two moments. */
export const compare = {
  title: 'Compare',
  under: 'What changed between two moments: in the records, and in who may do what.',
  before: 'From',
  after: 'To',
  pointHint: 'A revision’s number, a time, or a date',
  afterHint: 'The same; empty means now',
  example: '42 or 2026-03-01',
  beforeNeeded: 'Write a revision or a time.',
  show: 'Compare',
  hint: 'Choose two revisions, or a revision and now.',
  finding: 'Finding out what changed …',
  moments: 'The two moments',
  asOf: 'Ask as of then',
  committed: 'committed',
  erased: (count: number) =>
    `${count} of its records have lost values by an erasure: conditions that read them may have been decided otherwise.`,
  clockHint:
    'Access that began or ended by the clock alone, in between, changes no record and is not told here: ask as of each moment.',
  records: 'Records that differ',
  same: 'No record differs.',
  more: (shown: number, all: number) => `The first ${shown} of ${all} are listed.`,
  option: (number: string, time: string, who: string) => `${number}: ${time}, ${who}`,
};
