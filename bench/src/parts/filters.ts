import { bar } from '../bars.js';
import { measureFilters } from '../filters.js';
import { fixed, table } from '../table.js';

export async function filters(): Promise<void> {
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
