import { bar } from '../bars.js';
import { measureFilterSpeed, measureFiltersAtAgent } from '../filter-speed.js';
import { measureFilters } from '../filters.js';
import { count, fixed, table } from '../table.js';

export async function filters(): Promise<void> {
  const speed = measureFilterSpeed();
  table(
    'POST /v1/filter: 10,000 policies, subjects in 30 groups with 1,000 roles on folders; in the process',
    ['policies that cover the rows', 'ms', 'of processor time', 'characters of the answer'],
    speed.map(({ covering, asked, processor, length }) => [
      ...[count(covering), fixed(asked), fixed(processor), count(length)],
    ]),
  );
  const { p50, p99 } = await measureFiltersAtAgent(speed[0]?.covering ?? 0);
  table(
    'The same at the agent',
    ['', 'ms'],
    [
      ['median', fixed(p50)],
      ['p99', fixed(p99)],
    ],
  );
  bar('ms of a filter in the process', speed[0]?.asked ?? Number.NaN, 'at most', 0.5);
  bar('ms of a filter at the agent, p99', p99, 'at most', 3);
  const { asked, filtered, byHand, byDecisions } = await measureFilters();
  table(
    'First page of 50 of 1,000,000 rows in PostgreSQL, of which one in a thousand is allowed',
    ['', 'ms'],
    [
      ['finding the filter, in the process', fixed(asked)],
      ['by the filter', fixed(filtered)],
      ['by a query by hand', fixed(byHand)],
      ['by decisions in the process on batches of 1,000 rows', fixed(byDecisions)],
    ],
  );
  bar('first page by the filter, of one by a query by hand', filtered / byHand, 'at most', 1.3, ' ×');
  bar(
    'first page by decisions in batches, of one by the filter',
    byDecisions / (asked + filtered),
    'at least',
    50,
    ' ×',
  );
}
